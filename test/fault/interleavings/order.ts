import type { Pool } from 'pg';
import type { Actor } from './actor.ts';
import { endOf, type Footprint, footprintOf, NOTHING, type References, together } from './footprint.ts';

/** One statement of an order, from its permission to where everybody stands still again. */
export interface Step {
  actor: number;
  text: string;
  footprint: Footprint;
  /** Everybody who moved in it: who had the permission, and who had waited for its locks. */
  moved: readonly number[];
  /** It had to wait for a lock. */
  blocked: boolean;
}

/** Where an order may go on: what each actor at its gate would do next. */
export interface Crossing {
  next: ReadonlyMap<number, Footprint>;
}

export interface Order {
  steps: Step[];
  /** The crossing before each step. */
  crossings: Crossing[];
  outcomes: string[];
  /** Everybody waited for everybody: the statements that did, one per actor. */
  deadlock: string[] | null;
  /** It was not led to its end. */
  abandoned: boolean;
}

export interface Stage {
  actors: readonly Actor[];
  references: References;
  /** A connection that looks at locks. */
  watcher: Pool;
}

/** Nobody else sees that a transaction begins, and under READ COMMITTED it sees nothing yet: these pass at once. */
const isFree = (text: string): boolean => text === 'begin' || /set_config\('role'/.test(text);

const SETTLE_LIMIT_MS = 60_000;
/** A statement usually takes less; only then is it asked whether it waits. */
const LOOK_AFTER_MS = 3;

/**
 * Leads operations, one per actor, through one order of their statements. After every statement it waits until each of them stands at its
 * gate, has ended or waits for a lock of another one; nobody is told to go on before.
 * @param choose whose turn it is; null: this order is of no interest any more
 */
export async function leadOrder(
  { actors, references, watcher }: Stage,
  operations: readonly Parameters<Actor['begin']>[0][],
  choose: (crossing: Crossing, done: readonly Step[]) => number | null,
): Promise<Order> {
  const order: Order = { steps: [], crossings: [], outcomes: [], deadlock: null, abandoned: false };
  const inside = actors.map((): Footprint[] => []);
  const waiting = new Set<number>();
  const footprint = (index: number, text: string): Footprint =>
    isEnd(text) ? endOf(inside[index]!) : footprintOf(text, references);

  for (const [i, actor] of actors.entries()) actor.begin(operations[i]!);
  for (;;) {
    const blocked = await settle(actors, watcher);
    const released = [...waiting].filter((index) => !blocked.has(index));
    for (const index of released) waiting.delete(index);
    noteBlocked(order, actors, { blocked, released, waiting });
    const next = new Map<number, Footprint>();
    for (const [i, actor] of actors.entries()) {
      const now = actor.standing();
      if (now.at === 'gate') next.set(i, footprint(i, now.text));
    }
    if (next.size === 0) {
      if (blocked.size === 0) break;
      order.deadlock ??= actors.flatMap((actor, i) => (blocked.has(i) ? [shown(i, actor)] : []));
      // The server ends one of them after its deadlock_timeout.
      await Promise.race(actors.map((actor) => actor.changed()));
      continue;
    }
    const crossing = { next };
    const chosen = await chooseOr(() => choose(crossing, order.steps), actors);
    if (chosen === null) {
      await abandonAll(actors);
      order.abandoned = true;
      break;
    }
    const actor = actors[chosen]!;
    const { text } = actor.standing() as { text: string };
    const done = next.get(chosen)!;
    order.crossings.push(crossing);
    order.steps.push({ actor: chosen, text, footprint: done, moved: [chosen], blocked: false });
    if (isEnd(text)) inside[chosen] = [];
    else inside[chosen]!.push(done);
    actor.grant();
  }
  order.outcomes = actors.map((actor) => {
    const now = actor.standing();
    return now.at === 'ended' ? now.outcome : now.at;
  });
  return order;
}

const abandonAll = (actors: readonly Actor[]) => Promise.all(actors.map((actor) => actor.abandon()));

/** Leaves nobody at a gate when there is no answer. */
async function chooseOr(choose: () => number | null, actors: readonly Actor[]): Promise<number | null> {
  try {
    return choose();
  } catch (error) {
    await abandonAll(actors);
    throw error;
  }
}

const isEnd = (text: string): boolean => text === 'commit' || text === 'rollback';

function shown(index: number, actor: Actor): string {
  const now = actor.standing();
  return `${index}: ${now.at === 'ended' ? now.outcome : now.text.replace(/\s+/g, ' ').slice(0, 160)}`;
}

/** The last step let others go on, or has to wait itself. */
function noteBlocked(
  { steps }: Order,
  actors: readonly Actor[],
  of: { blocked: ReadonlySet<number>; released: readonly number[]; waiting: Set<number> },
): void {
  const last = steps.at(-1);
  if (!last) return;
  const theirs = of.released.map(
    (index) => steps.findLast((step) => step.actor === index && step.blocked)?.footprint ?? NOTHING,
  );
  last.moved = [last.actor, ...of.released.filter((index) => index !== last.actor)];
  last.footprint = together([last.footprint, ...theirs]);
  if (of.blocked.has(last.actor) && !of.waiting.has(last.actor)) {
    last.blocked = true;
    of.waiting.add(last.actor);
  }
  for (const index of of.blocked) if (index < actors.length) of.waiting.add(index);
}

/** Waits until nobody moves. @returns who waits for a lock that another actor holds */
async function settle(actors: readonly Actor[], watcher: Pool): Promise<Set<number>> {
  const deadline = performance.now() + SETTLE_LIMIT_MS;
  for (;;) {
    for (const actor of actors) {
      const now = actor.standing();
      if (now.at === 'gate' && isFree(now.text)) actor.grant();
    }
    const running = actors.flatMap((actor, i) => (actor.standing().at === 'running' ? [i] : []));
    if (running.length === 0) return new Set();
    if (!(await movesWithin(running.map((i) => actors[i]!.changed())))) {
      const blocked = await whoWaits(actors, running, watcher);
      const still = running.every((i) => actors[i]!.standing().at === 'running');
      if (still && running.every((i) => blocked.has(i))) return blocked;
    }
    if (performance.now() > deadline)
      throw new Error('a statement neither ended nor waited for another actor');
  }
}

async function movesWithin(changes: Promise<void>[]): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const moved = await Promise.race([
    ...changes.map((change) => change.then(() => true)),
    new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), LOOK_AFTER_MS);
    }),
  ]);
  clearTimeout(timer);
  return moved;
}

/** Who of these waits for a lock of another actor. The server grants a lock before it says that its holder has committed. */
async function whoWaits(
  actors: readonly Actor[],
  of: readonly number[],
  watcher: Pool,
): Promise<Set<number>> {
  const pids = actors.map((actor) => actor.pid());
  const { rows } = await watcher.query<{ pid: number }>(
    'select pid from unnest($1::int[]) pid where pg_blocking_pids(pid) && $2::int[]',
    [of.map((i) => pids[i]), pids],
  );
  return new Set(rows.map(({ pid }) => pids.indexOf(pid)));
}
