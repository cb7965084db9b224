import { type PreviewView, previewOf, setMode, type UserMode } from '@slowwave/db';
import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askForRun, waitForRun } from '../../apps/standalone/src/runs.ts';
import { createJoiningProvider } from '../fakes/joining-provider.ts';
import { BACKENDS, type BackendFixture } from '../fixtures/backends.ts';
import { facts, seedChains } from '../fixtures/memories.ts';
import { until } from '../fixtures/wait.ts';
import { consolidate, startWorker, type WorkerFixture } from '../fixtures/workers.ts';

const TENANT = 't';
const DUBLIN = [
  'Ana is often in Dublin. She lives near the canal.',
  'Ana is often in Dublin. She works at a company that makes maps.',
  'Ana is often in Dublin. She rents an office near Trinity College.',
];

describe.each(BACKENDS)('modes in the queue (%s)', (_name, open) => {
  let backend: BackendFixture;
  let running: WorkerFixture | null = null;
  let serial = 0;

  beforeAll(async () => {
    backend = await open();
  });
  afterEach(async () => {
    await running?.close();
    running = null;
  });
  afterAll(() => backend?.drop());

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    backend.database.withTenant(TENANT, (tx) => tx.rows<Row>(query));
  const modeOf = (user: string, mode: UserMode) =>
    backend.database.withTenant(TENANT, (tx) => setMode(tx, { tenant: TENANT, user, mode, at: Date.now() }));
  const statusOf = async (user: string) =>
    (await rows<{ status: string }>(sql`select status from slowwave.fusions where user_id = ${user}`)).map(
      ({ status }) => status,
    );

  async function seed(mode: UserMode): Promise<string> {
    const user = `user-${++serial}`;
    await seedChains(backend.database, { tenant: TENANT, user, chains: [facts(user, DUBLIN)] });
    await modeOf(user, mode);
    return user;
  }

  /** A provider that counts, and that answers only when it is told to. */
  function countingProvider(): { provider: LLMProvider; calls: () => number; mend(): void } {
    const offline = createJoiningProvider();
    let calls = 0;
    let broken = true;
    return {
      calls: () => calls,
      mend: () => {
        broken = false;
      },
      provider: {
        ...offline,
        async complete(request) {
          calls += 1;
          if (broken) throw new ModelError('server_error', { retryable: true });
          return offline.complete(request);
        },
      },
    };
  }

  it('a cluster that is tried again in the queue waits for a person too', async () => {
    const user = await seed('review');
    const model = countingProvider();
    running = await startWorker(backend, model.provider);
    await consolidate(backend, { tenant: TENANT, user, tier: 'deep' });
    const failed = await until('the failed list', async () =>
      (await backend.queues.failed('fusions')).find((job) => job.ids.user === user),
    );
    model.mend();
    expect(await backend.queues.retryFailed('fusions', failed.id)).toBe(true);
    await until('the proposal', async () => (await statusOf(user)).includes('review'));
    const untouched = await rows(
      sql`select 1 from slowwave.memories where user_id = ${user} and is_latest and version = 1`,
    );
    expect(untouched).toHaveLength(3);
  });

  it('a cluster whose user wants no fusions any more is not tried again', async () => {
    const user = await seed('auto');
    const model = countingProvider();
    running = await startWorker(backend, model.provider);
    await consolidate(backend, { tenant: TENANT, user, tier: 'deep' });
    const failed = await until('the failed list', async () =>
      (await backend.queues.failed('fusions')).find((job) => job.ids.user === user),
    );
    await modeOf(user, 'off');
    model.mend();
    const calls = model.calls();
    expect(await backend.queues.retryFailed('fusions', failed.id)).toBe(true);
    await until('the end of the retry', async () => {
      const left = await backend.queues.failed('fusions');
      const { waiting, active, delayed } = await backend.queues.counts('fusions');
      return !left.some((job) => job.ids.user === user) && waiting + active + delayed === 0;
    });
    expect(model.calls()).toBe(calls);
    expect(
      await rows(sql`select 1 from slowwave.memories where user_id = ${user} and is_latest`),
    ).toHaveLength(3);
  });

  it('a preview goes through the queue as a run of its own', async () => {
    const user = await seed('auto');
    const model = countingProvider();
    model.mend();
    running = await startWorker(backend, model.provider);
    const target = { tenant: TENANT, user, tier: 'deep' as const };
    const asked = await askForRun(backend, { ...target, preview: true }, Date.now());
    const { runId } = asked!;
    const ended = await waitForRun(backend.database, { ...target, runId }, 60_000);
    expect(ended).toMatchObject({ status: 'completed', preview: true });
    const view = (await backend.database.withTenant(TENANT, (tx) =>
      previewOf(tx, { ...target, runId }),
    )) as PreviewView;
    // Nothing of this user was embedded, but explicit relations hold them together.
    expect(view.fusions).toMatchObject([{ verdict: 'ok' }]);
    expect(await statusOf(user)).toEqual(['generated']);
    const real = await consolidate(backend, target);
    expect(real.status).toBe('completed');
    expect((await statusOf(user)).sort()).toEqual(['applied', 'closed']);
    expect(model.calls()).toBe(1);
  });
});
