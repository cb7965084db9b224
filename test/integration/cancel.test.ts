import { cancelRun, getRun, getUser, type Run } from '@slowwave/db';
import type { LLMProvider } from '@slowwave/fusion';
import { DEFAULT_LIMITS } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askForRun, waitForRun } from '../../apps/standalone/src/runs.ts';
import { createJoiningProvider } from '../fakes/joining-provider.ts';
import { BACKENDS, type BackendFixture } from '../fixtures/backends.ts';
import { facts, seedChains } from '../fixtures/memories.ts';
import { until } from '../fixtures/wait.ts';
import { consolidate, startWorker, type WorkerFixture } from '../fixtures/workers.ts';

const tenant = 't';
const DUBLIN = [
  'Ana is often in Dublin. She lives near the canal.',
  'Ana is often in Dublin. She works at a company that makes maps.',
  'Ana is often in Dublin. She rents an office near Trinity College.',
];
const PIANO = [
  'Ben plays the piano. He does so on Sundays.',
  'Ben plays the piano. He has a trio.',
  'Ben plays the piano. He keeps it in the hall.',
];
/** Somebody may cancel a run of any age. */
const LIMITS = { ...DEFAULT_LIMITS, cancelLookMs: 1 };

/** A model that answers each question only when it is let. */
function slowModel(): { provider: LLMProvider; calls: () => number; answer(): void } {
  const offline = createJoiningProvider();
  let calls = 0;
  let open = false;
  let waiting: (() => void)[] = [];
  return {
    calls: () => calls,
    answer() {
      open = true;
      for (const go of waiting) go();
      waiting = [];
    },
    provider: {
      ...offline,
      async complete(request) {
        calls += 1;
        if (!open) await new Promise<void>((go) => waiting.push(go));
        return offline.complete(request);
      },
    },
  };
}

