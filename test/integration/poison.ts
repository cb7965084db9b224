import { listQuarantined, releaseUser, requestRun } from '@slowwave/db';
import type { QueueBackend } from '@slowwave/queue';
import { DEFAULT_LIMITS } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { createJoiningProvider } from '../fakes/joining-provider.ts';
import type { BackendFixture } from '../fixtures/backends.ts';
import { expireHolds } from '../fixtures/expire-holds.ts';
import { facts, seedChains } from '../fixtures/memories.ts';
import { POISONED_STEPS } from '../fixtures/poison.ts';
import type { PoisonedWorker } from '../fixtures/poisoned-worker.ts';
import { type ProcessFixture, startProcess } from '../fixtures/processes.ts';
import { until } from '../fixtures/wait.ts';
import { startWorker } from '../fixtures/workers.ts';
import { BEARER, HOST, type Stage, stageOf } from '../producer/harness.ts';

const TENANT = 't';
const ORDINARY = Array.from({ length: 20 }, (_, i) => `user-${i}`);
const FACTS = [
  'Ana works in Dublin at a company that makes maps.',
  'Ana rents an office in Dublin near Trinity College.',
  'Ana cycles to work in Dublin every day.',
];
const QUARANTINE_AFTER = 3;
const LIMITS = { stepMs: 10_000, quarantineAfter: QUARANTINE_AFTER };
const MINUTES = 60;
/** For all users together. */
const LIMIT_MS = 600_000;

/** How a poisoned user ends, and how their worker does. */
interface Poison {
  user: 'throws' | 'exits' | 'hangs' | 'loops';
  /** Of the quarantine: what the last failure was, or that the starts never ended. */
  code: string;
  /** Until it is tried again, in seconds: longer each time. */
  waits: number[];
}
const THROWS: Poison = { user: 'throws', code: 'internal_error', waits: [5 * MINUTES, 10 * MINUTES] };
const HANGS: Poison = { user: 'hangs', code: 'step_timeout', waits: [5 * MINUTES, 10 * MINUTES] };
// A process that ended once says nothing about the user yet, who is tried again at once.
const EXITS: Poison = { user: 'exits', code: 'never_ended', waits: [10 * MINUTES] };
const LOOPS: Poison = { user: 'loops', code: 'never_ended', waits: [10 * MINUTES] };

/** Workers for as long as they are wanted: a process that ends is started again, as a supervisor would. */
interface Workers {
  /** How processes ended: exit codes, null for a signal. */
  ends: (number | null)[];
  output(): string;
  stop(): Promise<void>;
}

async function inThisProcess(backend: BackendFixture): Promise<Workers> {
  const { close, log } = await startWorker(backend, createJoiningProvider(), {
    tierSteps: POISONED_STEPS,
    limits: { ...DEFAULT_LIMITS, ...LIMITS },
  });
  return { ends: [], output: () => log.join(''), stop: close };
}

/** @param stuckMs a process whose main thread has not turned for so long ends */
function inProcesses(backend: BackendFixture, stuckMs = 60_000): Workers {
  const queue: QueueBackend =
    backend.prefix === null
      ? { kind: 'postgres', url: backend.queueUrl! }
      : { kind: 'redis', url: backend.queueUrl!, prefix: backend.prefix };
  const settings: PoisonedWorker = {
    databaseUrl: backend.url!,
    backend: queue,
    limits: LIMITS,
    stuckMs,
  };
  const args = ['--conditions=source', 'test/fixtures/poisoned-worker.ts', JSON.stringify(settings)];
  const ends: (number | null)[] = [];
  let output = '';
  let wanted = true;
  let current: ProcessFixture;
  const supervise = async (): Promise<void> => {
    while (wanted) {
      current = startProcess('--import=tsx', {}, args);
      const code = await current.exitCode();
      output += current.output();
      if (wanted) ends.push(code);
      await expireHolds(backend.database, queue, TENANT);
    }
  };
  const supervised = supervise();
  return {
    ends,
    output: () => output + current.output(),
    async stop() {
      wanted = false;
      await current.stop();
      await supervised;
    },
  };
}

