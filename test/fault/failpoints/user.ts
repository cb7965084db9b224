import { type NewMemory, setMode } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import type { BackendFixture } from '../../fixtures/backends.ts';
import { setDue } from '../../fixtures/dues.ts';
import { DAY, newMemory, seedChains } from '../../fixtures/memories.ts';
import { until } from '../../fixtures/wait.ts';

export const USER = 'ana';
/** A word of the memories that must stay out of everything else. */
export const CANARY = 'ocarina-canary-newt';
export const CLUSTERS = 2;
/** Of one cluster: its statement, and two votes on it. */
export const CALLS = 3;
const SOURCES = 6;

const old = (name: string, texts: readonly string[]): NewMemory[] =>
  texts.map((text, i) => newMemory(USER, `${name}-${i}`, text, { documentDate: Date.now() - 90 * DAY }));
const MUSIC = ['by the river', 'in an old mill', 'with two friends'].map(
  (place) => `Ana plays the ${CANARY} ${place} on Sundays.`,
);
const BAKERY = ['sells rye bread', 'opens before seven', 'has a blue door'].map(
  (fact) => `Their corner bakery in Cork ${fact}.`,
);
/** The same in the same words: one stands for both. */
const TWINS = ['Ana is allergic to peanuts.', 'ana is allergic to peanuts'];

type Parts = Pick<BackendFixture, 'database' | 'queues'>;

/** Two clusters and a pair of duplicates, deep due since a minute and nothing else. */
export async function seedDue(
  { database }: Parts,
  { tenant, mode }: { tenant: string; mode: 'auto' | 'review' },
): Promise<void> {
  const twins = old('twin', TWINS).map((memory) => [memory]);
  const chains = [old('music', MUSIC), old('bakery', BAKERY), ...twins];
  await seedChains(database, { tenant, user: USER, chains });
  if (mode === 'review')
    await database.withTenant(tenant, (tx) => setMode(tx, { tenant, user: USER, mode, at: Date.now() }));
  await setDue(database, { tenant, at: null });
  await setDue(database, { tenant, tier: 'deep', at: Date.now() - 60_000 });
}

/**
 * Every job has ended, and nobody holds the user.
 * @param options.over `completed`: and a run is completed; `any`: however the runs ended
 */
export async function untilQuiet(
  { database, queues }: Parts,
  tenant: string,
  limitMs: number,
  { over = 'completed' }: { over?: 'completed' | 'any' } = {},
): Promise<void> {
  await until(
    'runs that are over, empty queues and a user whom nobody holds',
    async () => {
      const [row] = await database.withTenant(tenant, (tx) =>
        tx.rows<{ quiet: boolean }>(sql`
          select (${over === 'any'} or exists (
              select 1 from slowwave.runs where tenant = ${tenant} and status = 'completed'))
            and (${over === 'any'} or not exists (
              select 1 from slowwave.runs where tenant = ${tenant} and status in ('requested', 'running')))
            and not exists (
              select 1 from slowwave.leases where tenant = ${tenant} and expires_at > clock_timestamp()) as quiet`),
      );
      if (!row?.quiet) return false;
      const counts = await Promise.all(
        (['deep', 'adhoc', 'fusions'] as const).map((name) =>
          queues.queues[name].getJobCounts('active', 'waiting', 'prioritized', 'delayed'),
        ),
      );
      return counts.every((count) => Object.values(count).every((jobs) => jobs === 0));
    },
    limitMs,
  );
}

/** Everything that a pass may write, counted. */
export async function standingOf({ database, queues }: Parts, tenant: string) {
  const [row] = await database.withTenant(tenant, (tx) =>
    tx.rows<Record<string, number>>(sql`
      select (select count(*)::int from slowwave.memories where tenant = ${tenant}) as memories,
        (select sum(version)::int from slowwave.memories where tenant = ${tenant}) as versions,
        (select count(*)::int from slowwave.memories where tenant = ${tenant} and memory_type = 'derived') as derived,
        (select count(*)::int from slowwave.memories m where tenant = ${tenant} and memory_type = 'superseded'
          and exists (select 1 from slowwave.memories by where by.tenant = m.tenant and by.user_id = m.user_id
            and by.id = m.superseded_by and by.is_latest)) as superseded,
        (select count(*)::int from slowwave.memories where tenant = ${tenant} and not is_latest) as "notLatest",
        (select sum(confirmations)::int from slowwave.memories where tenant = ${tenant}) as confirmations,
        (select count(*)::int from slowwave.relations where tenant = ${tenant} and relation_type = 'DERIVES') as lineage,
        (select count(*)::int from slowwave.change_sets where tenant = ${tenant} and kind in ('fusion', 'merge')) as "changeSets",
        (select count(*)::int from slowwave.changes where tenant = ${tenant}) as changes,
        (select count(*)::int from slowwave.fusions where tenant = ${tenant}) as fusions,
        (select count(*)::int from slowwave.fusions where tenant = ${tenant} and status = 'applied') as applied,
        (select count(*)::int from slowwave.fusions where tenant = ${tenant} and status = 'review') as proposed,
        (select count(*)::int from slowwave.fusion_sources where tenant = ${tenant} and live) as claimed`),
  );
  return { ...row!, failedJobs: (await queues.queues.fusions.getJobCounts('failed')).failed };
}

/** What stands when everything was done once: two derived memories, a merge, and nothing half-way. */
const ONCE = {
  memories: SOURCES + TWINS.length + CLUSTERS,
  derived: CLUSTERS,
  superseded: SOURCES + 1,
  notLatest: SOURCES + 1,
  confirmations: 1,
  lineage: SOURCES,
  changeSets: CLUSTERS + 1,
  // What was asked, its statement, and the merge.
  fusions: 2 * CLUSTERS + 1,
  applied: CLUSTERS + 1,
  proposed: 0,
  claimed: 0,
  failedJobs: 0,
};
/** What stands when everything was proposed once: sources as they were, and claimed. */
const PROPOSED = {
  ...ONCE,
  memories: SOURCES + TWINS.length,
  derived: 0,
  superseded: 0,
  notLatest: 0,
  confirmations: 0,
  lineage: 0,
  changeSets: 0,
  applied: 0,
  proposed: CLUSTERS + 1,
  claimed: SOURCES + TWINS.length,
};

/** @param options.runs `one`: and one run came to its end, the others were taken over */
export async function expectOnce(
  parts: Parts,
  tenant: string,
  mode: 'auto' | 'review',
  { runs: expected = 'one' }: { runs?: 'one' | 'any' } = {},
): Promise<void> {
  expect(await standingOf(parts, tenant)).toMatchObject(mode === 'auto' ? ONCE : PROPOSED);
  if (expected === 'any') return;
  const runs = await parts.database.withTenant(tenant, (tx) =>
    tx.rows<{ status: string }>(
      sql`select status from slowwave.runs where tenant = ${tenant} and tier = 'deep'`,
    ),
  );
  expect(runs.filter(({ status }) => status === 'completed')).toHaveLength(1);
  expect(runs.every(({ status }) => status === 'completed' || status === 'abandoned')).toBe(true);
}
