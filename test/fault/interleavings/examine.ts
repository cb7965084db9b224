import type { Database } from '@slowwave/db';
import pg from 'pg';
import type { DatabaseFixture } from '../../fixtures/databases.ts';
import type { Violation } from '../types.ts';
import { type Actor, openActor } from './actor.ts';
import { type Exploration, explore } from './explore.ts';
import { describeRows, digestOf } from './final-state.ts';
import { type References, readReferences } from './footprint.ts';
import { leadOrder, type Order } from './order.ts';
import { keepRows } from './rows.ts';
import { findUnsound } from './soundness.ts';

export type Operation = (database: Database) => Promise<string>;

/** Operations that meet, on the rows of one user. */
export interface Meeting {
  user: string;
  operations: readonly Operation[];
  /** Outcomes that may come together, one per operation: those of one after the other, and what else is right. */
  allowed: readonly (readonly string[])[];
}

/** As many orders drawn by a seed, instead of all that could differ. */
export type Reach = 'reduced' | 'all' | { orders: number; seed: number };

export interface Finding extends Violation {
  /** The order that leads there: whose statements came when. */
  order: string;
}

export interface Examination extends Exploration {
  /** Outcomes that came together, and how often; first those of one operation after the other. */
  outcomes: Map<string, number>;
  /** Ends that differ in a row. */
  ends: Set<string>;
  /** Ends that no order of whole operations leads to. */
  unserial: Map<string, string>;
  findings: Finding[];
  ms: number;
}

/** Connections whose statements can be sent in any order, on one database. */
export interface Arena {
  examine(meeting: Meeting, options?: { reach?: Reach; most?: number }): Promise<Examination>;
  close(): Promise<void>;
}

const MOST = 20_000;

export async function openArena({ database, url }: DatabaseFixture, actorCount: number): Promise<Arena> {
  if (url === null) throw new Error('interleavings need a server: the embedded database has one connection');
  const watcher = new pg.Pool({ connectionString: url, max: 1 });
  watcher.on('error', () => undefined);
  // A deadlock is told of, and need not be waited for.
  const { rows } = await watcher.query('select quote_ident(current_database()) as name');
  await watcher.query(`alter database ${rows[0].name} set deadlock_timeout = '100ms'`);
  const actors: Actor[] = [];
  for (let i = 0; i < actorCount; i++) actors.push(await openActor(url));
  const references = await readReferences(database);
  return {
    examine: (meeting, options) => examine({ actors, watcher, references }, meeting, options),
    async close() {
      for (const actor of actors) await actor.close();
      await watcher.end();
    },
  };
}

async function examine(
  of: { actors: readonly Actor[]; watcher: pg.Pool; references: References },
  { user, operations, allowed }: Meeting,
  { reach = 'reduced', most = MOST }: { reach?: Reach; most?: number } = {},
): Promise<Examination> {
  const actors = of.actors.slice(0, operations.length);
  const began = performance.now();
  const kept = await keepRows(of.watcher, user);
  let written = new Set<string>(kept.tables);
  const findings: Finding[] = [];
  const outcomes = new Map<string, number>();
  const ends = new Map<string, string>();
  const lead = async (choose: Parameters<typeof leadOrder>[2]) => {
    await kept.restore(written);
    const order = await leadOrder({ ...of, actors }, operations, choose);
    written = new Set(order.steps.flatMap(({ footprint }) => [...footprint.exclusive]));
    return order;
  };
  const look = async (order: Order): Promise<string> => {
    const rows = await kept.read();
    const together = order.outcomes.join(' + ');
    const end = `${together} ${digestOf(describeRows(rows))}`;
    const found = findUnsound(kept.before, rows);
    if (order.deadlock) found.push({ invariant: 'no deadlock', detail: order.deadlock.join(' | ') });
    if (!allowed.some((one) => one.join(' + ') === together)) {
      found.push({ invariant: 'outcomes that may come together', detail: together });
    }
    findings.push(...found.map((violation) => ({ ...violation, order: nameOrder(order) })));
    return end;
  };
  const count = (order: Order) => {
    const together = order.outcomes.join(' + ');
    outcomes.set(together, (outcomes.get(together) ?? 0) + 1);
  };
  const serial = new Set<string>();
  const lengths = actors.map(() => 1);
  for (const first of permutations(actors.map((_, i) => i))) {
    const order = await lead(({ next }) => first.find((actor) => next.has(actor)) ?? null);
    for (const { actor } of order.steps) lengths[actor]! += 1;
    count(order);
    serial.add(await look(order));
  }
  const seen = await explore(
    lead,
    async (order) => {
      count(order);
      ends.set(await look(order), nameOrder(order));
    },
    { reach: typeof reach === 'object' ? { ...reach, lengths } : reach, most },
  );
  await kept.restore(kept.tables);
  const unserial = new Map([...ends].filter(([end]) => !serial.has(end)));
  return { ...seen, outcomes, ends: new Set(ends.keys()), unserial, findings, ms: performance.now() - began };
}

/** As in `0 0 1 0w 1`: w for a statement that had to wait. */
const nameOrder = ({ steps }: Order): string =>
  steps.map(({ actor, blocked }) => `${actor}${blocked ? 'w' : ''}`).join(' ');

function permutations(of: readonly number[]): number[][] {
  if (of.length < 2) return [[...of]];
  return of.flatMap((first) =>
    permutations(of.filter((one) => one !== first)).map((rest) => [first, ...rest]),
  );
}
