import { ensureUsers } from '@slowwave/db';
import { createOfflineEmbedder } from '@slowwave/models';
import { createLogger, createWorker, DEFAULT_LIMITS } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { type BackendFixture, openOnPostgres, openOnRedis } from '../../test/fixtures/backends.ts';
import { until } from '../../test/fixtures/wait.ts';
import { medianOf } from '../compare.ts';
import { durationText, numberText } from '../figures.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { fadedMemories, seedPerson } from '../stage/people.ts';
import { startRunner } from '../stage/runs.ts';

const TENANT = 'shares';
const CONCURRENCY = 4;
const LIMIT_MS = 2 * 60_000;
/** With the goal of each: of the CPU of a user's job, in %. */
const QUEUES = [
  { queue: 'Redis', most: 10, open: () => openOnRedis() },
  { queue: 'PostgreSQL', most: 20, open: openOnPostgres },
] as const;
type Queue = (typeof QUEUES)[number];
const MEASURED = ['light', 'deep'] as const;
type Measured = (typeof MEASURED)[number];

/** CPU that this process used meanwhile, ms. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const wakeUps = (users: readonly string[], tier: Measured) =>
  users.map((user) => ({ v: 1 as const, tenant: TENANT, user, tier, why: 'schedule' as const }));

/** Jobs whose handler does nothing: what queue, library and our processor take of a worker. @returns CPU a job, ms */
async function cpuOfNothing({ queues }: BackendFixture, users: readonly string[]): Promise<number> {
  let done = 0;
  await queues.pause('light');
  await queues.addBulk(wakeUps(users, 'light'));
  const worker = queues.createWorker(
    'light',
    async (_job, context) => {
      done += 1;
      return context.completed();
    },
    { concurrency: CONCURRENCY },
  );
  await worker.ready();
  const spent = await cpuOf(async () => {
    await queues.resume('light');
    await until('every job to be done', () => done === users.length, LIMIT_MS);
  });
  await worker.drain(5_000);
  return spent / users.length;
}

/** Jobs of a tier that have nothing new to find, on users who were here before. @returns CPU a job, ms */
async function cpuOfJobs(backend: BackendFixture, users: readonly string[], tier: Measured): Promise<number> {
  const { database, queues } = backend;
  let done = 0;
  await database.withTenant(TENANT, (tx) =>
    tx.rows(
      sql`update slowwave.user_tiers set due_at = now() - interval '1 minute', next_attempt_at = now() - interval '1 minute' where tier = ${tier}`,
    ),
  );
  await queues.pause(tier);
  await queues.addBulk(wakeUps(users, tier));
  const worker = await createWorker(
    {
      database,
      queues,
      provider: null,
      embedder: createOfflineEmbedder(),
      logger: createLogger('silent'),
      now: Date.now,
      nowMs: () => performance.now(),
      limits: DEFAULT_LIMITS,
      onEvent(event) {
        if (event.type === 'run_ended' && event.outcome === 'completed') done += 1;
      },
    },
    { concurrency: CONCURRENCY },
  );
  await worker.ready();
  const spent = await cpuOf(async () => {
    await queues.resume(tier);
    await until('every run to be over', () => done === users.length, LIMIT_MS);
  });
  await worker.close(5_000);
  return spent / users.length;
}

async function seed(backend: BackendFixture, users: readonly string[], memories: number): Promise<void> {
  const at = Date.now();
  const runner = await startRunner(backend, {
    provider: null,
    embedder: createOfflineEmbedder(),
    now: Date.now,
  });
  for (const user of users) {
    await seedPerson(backend.database, {
      tenant: TENANT,
      user,
      at,
      ...fadedMemories(user, { memories, clusters: 3, at }),
    });
    await runner.run({ tenant: TENANT, user, tier: 'light' });
  }
  await runner.close();
}

async function measure(
  bench: BenchContext,
  { queue, most }: Queue,
  backend: BackendFixture,
): Promise<RowResult[]> {
  const memories = bench.quick ? 50 : 200;
  const users = Array.from({ length: bench.quick ? 10 : 50 }, (_, i) => `user-${i}`);
  const nobody = Array.from({ length: bench.quick ? 500 : 5_000 }, (_, i) => `nobody-${i}`);
  await backend.database.withTenant(TENANT, (tx) =>
    ensureUsers(
      tx,
      users.map((user) => ({ tenant: TENANT, user })),
      Date.now(),
    ),
  );
  await seed(backend, users, memories);
  const spent: Record<'nothing' | Measured, number[]> = { nothing: [], light: [], deep: [] };
  // The first round compiles and opens connections.
  for (let round = 0; round <= bench.rounds; round += 1) {
    const one = { nothing: await cpuOfNothing(backend, nobody), light: 0, deep: 0 };
    for (const tier of MEASURED) one[tier] = await cpuOfJobs(backend, users, tier);
    if (round === 0) continue;
    for (const kind of ['nothing', ...MEASURED] as const) spent[kind].push(one[kind]);
  }
  return MEASURED.map((tier): RowResult => {
    const shares = spent.nothing.map((ms, round) => (100 * ms) / spent[tier][round]!);
    const share = medianOf(shares);
    const [from, to] = [Math.min(...shares), Math.max(...shares)];
    return {
      name: `${tier} job, ${memories} memories, queue in ${queue}`,
      baseline: `no-op ${durationText(medianOf(spent.nothing))} of CPU`,
      ours: `${durationText(medianOf(spent[tier]))}: ${numberText(share)} %`,
      met: share <= most,
      note: `${numberText(from)} to ${numberText(to)} % in ${bench.rounds} rounds, at most ${most} %; nothing new to find and no model`,
    };
  });
}

export const row: Row = {
  id: 'P8',
  measure: "queue and framework share of a worker's CPU per job",
  against: 'a no-op job',
  goal: { kind: 'most', value: 10, unit: '% on Redis, 20 % on PostgreSQL' },
  async run(bench) {
    const results: RowResult[] = [];
    for (const one of QUEUES) {
      bench.say(`queue: ${one.queue}`);
      const backend = await one.open();
      try {
        results.push(...(await measure(bench, one, backend)));
      } finally {
        await backend.drop();
      }
    }
    return results;
  },
};
