import {
  acquireLease,
  type CommitGuards,
  type CommitOptions,
  createMemoryStore,
  type Database,
  type FailpointName,
  type FusionScope,
} from '@slowwave/db';
import type { Candidate, StatementsResult } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { commitStatement } from '../fixtures/commit-statement.ts';
import { membersOf } from '../fixtures/fused.ts';
import { clusterOf, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { isWaiting } from '../fixtures/overlap.ts';
import { until } from '../fixtures/wait.ts';
import { gate } from '../queue/harness.ts';

/** No guard of a commit at all. */
export const ALL_OFF: CommitGuards = {
  ledger: false,
  lease: false,
  sources: false,
  contentKey: false,
  rowCount: false,
  expiry: false,
  sourceSet: false,
};

/** One guard, and none of the others. */
export const only = (...guards: (keyof CommitGuards)[]): CommitGuards => ({
  ...ALL_OFF,
  ...Object.fromEntries(guards.map((guard) => [guard, true])),
});

export const TENANT = 't';
export const HOUR_MS = 3_600_000;

/** A worker about to commit: it holds its user, has planned, claimed, and stored an answer that was paid for. */
export interface Planned {
  scope: FusionScope;
  key: string;
  members: Candidate[];
  commit(options?: CommitOptions): Promise<StatementsResult>;
}

/** A user with memories in the dormant window, held by `w1` under fence 1. */
export async function newHeldUser(database: Database, user: string, count = 3): Promise<FusionScope> {
  const memories = Array.from({ length: count }, (_, i) =>
    newMemory(user, `m${i}`, `Ana keeps bicycle number ${i} in the shed`),
  );
  await seedUser(database, { tenant: TENANT, user, memories });
  return scopeOf(TENANT, user);
}

export const ANSWER = {
  text: '{"statements":[]}',
  stopReason: 'end_turn',
  inputTokens: 10,
  outputTokens: 5,
  model: 'test-model',
};

/** Plans with the memories at these places. @returns null when nothing could be planned or claimed */
export async function plan(
  database: Database,
  scope: FusionScope,
  places: readonly number[] = [0, 1, 2],
): Promise<Planned | null> {
  const found = await membersOf(database, scope);
  const members = places.flatMap((place) => found[place] ?? []);
  if (members.length < places.length) return null;
  const store = createMemoryStore(database, scope);
  const claim = await store.claimFusion(clusterOf(members));
  if (claim.status !== 'claimed') return null;
  if (!claim.answer) await store.storeAnswer(claim.key, claim.attempt, ANSWER);
  return {
    scope,
    key: claim.key,
    members,
    commit: (options) => commitStatement(database, scope, { key: claim.key, members }, options),
  };
}

/** As plan, where there must be something to plan. */
export async function mustPlan(...given: Parameters<typeof plan>): Promise<Planned> {
  const planned = await plan(...given);
  if (!planned) throw new Error('nothing could be planned');
  return planned;
}

/** Lets a hold run out, without a word from its holder. */
export async function expireLease(database: Database, user: string): Promise<void> {
  await database.withTenant(TENANT, (tx) =>
    tx.rows(sql`
      update slowwave.leases set expires_at = clock_timestamp() - interval '1 second' where user_id = ${user}`),
  );
}

/** Somebody else takes the user, whose hold has run out. */
export async function takeOver(database: Database, user: string, holder = 'w2'): Promise<FusionScope> {
  const taken = await acquireLease(database, { tenant: TENANT, user, holder, ttlMs: HOUR_MS });
  if (taken.status !== 'held') throw new Error(`not taken over: ${taken.status}`);
  return scopeOf(TENANT, user, { lease: { holder, fence: taken.fence } });
}

/** Stops whoever comes by a failpoint, until told to go on. */
export function pauseAt(point: FailpointName) {
  const reached = gate();
  const go = gate();
  return {
    reached: reached.opened,
    resume: go.open,
    async failpoints(name: FailpointName): Promise<void> {
      if (name !== point) return;
      reached.open();
      await go.opened;
    },
  };
}

/** How two workers ended that were both about to commit; null: there was nothing left to plan. */
export interface Ends {
  first: StatementsResult['status'];
  second: StatementsResult['status'] | null;
}

/**
 * A stands before its commit and does not move any more; its hold runs out; B takes the user, plans the same and runs to its end; then A
 * goes on as if nothing had been.
 */
export async function overtake(database: Database, user: string, guards: CommitGuards): Promise<Ends> {
  const paused = pauseAt('before-transaction');
  const a = await mustPlan(database, await newHeldUser(database, user));
  const first = a.commit({ guards, failpoints: paused.failpoints });
  await paused.reached;
  await expireLease(database, user);
  const b = await mustPlan(database, await takeOver(database, user));
  const second = await b.commit({ guards });
  paused.resume();
  return { first: (await first).status, second: second.status };
}

/**
 * A stops inside its transaction; B does its part until it ends or waits for a lock of A; then A goes on. For a server.
 * @param second what B does
 */
export async function meet<T>(
  database: Database,
  a: Planned,
  point: FailpointName,
  { guards, second }: { guards: CommitGuards; second: () => Promise<T> },
): Promise<{ first: StatementsResult; second: T; waited: boolean }> {
  const paused = pauseAt(point);
  const first = a.commit({ guards, failpoints: paused.failpoints });
  await paused.reached;
  let ended = false;
  const other = second().finally(() => {
    ended = true;
  });
  other.catch(() => undefined);
  let waited = false;
  await until('the second to end or to wait', async () => {
    waited ||= !ended && (await isWaiting(database));
    return ended || waited;
  });
  paused.resume();
  return { first: await first, second: await other, waited };
}

/** What became of a user's memories. */
export interface Outcome {
  derived: number;
  superseded: number;
  /** Derived memories with which a superseded memory is linked, the most of any: one, when each was used once. */
  usedBy: number;
  sets: number;
  /** Of the ledger, in alphabetical order. */
  statuses: string[];
}

export async function outcomeFor(database: Database, user: string): Promise<Outcome> {
  const [row] = await database.withTenant(TENANT, (tx) =>
    tx.rows<Outcome>(sql`
      select (select count(*)::int from slowwave.memories where user_id = ${user} and memory_type = 'derived') as derived,
        (select count(*)::int from slowwave.memories where user_id = ${user} and memory_type = 'superseded') as superseded,
        (select coalesce(max(n), 0)::int from (
          select count(*) as n from slowwave.relations where user_id = ${user} and relation_type = 'DERIVES' group by target_id
        ) as used) as "usedBy",
        (select count(*)::int from slowwave.change_sets where user_id = ${user}) as sets,
        (select coalesce(jsonb_agg(status order by status), '[]') from slowwave.fusions where user_id = ${user}) as statuses`),
  );
  return row!;
}

/** One fusion of three memories and the one statement that answers it, as if no other worker had ever been in its way. */
export const KEPT: Outcome = {
  derived: 1,
  superseded: 3,
  usedBy: 1,
  sets: 1,
  statuses: ['applied', 'closed'],
};
/** The same three memories fused twice: the promise broken. */
export const BROKEN: Outcome = {
  ...KEPT,
  derived: 2,
  usedBy: 2,
  sets: 2,
  statuses: ['applied', 'applied', 'closed'],
};
