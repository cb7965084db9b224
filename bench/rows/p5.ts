import { strict as assert } from 'node:assert';
import { type Database, ensureUsers, USERS_PER_CALL_MAX } from '@slowwave/db';
import { fillTier } from '@slowwave/producer';
import { createLogger } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import type { BackendFixture } from '../../test/fixtures/backends.ts';
import { until } from '../../test/fixtures/wait.ts';
import { medianOf } from '../compare.ts';
import { durationText } from '../figures.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { onRedis } from '../stage/on-redis.ts';
import { isFrame, recordStatements } from '../stage/statements.ts';

const TENANT = 'idle';
const REQUEUE_AFTER_MS = 10 * 60_000;
const CONCURRENCY = 8;
const DRAIN_LIMIT_MS = 10 * 60_000;

/** Users who have had every tier, and nothing due for a day. */
async function seed(database: Database, users: readonly string[]): Promise<void> {
  for (let from = 0; from < users.length; from += USERS_PER_CALL_MAX) {
    const page = users.slice(from, from + USERS_PER_CALL_MAX).map((user) => ({ tenant: TENANT, user }));
    await database.withTenant(TENANT, (tx) => ensureUsers(tx, page, Date.now()));
  }
  await database.withTenant(TENANT, (tx) =>
    tx.rows(sql`update slowwave.user_tiers set due_at = now() + interval '1 day', last_success_at = now()`),
  );
  await database.pool!.query('vacuum (analyze) slowwave.user_tiers');
}

/** A job for each user, which looks whether anything is due. @returns how many were due */
async function oneJobEach({ database, queues }: BackendFixture, users: readonly string[]): Promise<number> {
  let [looked, due] = [0, 0];
  await queues.addBulk(users.map((user) => ({ v: 1, tenant: TENANT, user, tier: 'light', why: 'schedule' })));
  const worker = queues.createWorker(
    'light',
    async ({ data: { tenant, user, tier } }, context) => {
      const rows = await database.withTenant(tenant, (tx) =>
        tx.rows(sql`
          select 1 from slowwave.user_tiers
          where tenant = ${tenant} and user_id = ${user} and tier = ${tier} and due_at <= now()`),
      );
      due += rows.length;
      looked += 1;
      return context.completed();
    },
    { concurrency: CONCURRENCY },
  );
  await until('every job to be done', () => looked === users.length, DRAIN_LIMIT_MS);
  await worker.drain(10_000);
  return due;
}

async function jobsIn({ queues }: BackendFixture): Promise<number> {
  const counts = await Promise.all(
    (['light', 'deep', 'sleep', 'adhoc', 'fusions'] as const).map((name) => queues.counts(name)),
  );
  return counts.reduce((sum, { waiting, delayed, active }) => sum + waiting + delayed + active, 0);
}

async function measure(bench: BenchContext, backend: BackendFixture): Promise<RowResult[]> {
  const { database, queues } = backend;
  const users = Array.from({ length: bench.quick ? 1_000 : 10_000 }, (_, i) => `user-${i}`);
  await seed(database, users);
  const deps = { database, queues, logger: createLogger('silent'), now: Date.now, queueCap: users.length };
  const tick = () => fillTier(deps, { tier: 'light', requeueAfterMs: REQUEUE_AFTER_MS });
  const recording = recordStatements(database.pool!);
  await tick();
  const oursSent = recording.take();
  const jobs = await jobsIn(backend);
  await oneJobEach(backend, users);
  const baselineSent = recording.take();
  recording.stop();
  const compared = await bench.compare('light tick', {
    baseline: () => oneJobEach(backend, users),
    async ours() {
      const { enqueued, requested, upkeep } = await tick();
      assert.deepEqual(upkeep, { leftHolds: false, expiredRepeats: false });
      return enqueued + requested;
    },
    equal: (baseline, ours) => assert.deepEqual([baseline, ours], [0, 0]),
  });
  const queries = oursSent.filter((statement) => !isFrame(statement)).length;
  const baselineQueries = baselineSent.filter((statement) => !isFrame(statement)).length;
  const took = (ms: readonly number[]) => durationText(medianOf(ms));
  return [
    {
      name: `queries of a light tick, ${users.length} users, nothing due`,
      baseline: `${baselineQueries} in ${took(compared.baselineMs)}`,
      ours: `${queries} in ${took(compared.oursMs)}`,
      ratio: compared.ratio,
      met: queries <= 1,
      note: `begin, role and commit, ${oursSent.length - queries} round trips here, are not counted on either side; the queue is asked for its size in Redis`,
    },
    { name: 'jobs', baseline: String(users.length), ours: String(jobs), met: jobs === 0 },
    {
      name: 'model calls',
      baseline: null,
      ours: '0',
      met: true,
      note: 'the process that ticks is given no model',
    },
  ];
}

export const row: Row = {
  id: 'P5',
  measure: 'light tick, 10,000 users, nothing due',
  against: 'one job a user',
  goal: { kind: 'most', value: 1, unit: 'query, 0 jobs, 0 model calls' },
  run: onRedis(measure),
};
