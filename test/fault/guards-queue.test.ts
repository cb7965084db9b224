import { listRuns, requestRun } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import type { TierJob } from '@slowwave/queue';
import { createLogger, type Step } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillTier } from '../../apps/producer/src/fill.ts';
import { BACKENDS, type BackendFixture } from '../fixtures/backends.ts';
import { setDue } from '../fixtures/dues.ts';
import { seedPerson } from '../fixtures/tier-runs.ts';
import { until } from '../fixtures/wait.ts';
import { startWorker } from '../fixtures/workers.ts';
import { gate } from '../queue/harness.ts';
import { HOUR_MS, TENANT } from './guards.ts';

/** The same work is in the queue once, and done once: each of the three that see to it, alone. */
describe.each(BACKENDS)('what is doubled (%s)', (_name, open) => {
  let backend: BackendFixture;
  let serial = 0;
  beforeAll(async () => {
    backend = await open();
  });
  afterAll(() => backend?.drop());

  const inQueue = async (queue: 'deep' | 'adhoc') => (await backend.queues.counts(queue)).waiting;
  const write = (query: ReturnType<typeof sql>) => backend.database.asOwner((tx) => tx.rows(query));
  async function newDueUser(): Promise<string> {
    const user = `user-${++serial}`;
    await seedPerson(backend.database, { tenant: TENANT, user, at: Date.now() });
    await setDue(backend.database, { tenant: TENANT, user, tier: 'deep', at: Date.now() - HOUR_MS });
    return user;
  }
  const tick = () =>
    fillTier(
      {
        database: backend.database,
        queues: backend.queues,
        logger: createLogger('silent'),
        now: Date.now,
        queueCap: 100,
      },
      { tier: 'deep', requeueAfterMs: 3_600_000 },
    );
  const forgetMarks = () => write(sql`update slowwave.user_tiers set enqueued_at = null`);
  const wakeUp = (user: string, more: Partial<TierJob> = {}): TierJob => ({
    v: 1,
    tenant: TENANT,
    user,
    tier: 'deep',
    why: 'schedule',
    ...more,
  });
  /** Past every deduplication: as after a hand-written job, or a queue that forgot. */
  const addRaw = (queue: 'deep' | 'adhoc', job: TierJob) => backend.queues.queues[queue].add(job.tier, job);
  async function ask(user: string): Promise<string> {
    const asked = await backend.database.withTenant(TENANT, (tx) =>
      requestRun(tx, { tenant: TENANT, user, tier: 'deep', at: Date.now() }),
    );
    if (asked.status !== 'requested') throw new Error(asked.status);
    return asked.runId;
  }
  const empty = async () => {
    for (const queue of ['deep', 'adhoc'] as const) await backend.queues.queues[queue].drain();
    await write(
      sql`update slowwave.user_tiers set due_at = 'infinity', enqueued_at = null, requested_run = null`,
    );
  };

  it('wake-ups: the mark alone keeps a second tick from adding one', async () => {
    await newDueUser();
    expect(await tick()).toMatchObject({ enqueued: 1 });
    // Whatever the queue remembers of it is gone.
    await backend.queues.queues.deep.drain();
    await addRaw('deep', wakeUp('somebody'));
    expect(await tick()).toMatchObject({ enqueued: 0 });
    await forgetMarks();
    expect(await tick()).toMatchObject({ enqueued: 1 });
    await empty();
  });

  it('wake-ups: the queue alone merges those of one user and tier', async () => {
    const user = await newDueUser();
    for (let i = 0; i < 3; i++) {
      await tick();
      await forgetMarks();
    }
    expect(await inQueue('deep')).toBe(1);
    await addRaw('deep', wakeUp(user));
    expect(await inQueue('deep')).toBe(2);
    await empty();
  });

  it('requests: the ledger of runs alone answers two with one, and the queue alone merges its jobs', async () => {
    const user = await newDueUser();
    const runId = await ask(user);
    expect(await ask(user)).toBe(runId);
    for (let i = 0; i < 3; i++) await backend.queues.addAdhoc(wakeUp(user, { why: 'adhoc', runId }));
    expect(await inQueue('adhoc')).toBe(1);
    await empty();
  });

  it('deliveries: what stands in the database alone makes them one run', async () => {
    const [due, asking] = [await newDueUser(), await newDueUser()];
    const runId = await ask(asking);
    const hold = gate();
    const begun: string[] = [];
    const only: Step = {
      name: 'only',
      async run(context) {
        begun.push(context.user);
        await hold.opened;
        return { status: 'done', counts: {} };
      },
    };
    const tierSteps: Record<Tier, readonly Step[]> = { light: [only], deep: [only], sleep: [only] };
    await write(sql`update slowwave.user_tiers set due_at = 'infinity' where user_id = ${asking}`);
    for (let i = 0; i < 3; i++) {
      await addRaw('deep', wakeUp(due));
      await addRaw('adhoc', wakeUp(asking, { why: 'adhoc', runId }));
    }
    const workers = [
      await startWorker(backend, null, { tierSteps }),
      await startWorker(backend, null, { tierSteps }),
    ];
    try {
      await until('somebody to be at work', () => begun.length > 0);
      hold.open();
      await until('the queues to be empty', async () => {
        const counts = await Promise.all(
          ['deep', 'adhoc'].map((name) => backend.queues.counts(name as 'deep')),
        );
        return counts.every(({ waiting, active, delayed }) => waiting + active + delayed === 0);
      });
    } finally {
      hold.open();
      await Promise.all(workers.map((worker) => worker.close()));
    }
    expect(begun.sort()).toEqual([due, asking].sort());
    for (const user of [due, asking]) {
      const runs = await backend.database.withTenant(TENANT, (tx) =>
        listRuns(tx, { tenant: TENANT, user, limit: 9 }),
      );
      expect(runs).toMatchObject([{ status: 'completed' }]);
    }
  });
});