describe.each(BACKENDS)('a run that somebody cancels (%s)', (_name, open) => {
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

  const inTenant: BackendFixture['database']['withTenant'] = (of, work) =>
    backend.database.withTenant(of, work);
  const cancel = (user: string, runId: string) =>
    inTenant(tenant, (tx) => cancelRun(tx, { tenant, user, runId, at: Date.now() }));
  const deepOf = async (user: string) =>
    (await inTenant(tenant, (tx) => getUser(tx, tenant, user)))!.tiers.deep;
  const fusionsOf = (user: string) =>
    inTenant(tenant, (tx) =>
      tx.rows<{ status: string }>(
        sql`select status from slowwave.fusions where user_id = ${user} and status <> 'closed'`,
      ),
    );
  const stepsOf = (run: Pick<Run, 'report'>) =>
    (run.report as { steps?: { step: string; status: string; reason?: string }[] } | null)?.steps ?? [];

  async function seed(...chains: string[][]): Promise<string> {
    const user = `user-${++serial}`;
    const memories = chains.map((texts, i) =>
      facts(user, texts).map((memory) => ({ ...memory, externalId: `${i}-${memory.externalId}` })),
    );
    await seedChains(backend.database, { tenant, user, chains: memories });
    return user;
  }
  async function ask(user: string): Promise<string> {
    const asked = await askForRun(backend, { tenant, user, tier: 'deep' }, Date.now());
    if (asked === null) throw new Error('unknown user');
    return asked.runId;
  }

  it('while a model thinks: the cluster in hand is finished, the next one and all steps after it never begin', async () => {
    const user = await seed(DUBLIN, PIANO);
    const model = slowModel();
    running = await startWorker(backend, model.provider, { limits: LIMITS });
    const before = await deepOf(user);
    const runId = await ask(user);
    await until('the model', () => model.calls() > 0);
    expect(await cancel(user, runId)).toEqual({ status: 'cancelling', already: false });
    model.answer();
    const run = await waitForRun(backend.database, { tenant, user, runId }, 60_000);
    expect(run).toMatchObject({ status: 'cancelled', errorCode: null });
    expect(model.calls()).toBe(1);
    // What was committed stays.
    expect(await fusionsOf(user)).toEqual([{ status: 'applied' }]);
    const steps = stepsOf(run);
    const at = steps.findIndex(({ step }) => step === 'fusion');
    expect(steps[at]).toMatchObject({ status: 'done', counts: { clusters: { committed: 1 } } });
    const later = steps.slice(at + 1);
    expect(later.length).toBeGreaterThan(0);
    for (const step of later) expect(step).toMatchObject({ status: 'skipped', reason: 'cancelled' });
    // Due when it was due before: neither a success nor a failure.
    const { lastAttemptAt: _at, ...after } = await deepOf(user);
    const { lastAttemptAt: _before, ...same } = before;
    expect(after).toEqual(same);
    const next = await consolidate(backend, { tenant, user, tier: 'deep' });
    expect(next.status).toBe('completed');
    expect(await fusionsOf(user)).toEqual([{ status: 'applied' }, { status: 'applied' }]);
  });

  it('between two clusters, however seldom the run looks by itself', async () => {
    const user = await seed(DUBLIN, PIANO);
    const offline = createJoiningProvider();
    let aheadMs = 0;
    let calls = 0;
    const provider: LLMProvider = {
      ...offline,
      async complete(request) {
        calls += 1;
        expect(await cancel(user, runId)).toMatchObject({ status: 'cancelling' });
        aheadMs = 60_000;
        return offline.complete(request);
      },
    };
    const nowMs = () => performance.now() + aheadMs;
    running = await startWorker(backend, provider, {
      nowMs,
      limits: { ...DEFAULT_LIMITS, cancelLookMs: 30_000 },
    });
    const runId = await ask(user);
    const run = await waitForRun(backend.database, { tenant, user, runId }, 60_000);
    expect(run.status).toBe('cancelled');
    expect(calls).toBe(1);
    expect(await fusionsOf(user)).toEqual([{ status: 'applied' }]);
  });

  it('before anybody took it up: it never begins, and the next one does', async () => {
    const user = await seed(DUBLIN);
    const runId = await ask(user);
    expect(await cancel(user, runId)).toEqual({ status: 'cancelled', already: false });
    const model = slowModel();
    model.answer();
    running = await startWorker(backend, model.provider, { limits: LIMITS });
    await until('an empty queue', async () => {
      const { waiting, active, delayed } = await backend.queues.counts('adhoc');
      return waiting + active + delayed === 0;
    });
    const run = await inTenant(tenant, (tx) => getRun(tx, { tenant, user, runId }));
    expect(run).toMatchObject({ status: 'cancelled', startedAt: null, report: null });
    expect(model.calls()).toBe(0);
    const next = await consolidate(backend, { tenant, user, tier: 'deep' });
    expect(next.status).toBe('completed');
    expect(next.id).not.toBe(runId);
  });

  it('while a step works that asks nobody: it is seen meanwhile, and the step may end itself', async () => {
    const user = await seed(DUBLIN);
    let began = false;
    const patient = {
      name: 'patient',
      run: async (context: { stopping: AbortSignal }) => {
        began = true;
        await new Promise<void>((resolve) =>
          context.stopping.addEventListener('abort', () => resolve(), { once: true }),
        );
        return { status: 'done', counts: { stopped: 'stopping' } } as const;
      },
    };
    const never = {
      name: 'never',
      run: async () => ({ status: 'done', counts: {} }) as const,
    };
    const steps = [patient, never];
    running = await startWorker(backend, null, {
      limits: LIMITS,
      tierSteps: { light: steps, deep: steps, sleep: steps },
    });
    const runId = await ask(user);
    await until('the step', () => began);
    await cancel(user, runId);
    const run = await waitForRun(backend.database, { tenant, user, runId }, 60_000);
    expect(run.status).toBe('cancelled');
    expect(stepsOf(run)).toMatchObject([
      { step: 'patient', status: 'done' },
      { step: 'never', status: 'skipped', reason: 'cancelled' },
    ]);
  });

  it('too late: a run that did all its work has completed', async () => {
    const user = await seed(DUBLIN);
    const model = slowModel();
    model.answer();
    running = await startWorker(backend, model.provider, { limits: LIMITS });
    const run = await consolidate(backend, { tenant, user, tier: 'deep' });
    expect(await cancel(user, run.id)).toEqual({ status: 'finished', runStatus: 'completed' });
  });
});
