import { dependent, type Footprint } from './footprint.ts';
import type { Crossing, Order, Step } from './order.ts';

/** Which orders are led: one of each that could end differently, every single one, or so many drawn by a seed. */
export type Reach = 'reduced' | 'all' | Sample;

export interface Sample {
  orders: number;
  seed: number;
  /** How many statements each actor has: the more, the more often it is its turn. */
  lengths: readonly number[];
}

export interface Exploration {
  /** Every order was led, or stood for by another one. */
  complete: boolean;
  /** Orders that were led to their end. */
  orders: number;
  /** Begun, and left because another one stands for it. */
  redundant: number;
  /** Statements that had to wait for a lock, over all orders. */
  blocked: number;
}

/** Leads one order on fresh rows. */
type Lead = (choose: (crossing: Crossing, done: readonly Step[]) => number | null) => Promise<Order>;

interface Node {
  next: ReadonlyMap<number, Footprint>;
  /** What others have shown to be of no interest here. */
  asleep: ReadonlySet<number>;
  wanted: Set<number>;
  tried: Set<number>;
  chosen: number;
}

/**
 * Leads all orders, depth first. With 'reduced' it leaves out those that only swap statements whose order does not matter, as told by
 * `dependent`: at a crossing it turns back only where a later statement of another actor depends on the one that was taken there, and does
 * not repeat what it has seen (dynamic partial-order reduction after Flanagan and Godefroid 2005, with sleep sets).
 * @param see what to do with each order that was led to its end
 * @param options.most no further order is begun after so many
 */
export async function explore(
  lead: Lead,
  see: (order: Order) => Promise<void>,
  options: { reach: Reach; most: number },
): Promise<Exploration> {
  const { reach, most } = options;
  if (typeof reach === 'object') return drawOrders(lead, see, reach);
  const path: Node[] = [];
  const seen: Exploration = { complete: true, orders: 0, redundant: 0, blocked: 0 };
  do {
    const order = await lead((crossing, done) => {
      const known = path[done.length];
      if (known) return again(known, crossing);
      const node = nodeAt(crossing, path.at(-1), done.at(-1), reach);
      const first = [...node.next.keys()].find((actor) => !node.asleep.has(actor));
      if (first === undefined) return null;
      if (reach === 'all') for (const actor of node.next.keys()) node.wanted.add(actor);
      take(node, first);
      path.push(node);
      return first;
    });
    seen.blocked += order.steps.filter(({ blocked }) => blocked).length;
    if (reach === 'reduced') turnBackAtRaces(order.steps, path);
    if (order.abandoned) seen.redundant += 1;
    else {
      seen.orders += 1;
      await see(order);
    }
    if (!advance(path)) return seen;
  } while (seen.orders + seen.redundant < most);
  return { ...seen, complete: false };
}

/** Orders drawn by a seed, so that all operations are under way for about as long. */
async function drawOrders(
  lead: Lead,
  see: (order: Order) => Promise<void>,
  { orders, seed, lengths }: Sample,
): Promise<Exploration> {
  const draw = drawFrom(seed);
  const choose = ({ next }: Crossing): number => {
    const actors = [...next.keys()];
    let left = draw() * actors.reduce((sum, actor) => sum + lengths[actor]!, 0);
    for (const actor of actors) {
      left -= lengths[actor]!;
      if (left < 0) return actor;
    }
    return actors.at(-1)!;
  };
  const seen: Exploration = { complete: false, orders: 0, redundant: 0, blocked: 0 };
  while (seen.orders < orders) {
    const order = await lead(choose);
    seen.orders += 1;
    seen.blocked += order.steps.filter(({ blocked }) => blocked).length;
    await see(order);
  }
  return seen;
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function drawFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function take(node: Node, actor: number): void {
  node.chosen = actor;
  node.wanted.add(actor);
  node.tried.add(actor);
}

/** The same way as before: whoever could go on then can go on now, or the rows were not as they were. */
function again(known: Node, { next }: Crossing): number {
  const same = known.next.size === next.size && [...known.next.keys()].every((actor) => next.has(actor));
  if (!same) throw new Error('the same beginning of an order led elsewhere');
  return known.chosen;
}

function nodeAt({ next }: Crossing, before: Node | undefined, step: Step | undefined, reach: Reach): Node {
  const asleep = new Set<number>();
  if (before && step && reach === 'reduced') {
    for (const actor of [...before.asleep, ...before.tried]) {
      if (step.moved.includes(actor)) continue;
      if (!dependent(before.next.get(actor)!, step.footprint)) asleep.add(actor);
    }
  }
  return { next, asleep, wanted: new Set(), tried: new Set(), chosen: -1 };
}

/** To the next order: the last crossing with another way that is wanted and was not tried. */
function advance(path: Node[]): boolean {
  for (let node = path.at(-1); node; node = path.at(-1)) {
    const { wanted, tried, asleep } = node;
    const other = [...wanted].find((actor) => !tried.has(actor) && !asleep.has(actor));
    if (other !== undefined) {
      take(node, other);
      return true;
    }
    path.pop();
  }
  return false;
}

/** Wants another way at each crossing where a statement was taken that races with a later one of another actor. */
function turnBackAtRaces(steps: readonly Step[], path: readonly Node[]): void {
  const before = happensBefore(steps);
  for (let late = 0; late < steps.length; late++) {
    for (let early = 0; early < late; early++) {
      const one = steps[early]!;
      const other = steps[late]!;
      if (one.moved.includes(other.actor) || !dependent(one.footprint, other.footprint)) continue;
      const between = (k: number) => before[early]!.has(k) && before[k]!.has(late);
      let ordered = false;
      for (let k = early + 1; k < late && !ordered; k++) ordered = between(k);
      if (ordered) continue;
      const node = path[early]!;
      if (node.next.has(other.actor)) node.wanted.add(other.actor);
      else for (const actor of node.next.keys()) node.wanted.add(actor);
    }
  }
}

/** For each step the later ones that could not have come before it. */
function happensBefore(steps: readonly Step[]): Set<number>[] {
  const after = steps.map(() => new Set<number>());
  for (let early = steps.length - 1; early >= 0; early--) {
    for (let late = early + 1; late < steps.length; late++) {
      const [one, other] = [steps[early]!, steps[late]!];
      const sameActor = one.moved.some((actor) => other.moved.includes(actor));
      if (!sameActor && !dependent(one.footprint, other.footprint)) continue;
      after[early]!.add(late);
      for (const further of after[late]!) after[early]!.add(further);
    }
  }
  return after;
}
