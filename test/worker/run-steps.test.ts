import { getUserProfile, storeRemGraph } from '@slowwave/db';
import { ModelError, type Tier } from '@slowwave/fusion';
import { QueueUnavailable } from '@slowwave/queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DEFAULT_LIMITS,
  type Step,
  type StepContext,
  type StepResult,
} from '../../apps/worker/src/context.ts';
import { createLogger } from '../../apps/worker/src/logger.ts';
import { createLook } from '../../apps/worker/src/look.ts';
import { type RunContext, runSteps } from '../../apps/worker/src/run-steps.ts';
import { type DatabaseFixture, openInScope } from '../fixtures/databases.ts';
import { holdLease, seedUser } from '../fixtures/memories.ts';
import { until } from '../fixtures/wait.ts';

const DONE: StepResult = { status: 'done', counts: {} };
const step = (name: string, run: (context: StepContext) => Promise<StepResult>): Step => ({ name, run });
const done = step('last', async () => DONE);

describe('the steps of a run', () => {
  let fixture: DatabaseFixture;
  beforeAll(async () => {
    fixture = await openInScope();
    await seedUser(fixture.database, { tenant: 't', user: 'ana', memories: [] });
  });
  afterAll(() => fixture?.drop());

  function contextOf(more: Partial<RunContext> = {}): RunContext {
    const never = new AbortController().signal;
    const context = {
      database: fixture.database,
      queues: { addFusion: async () => 'added', rateLimit: async () => {} },
      provider: null,
      embedder: { name: 'none', model: 'none', dimensions: 1, threshold: 1, embed: async () => [] },
      logger: createLogger('silent'),
      now: () => 0,
      nowMs: () => performance.now(),
      limits: DEFAULT_LIMITS,
      tenant: 't',
      user: 'ana',
      tier: 'deep' satisfies Tier,
      at: 0,
      lastSuccessAt: null,
      mode: 'auto',
      preview: false,
      timezone: 'UTC',
      runId: 'r',
      lease: { holder: 'w1', fence: 1 },
      signal: never,
      stopping: never,
      ...more,
    } satisfies Omit<RunContext, 'look'>;
    return { look: createLook(fixture.database, context, []), ...context };
  }
  const statuses = async (steps: Step[], more?: Partial<RunContext>) => {
    const { reports, transient } = await runSteps(steps, contextOf(more));
    return { steps: reports.map(({ step: _step, durationMs: _ms, ...rest }) => rest), transient };
  };

  it('go on after one that never ends, and it can write nothing any more', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const endless = step('endless', (context) => {
      late = new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve())).then(
        () => context.write(async () => 'written'),
      );
      late.catch(() => {});
      return new Promise(() => {});
    });
    const failed = { status: 'failed', code: 'step_timeout' };
    const limits = { ...DEFAULT_LIMITS, stepMs: 50 };
    expect(await statuses([endless, done], { limits })).toEqual({ steps: [failed, DONE], transient: false });
    await expect(late).rejects.toMatchObject({ code: 'step_timeout' });
  });

  it('tell what passes by itself from what does not', async () => {
    const outage = step('outage', async () => {
      throw new ModelError('server_error', { retryable: true });
    });
    const queue = step('queue', async () => {
      const facts = { kind: 'redis', address: null, attempts: 1, detail: 'NOPERM' } as const;
      throw new QueueUnavailable({ ...facts, reason: 'refused_login' });
    });
    expect(await statuses([queue, done])).toMatchObject({ transient: true });
    const bug = step('bug', async () => {
      throw new TypeError('a memory could stand here');
    });
    expect(await statuses([outage, done])).toMatchObject({ transient: true });
    expect(await statuses([outage, bug, done])).toMatchObject({ transient: false });
    const reported = step('reported', async () => ({ status: 'failed', code: 'decay_mismatch' }));
    expect(await statuses([reported])).toMatchObject({ transient: true });
  });

  it('write only while the user is held', async () => {
    const writing = step('writing', async (context) => {
      await context.write(async () => {});
      return DONE;
    });
    expect((await statuses([writing])).steps).toEqual([DONE]);
    await fixture.database.withTenant('t', (tx) => holdLease(tx, { tenant: 't', user: 'ana', fence: 2 }));
    await expect(runSteps([writing, done], contextOf())).rejects.toMatchObject({ code: 'lease_lost' });
    expect((await statuses([writing], { lease: { holder: 'w1', fence: 2 } })).steps).toEqual([DONE]);
  });

  it('write in one statement only while the user is held', async () => {
    const exploring = (graph: string) =>
      step('exploring', async ({ writeOne, tenant, user, at }) => {
        await writeOne((tx, held) => storeRemGraph(tx, { tenant, user, graph, at }, held));
        return DONE;
      });
    const explored = async () =>
      (await fixture.database.withTenant('t', (tx) => getUserProfile(tx, { tenant: 't', user: 'ana' })))
        ?.remGraph;
    await fixture.database.withTenant('t', (tx) => holdLease(tx, { tenant: 't', user: 'ana', fence: 3 }));
    const lease = { holder: 'w1', fence: 3 };
    expect((await statuses([exploring('one')], { lease })).steps).toEqual([DONE]);
    expect(await explored()).toBe('one');
    await expect(runSteps([exploring('two'), done], contextOf())).rejects.toMatchObject({
      code: 'lease_lost',
    });
    expect(await explored()).toBe('one');
  });

  it('all end when the job is over, even while one is deaf to it', async () => {
    const over = new AbortController();
    const deaf = step('deaf', () => {
      over.abort(new Error('over'));
      return new Promise(() => {});
    });
    let reason: unknown = null;
    runSteps([deaf, done], contextOf({ signal: over.signal })).catch((error: unknown) => {
      reason = error;
    });
    await until('the end of the job', () => reason);
    expect(reason).toMatchObject({ message: 'over' });
  });
});
