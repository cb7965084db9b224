import { setTimeout as sleep } from 'node:timers/promises';
import { LEAST_PER_MINUTE, RETRY_TOKENS, RETRY_TOKENS_KEPT } from '@slowwave/db';
import { ModelError } from '@slowwave/fusion';
import { createAnthropicProvider } from '@slowwave/models';
import { type FusionJob, type JobResult, jobContext } from '@slowwave/queue';
import { createRegistry } from '@slowwave/telemetry';
import {
  createFusionJob,
  createLogger,
  createPacing,
  createWorker,
  createWorkerMetrics,
  DEFAULT_LIMITS,
  type Pacing,
  rateBooks,
} from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BilledModel, createBilledModel } from '../fakes/billed-model.ts';
import { fuse } from '../fakes/fuse.ts';
import { startMessagesServer } from '../fakes/messages-server.ts';
import type { FakeServer } from '../fakes/scripted-server.ts';
import { BACKENDS, type BackendFixture } from '../fixtures/backends.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { facts, NOW, newMemory, seedChains } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { embedder, runTier, seedPerson } from '../fixtures/tier-runs.ts';
import { until } from '../fixtures/wait.ts';
import { consolidate } from '../fixtures/workers.ts';
import { gate } from '../queue/harness.ts';

const tenant = 't';
const paceOver = (database: Parameters<typeof rateBooks>[0]): Pacing =>
  createPacing({
    books: rateBooks(database),
    nowMs: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
  });

describe.each(DATABASES)('fusions that wait for a model (%s)', (_name, open) => {
  const { database, rows, nextUser } = ownDatabase(open, tenant);

  /** What the rate of the model says, as if it had come to it. */
  const rate = (columns: ReturnType<typeof sql>) =>
    database.asOwner(async (tx) => {
      await tx.rows(sql`truncate slowwave.model_rates`);
      await tx.rows(sql`
        insert into slowwave.model_rates (provider, model, retry_tokens, counted_at)
        select ${names.provider}, ${names.model}, ${RETRY_TOKENS}, clock_timestamp()`);
      await tx.rows(sql`update slowwave.model_rates set ${columns}`);
    });
  const { name: provider, model: of } = createBilledModel().provider;
  const names = { provider, model: of ?? provider };

  /** A fusion that failed in its run, and waits in the queue. */
  async function failedFusion(model: BilledModel): Promise<FusionJob> {
    const user = nextUser();
    const places = ['by the canal', 'near the old bridge', 'behind the station'];
    const chain = places.map((place, i) => newMemory(user, `m${i}`, `Ana has a garden. It lies ${place}.`));
    await seedPerson(database, { tenant, user, chains: [chain] });
    model.intercept = () => {
      throw new ModelError('server_error', { retryable: true, status: 500 });
    };
    const { fusions } = await runTier(
      database,
      { tenant, user, tier: 'deep', at: NOW },
      { provider: model.provider },
    );
    model.intercept = null;
    expect(fusions).toHaveLength(1);
    return fusions[0]!;
  }

  function turn(
    data: FusionJob,
    model: Pick<BilledModel, 'provider'>,
    attempt = 1,
    pacing = paceOver(database),
  ): Promise<JobResult> {
    const job = createFusionJob(
      {
        database,
        queues: { addFusion: async () => 'added', rateLimit: async () => {} },
        provider: pacing.pace(model.provider),
        embedder,
        logger: createLogger('silent'),
        now: () => NOW + 1_000,
        nowMs: () => performance.now(),
        limits: DEFAULT_LIMITS,
        pacing,
      },
      'test',
    );
    const view = { id: '1', queue: 'fusions' as const, attempt, attempts: 6, lastAttempt: attempt === 6 };
    return job({ ...view, data, starts: attempt, postponed: 0, addedAt: NOW }, jobContext());
  }
  const statusOf = async ({ key }: FusionJob) => {
    const [row] = await rows<{ status: string }>(sql`select status from slowwave.fusions where key = ${key}`);
    return row!.status;
  };

  it('are put off without a call and without an attempt while the endpoint fails for everybody', async () => {
    const model = createBilledModel();
    const fusion = await failedFusion(model);
    await rate(sql`retry_tokens = ${RETRY_TOKENS_KEPT}`);
    const calls = model.billed.calls;
    expect(await turn(fusion, model, 6)).toMatchObject({ outcome: 'postponed' });
    expect([model.billed.calls, await statusOf(fusion)]).toEqual([calls, 'planned']);
    await rate(sql`retry_tokens = ${RETRY_TOKENS}`);
    expect(await turn(fusion, model)).toMatchObject({ summary: { outcome: 'committed' } });
  });

  it('use no attempt when they ask how the endpoint is and it still fails, and one when it fails for them alone', async () => {
    const model = createBilledModel();
    const fusion = await failedFusion(model);
    model.intercept = () => {
      throw new ModelError('server_error', { retryable: true, status: 500 });
    };
    await rate(sql`retry_tokens = ${RETRY_TOKENS_KEPT + 1}`);
    // Not even the last one.
    expect(await turn(fusion, model, 6)).toMatchObject({ outcome: 'postponed' });
    expect(await statusOf(fusion)).toBe('planned');
    await rate(sql`retry_tokens = ${RETRY_TOKENS}`);
    await expect(turn(fusion, model, 5)).rejects.toMatchObject({
      code: 'provider_error_server_error',
      retryable: true,
    });
    await expect(turn(fusion, model, 6)).rejects.toMatchObject({ retryable: false });
    expect(await statusOf(fusion)).toBe('failed');
  });

  it('createFusionJob: an endpoint that is off for longer than all attempts, puts the fusion off each time and commits it once it is back', async () => {
    const fusion = await failedFusion(createBilledModel());
    await rate(sql`retry_tokens = ${RETRY_TOKENS}`);
    const server = await startMessagesServer({ kind: 'error', status: 503 });
    try {
      const at = { apiKey: 'k', model: 'm', timeoutMs: 60_000 };
      const off = { provider: createAnthropicProvider({ ...at, baseUrl: 'http://127.0.0.1:9' }) };
      const failing = { provider: createAnthropicProvider({ ...at, baseUrl: server.url }) };
      const pacing = paceOver(database);
      await expect(turn(fusion, off, 1, pacing)).rejects.toMatchObject({ retryable: true });
      for (const model of [off, off, off, failing, failing, failing, off])
        expect(await turn(fusion, model, 6, pacing)).toMatchObject({ outcome: 'postponed' });
      expect(await statusOf(fusion)).toBe('planned');
      server.use(fuse());
      expect(await turn(fusion, failing, 6, pacing)).toMatchObject({ summary: { outcome: 'committed' } });
    } finally {
      await server.stop();
    }
  });

  it('let the queue rest while the rate is used up, without taking the user', async () => {
    const model = createBilledModel();
    const fusion = await failedFusion(model);
    await rate(sql`per_minute = 60, lowered_at = now(), not_before = now() + interval '1 hour'`);
    const calls = model.billed.calls;
    const result = await turn(fusion, model);
    if (result.outcome !== 'rate_limited') throw new Error(result.outcome);
    expect(Math.round(result.delayMs / 3_600_000)).toBe(1);
    expect([model.billed.calls, await statusOf(fusion)]).toEqual([calls, 'planned']);
  });
});

