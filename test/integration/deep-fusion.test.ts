import type { NewMemory } from '@slowwave/db';
import type { LLMProvider } from '@slowwave/fusion';
import { createAnthropicProvider } from '@slowwave/models';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fuse } from '../fakes/fuse.ts';
import { createJoiningProvider } from '../fakes/joining-provider.ts';
import { startMessagesServer } from '../fakes/messages-server.ts';
import { BACKENDS, type BackendFixture } from '../fixtures/backends.ts';
import { DAY, facts, newMemory, seedChains } from '../fixtures/memories.ts';
import { until } from '../fixtures/wait.ts';
import { consolidate, startWorker, type WorkerFixture } from '../fixtures/workers.ts';
import { dumpSchema } from '../queue/schema-dump.ts';

const CANARY = 'xylophone-canary-otter';
const TENANT = 't';

const DUBLIN = [
  `Ana is often in Dublin. She lives near the canal with a ${CANARY}.`,
  'Ana is often in Dublin. She works at a company that makes maps.',
  'Ana is often in Dublin. She rents an office near Trinity College.',
  'Ana is often in Dublin. She cycles to work every day.',
];

describe.each(BACKENDS)('fusion in the deep tier (%s)', (_name, open) => {
  let backend: BackendFixture;
  let running: WorkerFixture | null = null;
  let serial = 0;
  const logs: string[] = [];
  /** Every job as the queue keeps it, at the moment when most is kept. */
  const kept: string[] = [];

  beforeAll(async () => {
    backend = await open();
  });
  afterEach(async () => {
    if (running) logs.push(...running.log);
    await running?.close();
    running = null;
  });
  afterAll(() => backend?.drop());

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    backend.database.withTenant(TENANT, (tx) => tx.rows<Row>(query));

  /** A user whose memories form one chain of relations. */
  async function seed(memories: (user: string) => NewMemory[]): Promise<string> {
    const user = `user-${++serial}`;
    await seedChains(backend.database, { tenant: TENANT, user, chains: [memories(user)] });
    return user;
  }

  const deep = (user: string) => consolidate(backend, { tenant: TENANT, user, tier: 'deep' });

  it('fuses a cluster of dormant related memories', async () => {
    const user = await seed((name) => facts(name, DUBLIN));
    const server = await startMessagesServer(fuse());
    try {
      const provider = createAnthropicProvider({
        apiKey: 'test-key',
        model: 'fake',
        baseUrl: server.url,
        timeoutMs: 60_000,
      });
      running = await startWorker(backend, provider);
      const run = await deep(user);
      expect(run.status).toBe('completed');
      expect(server.calls).toHaveLength(1);
    } finally {
      await server.stop();
    }
    const derived = await rows<{
      id: string;
      learned: string;
      chunk: string;
      metadata: { sourceCount: number; sourceIds: string[] };
      latest: boolean;
    }>(sql`
      select id, learned_from as learned, source_chunk as chunk, metadata, is_latest as latest
      from slowwave.memories where user_id = ${user} and memory_type = 'derived'`);
    expect(derived).toHaveLength(1);
    expect(derived[0]).toMatchObject({
      learned: 'consolidation',
      latest: true,
      metadata: { sourceCount: 4 },
    });
    for (const text of DUBLIN) expect(derived[0]!.chunk).toContain(text);
    const sources = await rows<{ latest: boolean; type: string; confidence: number }>(sql`
      select m.is_latest as latest, m.memory_type as type, r.confidence
      from slowwave.memories m join slowwave.relations r on r.target_id = m.id and r.user_id = m.user_id
      where m.user_id = ${user} and r.relation_type = 'DERIVES' and r.source_id = ${derived[0]!.id}`);
    expect(sources).toHaveLength(4);
    for (const source of sources)
      expect(source).toEqual({ latest: false, type: 'superseded', confidence: 0.95 });
  });

  it('leaves active and derived memories alone', async () => {
    const user = await seed((name) => [
      ...facts(name, DUBLIN.slice(0, 3)),
      newMemory(name, 'active', 'Ana moved to another office in Dublin.', {
        importance: 9,
        documentDate: Date.now(),
      }),
      newMemory(name, 'profile', 'Ana was born in Dublin.', {
        memoryType: 'static_profile',
        documentDate: Date.now() - 90 * DAY,
      }),
    ]);
    running = await startWorker(backend, createJoiningProvider());
    await deep(user);
    const untouched = await rows<{ id: string; latest: boolean }>(sql`
      select external_id as id, is_latest as latest from slowwave.memories
      where user_id = ${user} and external_id in ('active', 'profile') order by 1`);
    expect(untouched).toEqual([
      { id: 'active', latest: true },
      { id: 'profile', latest: true },
    ]);
    const first = await rows<{ id: string }>(
      sql`select id from slowwave.memories where user_id = ${user} and memory_type = 'derived'`,
    );
    expect(first).toHaveLength(1);
    await deep(user);
    const second = await rows<{ id: string }>(
      sql`select id from slowwave.memories where user_id = ${user} and memory_type = 'derived'`,
    );
    expect(second).toEqual(first);
  });

  it('survives a model that fails: nothing changes, the run goes on to its end, the cluster is tried again', async () => {
    const user = await seed((name) => facts(name, DUBLIN));
    let broken = true;
    const offline = createJoiningProvider();
    const provider: LLMProvider = {
      ...offline,
      complete: (request) =>
        broken ? Promise.reject(new Error(`the prompt was ${CANARY}`)) : offline.complete(request),
    };
    running = await startWorker(backend, provider);
    const run = await deep(user);
    expect(run.status).toBe('completed');
    const report = run.report as {
      steps: { step: string; status: string; counts: { clusters: { failed: number } } }[];
    };
    expect(report.steps.slice(0, 4).map(({ step, status }) => [step, status])).toEqual([
      ['notes', 'skipped'],
      ['embed', 'done'],
      ['decay', 'done'],
      ['fusion', 'done'],
    ]);
    expect(report.steps.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(report.steps[3]!.counts.clusters.failed).toBe(1);
    const state = await rows(
      sql`select is_latest as latest, version from slowwave.memories where user_id = ${user}`,
    );
    expect(state).toEqual(Array.from({ length: 4 }, () => ({ latest: true, version: 1 })));

    const failed = await until('the failed list', async () => {
      const jobs = await backend.queues.failed('fusions');
      return jobs.find((job) => job.ids.user === user);
    });
    expect(failed.attemptsMade).toBe(3);
    expect(failed.reason).toMatch(/^provider_error: /);
    const jobs = await backend.queues.queues.fusions.getJobs([
      'completed',
      'failed',
      'waiting',
      'active',
      'delayed',
    ]);
    kept.push(...jobs.map((job) => JSON.stringify(job.asJSON())));
    kept.push(await dumpSchema('bullmq', (text) => backend.database.asOwner((tx) => tx.rows(sql.raw(text)))));
    const ledger = await rows(
      sql`select status, error_code as code from slowwave.fusions where user_id = ${user}`,
    );
    expect(ledger).toEqual([{ status: 'failed', code: 'provider_error' }]);

    broken = false;
    expect(await backend.queues.retryFailed('fusions', failed.id)).toBe(true);
    await until('the fusion after the retry', async () => {
      const found = await rows(
        sql`select 1 from slowwave.memories where user_id = ${user} and memory_type = 'derived'`,
      );
      return found.length === 1;
    });
  });

  it('without a model the fusion step is skipped and says so', async () => {
    const user = await seed((name) => facts(name, DUBLIN));
    running = await startWorker(backend, null);
    const run = await deep(user);
    const report = run.report as { steps: { step: string; status: string; reason?: string }[] };
    expect(report.steps[3]).toMatchObject({
      step: 'fusion',
      status: 'skipped',
      reason: 'no_model_provider',
    });
  });

  it('keeps the text of memories out of the queue and the logs', () => {
    expect(logs.length).toBeGreaterThan(20);
    expect(logs.join('\n')).not.toContain(CANARY);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.join('\n')).not.toContain(CANARY);
  });
});
