import { listRuns, readQuarantine, startRun } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { type JobResult, type JobView, jobContext, type TierJob } from '@slowwave/queue';
import {
  createLogger,
  createUserJob,
  DEFAULT_LIMITS,
  type Step,
  type StepContext,
  type UserJobDeps,
  type WorkerEvent,
} from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { blockThread } from '../fixtures/block-thread.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { setDue } from '../fixtures/dues.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { embedder, seedPerson } from '../fixtures/tier-runs.ts';
import { until } from '../fixtures/wait.ts';
import { gate } from '../queue/harness.ts';
import { expireLease, HOUR_MS, TENANT, takeOver } from './guards.ts';

/** Jobs by hand: what a queue would hand to two workers. */
describe.each(DATABASES)('one job of one user at a time (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open);
  const at = Date.now();

  async function newDueUser(): Promise<string> {
    const user = nextUser();
    await seedPerson(database, { tenant: TENANT, user, at });
    await setDue(database, { tenant: TENANT, user, tier: 'deep', at: at - HOUR_MS });
    return user;
  }

  /** A worker whose deep tier is one step. */
  function newWorker(name: string, run: Step['run'], more: Partial<UserJobDeps> = {}) {
    const steps: Record<Tier, readonly Step[]> = { light: [], deep: [{ name: 'only', run }], sleep: [] };
    const handle = createUserJob(
      {
        database,
        queues: { addFusion: async () => 'added', rateLimit: async () => {} },
        provider: null,
        embedder,
        logger: createLogger('silent'),
        now: () => at,
        nowMs: () => performance.now(),
        limits: DEFAULT_LIMITS,
        tierSteps: steps,
        ...more,
      },
      name,
    );
    return (user: string, job: Partial<TierJob> = {}, signal?: AbortSignal): Promise<JobResult> => {
      const data: TierJob = { v: 1, tenant: TENANT, user, tier: 'deep', why: 'schedule', ...job };
      const view: JobView<TierJob> = {
        id: 'job',
        queue: 'deep',
        data,
        attempt: 1,
        attempts: 1,
        lastAttempt: true,
        starts: 1,
        postponed: 0,
        addedAt: at,
      };
      return handle(view, jobContext({ signal }));
    };
  }
  const runsOf = (user: string) => inTenant((tx) => listRuns(tx, { tenant: TENANT, user, limit: 9 }));
  /** A step that waits until it is told to end, and counts how often it began. */
  function slowStep() {
    const go = gate();
    const begun: string[] = [];
    const run = async (context: StepContext) => {
      begun.push(context.runId);
      await go.opened;
      return { status: 'done' as const, counts: {} };
    };
    return { run, begun, end: go.open };
  }

  it('delivered twice at the same time: the hold alone makes it one run', async () => {
    const user = await newDueUser();
    const slow = slowStep();
    const [one, other] = [newWorker('w1', slow.run), newWorker('w2', slow.run)];
    // What somebody asked for begins whether the tier is due or not.
    const first = one(user, { why: 'adhoc' });
    await until('the run to begin', () => slow.begun.length === 1);
    const second = other(user, { why: 'adhoc' });
    let ended = false;
    void second.then(() => {
      ended = true;
    });
    await until('the second one to end or to begin a run', () => ended || slow.begun.length > 1);
    expect(slow.begun).toHaveLength(1);
    expect(await second).toMatchObject({ outcome: 'postponed' });
    expect(await one(user, { why: 'adhoc' })).toMatchObject({ outcome: 'postponed' });
    slow.end();
    expect(await first).toMatchObject({ outcome: 'completed' });
    expect(await runsOf(user)).toHaveLength(1);
    expect(slow.begun).toHaveLength(1);
  });

  it('delivered again afterwards: that nothing is due any more alone makes it one run', async () => {
    const user = await newDueUser();
    const slow = slowStep();
    slow.end();
    const [one, other] = [newWorker('w1', slow.run), newWorker('w2', slow.run)];
    expect(await one(user)).toMatchObject({ summary: { outcome: 'completed' } });
    expect(await other(user)).toMatchObject({ summary: { outcome: 'closed', reason: 'not_due' } });
    expect(slow.begun).toHaveLength(1);
  });

  it('of those who were at work when a process ended, one at a time runs in a process; others do not wait for them', async () => {
    const [ana, ben, cleo, dan] = await Promise.all([1, 2, 3, 4].map(newDueUser));
    const were = [ana, ben, cleo].map((user) => `'${user}'`).join(', ');
    await rows(
      sql.raw(`update slowwave.user_tiers set unended = 1 where tier = 'deep' and user_id in (${were})`),
    );
    const ends = new Map<string, () => void>();
    const handle = newWorker('w1', async ({ user }) => {
      const go = gate();
      ends.set(user, go.open);
      await go.opened;
      return { status: 'done' as const, counts: {} };
    });
    const end = async (user: string) => {
      await until(`${user} to be at work`, () => ends.has(user));
      ends.get(user)?.();
    };
    const first = handle(ana!);
    await until('the first to be at work', () => ends.has(ana!));
    const next = handle(ben!);
    const other = handle(dan!);
    await end(dan!);
    expect(await other).toMatchObject({ outcome: 'completed' });
    // Its turn does not come: its place is for others.
    expect(await next).toMatchObject({ outcome: 'postponed' });
    expect([...ends.keys()]).toEqual([ana, dan]);
    // How long each waits for its turn is a matter of the product: who is sent away comes again, as from a queue.
    let over = false;
    onTestFinished(() => {
      over = true;
    });
    const deliver = async (user: string): Promise<JobResult> => {
      const result = await handle(user);
      return result.outcome === 'postponed' && !over ? deliver(user) : result;
    };
    const again = [deliver(ben!), deliver(cleo!)];
    await end(ana!);
    expect(await first).toMatchObject({ outcome: 'completed' });
    await until('the next one to be at work', () => ends.size === 3);
    const [, , atWork] = [...ends.keys()];
    await end(atWork!);
    await end(atWork === ben ? cleo! : ben!);
    expect((await Promise.all(again)).map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  });

  it('a hold that is lost ends the job at once: nothing more is written, its run is left to whoever has the user', async () => {
    const user = await newDueUser();
    const begun = gate();
    const events: WorkerEvent['type'][] = [];
    let late: Promise<unknown> = Promise.resolve();
    const deaf = (context: StepContext): Promise<never> => {
      late = new Promise<void>((resolve) =>
        context.signal.addEventListener('abort', () => resolve(), { once: true }),
      ).then(() => context.write(async () => 'written'));
      late.catch(() => undefined);
      begun.open();
      return new Promise(() => {});
    };
    const worker = newWorker('w1', deaf, {
      limits: { ...DEFAULT_LIMITS, leaseMs: 9_000 },
      onEvent: ({ type }) => events.push(type),
    });
    const job = worker(user);
    await begun.opened;
    await rows(sql`
      update slowwave.leases set fence = fence + 1, holder = 'w2', expires_at = clock_timestamp() + interval '1 hour'
      where user_id = ${user}`);
    expect(await job).toMatchObject({ outcome: 'postponed' });
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
    expect(events).toContain('lease_lost');
    expect(await runsOf(user)).toMatchObject([{ status: 'running' }]);
  });

  it('a run that blocks its worker for longer than the lease lasts is unended: after three the user is in quarantine', async () => {
    const user = await newDueUser();
    const leaseMs = 1_500;
    let begun = 0;
    const blocking = async ({ signal }: StepContext): Promise<never> => {
      begun += 1;
      blockThread(leaseMs + 500);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const worker = newWorker('w1', blocking, { limits: { ...DEFAULT_LIMITS, leaseMs } });
    const job = { why: 'adhoc' } as const;
    for (let time = 1; time <= 3; time += 1)
      expect(await worker(user, job)).toMatchObject({ outcome: 'postponed' });
    expect(await worker(user, job)).toMatchObject({ summary: { outcome: 'closed', reason: 'quarantined' } });
    expect(begun).toBe(3);
    expect(await runsOf(user)).toMatchObject(Array.from({ length: 3 }, () => ({ status: 'abandoned' })));
    expect(await inTenant((tx) => readQuarantine(tx, { tenant: TENANT, user }))).toMatchObject({
      code: 'never_ended',
    });
  });

  it('who takes a user over says what was left behind, and goes on with it', async () => {
    const user = await newDueUser();
    await rows(sql`
      insert into slowwave.leases (tenant, user_id, fence, holder, expires_at)
      values (${TENANT}, ${user}, 1, 'dead', now() + interval '1 hour')`);
    await inTenant((tx) =>
      startRun(tx, { tenant: TENANT, user, tier: 'deep', why: 'schedule', fence: 1, at }),
    );
    await expireLease(database, user);
    const worker = newWorker('w2', async () => ({ status: 'done', counts: {} }));
    expect(await worker(user)).toMatchObject({ summary: { outcome: 'completed' } });
    expect((await runsOf(user)).map(({ status }) => status).sort()).toEqual(['abandoned', 'completed']);
  });

  it('what a step was about to write when its user was taken is not written', async () => {
    const user = await newDueUser();
    const worker = newWorker('w1', async (context) => {
      await expireLease(database, user);
      await takeOver(database, user, 'w2');
      await context.write((tx) =>
        tx.rows(sql`update slowwave.user_tiers set due_at = 'infinity' where user_id = ${user}`),
      );
      return { status: 'done', counts: {} };
    });
    await expect(worker(user)).rejects.toMatchObject({ code: 'lease_lost' });
    const [row] = await rows<{ due: boolean }>(sql`
      select due_at < now() as due from slowwave.user_tiers where user_id = ${user} and tier = 'deep'`);
    expect(row).toEqual({ due: true });
  });

  it('what took so long that its job is over is not kept', async () => {
    const user = await newDueUser();
    const over = new AbortController();
    const worker = newWorker('w1', async (context) => {
      await context.write(async (tx) => {
        await tx.rows(sql`update slowwave.user_tiers set failures = 7 where user_id = ${user}`);
        over.abort(new Error('over'));
      });
      return { status: 'done', counts: {} };
    });
    await expect(worker(user, {}, over.signal)).rejects.toThrow('over');
    // The job may end before its write is rolled back: whoever comes next waits for that.
    const [row] = await rows<{ failures: number }>(sql`
      select failures from slowwave.user_tiers where user_id = ${user} and tier = 'light' for update`);
    expect(row).toEqual({ failures: 0 });
  });
});