describe.each(BACKENDS)('a worker that paces its calls (%s)', (_name, open) => {
  let backend: BackendFixture;
  let server: FakeServer;
  /** The model refuses the first call, and answers no other one before. */
  const seen = gate();
  beforeAll(async () => {
    backend = await open();
    const answer = fuse();
    server = await startMessagesServer(async (call) => {
      if (call.index === 0) return { kind: 'error', status: 429, retryAfter: '1' };
      await seen.opened;
      return answer(call);
    });
  });
  afterAll(async () => {
    await server?.stop();
    await backend?.drop();
  });

  it('waits when the endpoint asks for it, says how fast it may ask, stays ready, and goes on', async () => {
    const user = 'ana';
    const texts = ['by the river', 'in an old mill', 'with two friends'].map(
      (place) => `Ana plays the oboe on Sundays. She does so ${place}.`,
    );
    await seedChains(backend.database, { tenant, user, chains: [facts(user, texts)] });
    const registry = createRegistry({ process: false });
    const metrics = createWorkerMetrics(registry, { prices: {} });
    const { database, queues } = backend;
    const worker = await createWorker(
      {
        database,
        queues,
        provider: createAnthropicProvider({
          apiKey: 'test-key',
          model: 'fake',
          baseUrl: server.url,
          timeoutMs: 60_000,
        }),
        embedder,
        logger: createLogger('silent'),
        now: Date.now,
        nowMs: () => performance.now(),
        limits: DEFAULT_LIMITS,
        pacing: paceOver(database),
      },
      { concurrency: 2, metrics },
    );
    try {
      await worker.ready();
      const run = await consolidate(backend, { tenant, user, tier: 'deep' });
      expect(run.status).toBe('completed');
      const health = await worker.health();
      expect(health).toMatchObject({
        ok: true,
        rates: [{ provider: 'anthropic', model: 'fake', perMinute: LEAST_PER_MINUTE }],
      });
      expect(await registry.metrics()).toContain(
        `slowwave_model_calls_per_minute_allowed{provider="anthropic",model="fake"} ${LEAST_PER_MINUTE}`,
      );
      seen.open();
      await until(
        'the fusion',
        async () => {
          const found = await database.withTenant(tenant, (tx) =>
            tx.rows(sql`select 1 from slowwave.memories where user_id = ${user} and memory_type = 'derived'`),
          );
          return found.length === 1;
        },
        300_000,
      );
      expect(await queues.failed('fusions')).toEqual([]);
      // The pause was kept: nobody asked again and again.
      expect(server.calls.length).toBeLessThanOrEqual(3);
    } finally {
      await worker.close(3_000);
    }
  });
});