/** The same for each way to run, each in a file of its own, since most of it is waiting. */
export function describePoison(name: string, open: () => Promise<BackendFixture>): void {
  describe(`users whose runs do harm (${name})`, () => {
    let backend: BackendFixture;
    let stage: Stage;
    let workers: Workers | null = null;
    afterEach(async () => {
      await workers?.stop();
      workers = null;
      await stage?.dispose();
    });

    const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
      backend.database.withTenant(TENANT, (tx) => tx.rows<Row>(query));

    /** Users with one cluster each, whose deep tier is due now and nothing else. */
    async function seed(users: readonly string[]): Promise<void> {
      for (const user of users) {
        const chains = [facts(user, FACTS)];
        await seedChains(backend.database, { tenant: TENANT, user, chains });
      }
      await rows(sql`
      update slowwave.user_tiers
      set due_at = case when tier = 'deep' then now() - interval '1 minute' else 'infinity' end`);
    }

    /**
     * Ends the waiting after failures: of those who were only there when a process ended, at once; of the poisoned when all others are
     * done. @returns how long each one would have lasted, in seconds
     */
    const endWaits = () =>
      rows<{ user: string; seconds: number }>(sql`
      with waiting as materialized (
        select user_id, next_attempt_at from slowwave.user_tiers t
        where tier = 'deep' and next_attempt_at > now() and quarantined_at is null and (user_id like 'user-%' or not exists (
          select 1 from slowwave.user_tiers o where o.tier = 'deep' and o.user_id like 'user-%' and o.last_success_at is null))
        for update
      ), ended as (
        update slowwave.user_tiers t set next_attempt_at = '-infinity' from waiting
        where t.user_id = waiting.user_id and t.tier = 'deep'
      )
      select user_id as "user",
        date_part('epoch', next_attempt_at - (
          select max(r.finished_at) from slowwave.runs r where r.user_id = waiting.user_id and r.tier = 'deep')) as seconds
      from waiting`);
    const inQuarantine = () =>
      backend.database.withTenant(TENANT, (tx) => listQuarantined(tx, { tenant: TENANT, limit: 100 }));
    const runsOf = (user: string) =>
      rows<{ status: string; code: string | null; step: string | null }>(sql`
      select status, error_code as code, report -> 'steps' -> 0 ->> 'code' as step
      from slowwave.runs where user_id = ${user} and tier = 'deep' order by requested_at, id`);

    /** Lets everything run, with no waiting after failures, until the poisoned are in quarantine and nobody else has work left. */
    async function runAll(poisoned: readonly Poison[]) {
      const waits = new Map<string, number[]>();
      await until(
        'the poisoned to be in quarantine and the others to be done',
        async () => {
          for (const { user, seconds } of await endWaits())
            waits.set(user, [...(waits.get(user) ?? []), seconds]);
          const held = await inQuarantine();
          const [open] = await rows<{ n: number }>(sql`
          select count(*)::int as n from slowwave.user_tiers
          where tier = 'deep' and last_success_at is null and quarantined_at is null`);
          return held.length >= poisoned.length && open!.n === 0;
        },
        LIMIT_MS,
      );
      return waits;
    }

    /** One derived memory that supersedes all sources, by one applied fusion of one completed run. */
    async function expectOrdinaryOnce(): Promise<void> {
      const count = (from: string, condition: string) =>
        sql.raw(
          `(select count(*)::int from slowwave.${from} x where x.tenant = u.tenant and x.user_id = u.id and ${condition})`,
        );
      const found = await rows(sql`
      select u.id as "user", ${count('memories', "x.memory_type = 'derived'")} as derived,
        ${count('memories', "x.memory_type = 'superseded'")} as superseded,
        ${count('fusions', "x.status = 'applied'")} as applied, ${count('runs', "x.tier = 'deep' and x.status = 'completed'")} as completed
      from slowwave.users u where u.id like 'user-%' order by u.id`);
      const once = { derived: 1, superseded: FACTS.length, applied: 1, completed: 1 };
      expect(found).toEqual([...ORDINARY].sort().map((user) => ({ user, ...once })));
    }

    /** What each failure left behind: a report that names it, or a run without an end. */
    async function expectTold({ user, code }: Poison): Promise<void> {
      const told =
        code === 'never_ended'
          ? { status: 'abandoned', code: null, step: null }
          : { status: 'failed', code, step: code };
      expect(await runsOf(user), user).toEqual(Array.from({ length: 3 }, () => told));
    }

    /** Nothing runs for a user in quarantine: not what is due, not what lies in the queue, not what somebody asks for. */
    async function expectHeld(poisoned: readonly Poison[]): Promise<void> {
      const { app } = stage.newProducer().producer;
      const shown = await app.inject({
        method: 'GET',
        url: `/v1/quarantine?tenant=${TENANT}`,
        headers: { ...HOST, ...BEARER },
      });
      const expected = poisoned.map(({ user, code }) => expect.objectContaining({ user, code }));
      expect(shown.json().users).toHaveLength(poisoned.length);
      expect(shown.json().users).toEqual(expect.arrayContaining(expected));
      for (const { user, code } of poisoned) {
        const of = { tenant: TENANT, user, tier: 'deep' as const };
        const asked = await backend.database.withTenant(TENANT, (tx) =>
          requestRun(tx, { ...of, at: Date.now() }),
        );
        expect(asked).toMatchObject({ status: 'quarantined', code });
        const refused = await app.inject({
          method: 'POST',
          url: '/v1/consolidations',
          headers: { ...HOST, ...BEARER, 'content-type': 'application/json' },
          payload: of,
        });
        expect([refused.statusCode, refused.json().code]).toEqual([409, 'quarantined']);
        // A wake-up that somebody left in the queue.
        await backend.queues.add({ v: 1, ...of, why: 'schedule' });
      }
      await rows(sql`update slowwave.user_tiers set next_attempt_at = '-infinity' where tier = 'deep'`);
      let last = (await backend.queues.nextTick('deep')) ?? 0;
      for (let beat = 0; beat < 3; beat += 1)
        last = await until('a beat', async () => {
          const next = await backend.queues.nextTick('deep');
          return next !== null && next > last && next;
        });
      await until('the queue to be empty', async () => {
        const { waiting, active, delayed } = await backend.queues.counts('deep');
        return waiting + active + delayed === 0;
      });
      for (const { user } of poisoned) expect(await runsOf(user), user).toHaveLength(3);
    }

    /** @returns how the processes of the workers ended */
    async function prove(
      poisoned: readonly Poison[],
      start: (of: BackendFixture) => Workers | Promise<Workers>,
    ) {
      backend = await open();
      stage = stageOf(backend);
      const users = poisoned.map(({ user }) => user);
      // The poisoned among the others, not before or after them.
      await seed([...ORDINARY.slice(0, 2), ...users, ...ORDINARY.slice(2)]);
      workers = await start(backend);
      await stage.newProducer({ tickMs: 500 }).producer.startTicks();
      const waits = await runAll(poisoned);
      expect((await inQuarantine()).map(({ user, code }) => ({ user, code }))).toEqual(
        expect.arrayContaining(poisoned.map(({ user, code }) => ({ user, code }))),
      );
      expect(await inQuarantine()).toHaveLength(poisoned.length);
      await expectOrdinaryOnce();
      for (const poison of poisoned) {
        await expectTold(poison);
        expect(waits.get(poison.user), poison.user).toEqual(poison.waits);
      }
      await expectHeld(poisoned);
      for (const { user } of poisoned)
        expect(
          await backend.database.withTenant(TENANT, (tx) => releaseUser(tx, { tenant: TENANT, user })),
        ).toMatchObject({ status: 'released' });
      for (const { user } of poisoned)
        await until(`${user} to be tried again`, async () => (await runsOf(user)).length > 3);
      expect(workers.output()).not.toContain('Dublin');
      return { ends: workers.ends };
    }

    it(
      'hold up nobody else, and end in quarantine until they are released',
      async () => {
        const { ends } = await prove([THROWS, HANGS], inThisProcess);
        expect(ends).toEqual([]);
      },
      2 * LIMIT_MS,
    );

    // What runs inside one process only ends with it: there is nobody to start it again.
    if (name === 'embedded') return;

    it(
      'hold up nobody else even if they end their process',
      async () => {
        const { ends } = await prove([EXITS], (of) => inProcesses(of));
        expect(ends.slice(0, 3)).toEqual([1, 1, 1]);
      },
      2 * LIMIT_MS,
    );

    it(
      'take nobody with them, though those who were at work beside them are tried again at the same time',
      async () => {
        backend = await open();
        stage = stageOf(backend);
        const bystanders = ['lingers-1', 'lingers-2', 'lingers-3'];
        await seed([...bystanders.slice(0, 2), 'exitsLate', ...bystanders.slice(2)]);
        workers = inProcesses(backend);
        await stage.newProducer({ tickMs: 500 }).producer.startTicks();
        // All waits end at once, when no worker is at work: so all would begin together again.
        const endAllWaits = () =>
          rows(sql`
        update slowwave.user_tiers set next_attempt_at = '-infinity'
        where tier = 'deep' and next_attempt_at > now()
          and not exists (select 1 from slowwave.runs where status = 'running')
          and not exists (select 1 from slowwave.leases where expires_at > clock_timestamp())`);
        const left = async () => {
          await endAllWaits();
          const [open] = await rows<{ n: number }>(sql`
        select count(*)::int as n from slowwave.user_tiers
        where tier = 'deep' and last_success_at is null and quarantined_at is null`);
          return open!.n;
        };
        await until('everybody to be done or in quarantine', async () => (await left()) === 0, LIMIT_MS);
        expect((await inQuarantine()).map(({ user }) => user)).toEqual(['exitsLate']);
        for (const user of bystanders)
          expect((await runsOf(user)).at(-1)).toMatchObject({ status: 'completed' });
      },
      2 * LIMIT_MS,
    );

    it(
      'hold up nobody else even if they never give the thread back: the process ends itself',
      async () => {
        const { ends } = await prove([LOOPS], (of) => inProcesses(of, 5_000));
        expect(ends.slice(0, 3)).toEqual([null, null, null]);
        expect(workers!.output()).toContain('The main thread has not turned for 5 s');
      },
      2 * LIMIT_MS,
    );
  });
}
