import {
  ensureUsers,
  pauseTenant,
  pauseTier,
  pauseUser,
  requestRun,
  resumeTenant,
  resumeTier,
  resumeUser,
} from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import type { Step } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BACKENDS, type BackendFixture, openOnRedis } from '../fixtures/backends.ts';
import { privateRedis } from '../fixtures/private-redis.ts';
import { until } from '../fixtures/wait.ts';
import { startWorker, type WorkerFixture } from '../fixtures/workers.ts';
import { stageOf } from '../producer/harness.ts';

const TENANT = 't';
const TICK_MS = 500;

/** A producer that ticks and a worker whose steps do nothing but pass a gate. */
async function openScene(open: () => Promise<BackendFixture>) {
  const backend = await open();
  const stage = stageOf(backend);
  const { producer, log } = stage.newProducer({ tickMs: TICK_MS, timing: { watchEveryMs: 100 } });
  let gate: Promise<void> = Promise.resolve();
  const begun: string[] = [];
  const step: Step = {
    name: 'pass',
    async run({ user }) {
      begun.push(user);
      await gate;
      return { status: 'done', counts: {} };
    },
  };
  const worker: WorkerFixture = await startWorker(backend, null, {
    tierSteps: { light: [step], deep: [step], sleep: [step] },
  });
  await producer.startTicks();
  return {
    backend,
    stage,
    begun,
    /** Runs begin and do not end until the returned function is called. */
    shut(): () => void {
      let open = () => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
    enqueued: () => log.lines().filter((line) => line.msg === 'wake-ups enqueued').length,
    async close() {
      await producer.close(5_000);
      await worker.close();
      await stage.dispose();
    },
  };
}
type Scene = Awaited<ReturnType<typeof openScene>>;

const rowsOf = <Row extends object>(
  { backend }: Scene,
  query: ReturnType<typeof sql>,
  tenant = TENANT,
): Promise<Row[]> => backend.database.withTenant(tenant, (tx) => tx.rows<Row>(query));

/** Users for whom nothing is due. */
async function addIdle({ backend }: Scene, users: readonly string[], tenant = TENANT): Promise<void> {
  await backend.database.withTenant(tenant, async (tx) => {
    await ensureUsers(
      tx,
      users.map((user) => ({ tenant, user })),
      Date.now(),
    );
    for (const user of users)
      await tx.rows(sql`
        update slowwave.user_tiers set due_at = 'infinity' where tenant = ${tenant} and user_id = ${user}`);
  });
}

/** Their light tier is due, whenever it ran last. */
async function makeDue(scene: Scene, users: readonly string[], tenant = TENANT): Promise<void> {
  const list = JSON.stringify(users);
  await rowsOf(
    scene,
    sql`update slowwave.user_tiers set due_at = now() - interval '1 minute', next_attempt_at = '-infinity'
      where tenant = ${tenant} and tier = 'light'
        and user_id in (select jsonb_array_elements_text(${list}::jsonb))`,
    tenant,
  );
}

/** Completed runs of each user. */
async function completed(scene: Scene, tenant = TENANT): Promise<Record<string, number>> {
  const rows = await rowsOf<{ user: string; n: number }>(
    scene,
    sql`select user_id as "user", count(*)::int as n from slowwave.runs
      where tenant = ${tenant} and status = 'completed' group by user_id`,
    tenant,
  );
  return Object.fromEntries(rows.map(({ user, n }) => [user, n]));
}

const ran = (scene: Scene, user: string, times: number, tenant = TENANT): Promise<boolean> =>
  until(`${user} to have run`, async () => ((await completed(scene, tenant))[user] ?? 0) >= times);

/** Lets every tier beat so often: whoever is due has been taken by then. */
async function beats({ stage }: Scene, times: number): Promise<void> {
  for (const tier of TIERS) {
    let last = (await stage.queues.nextTick(tier)) ?? 0;
    for (let beat = 0; beat < times; beat += 1) {
      const seen: number = last;
      last = await until('a beat', async () => {
        const next = await stage.queues.nextTick(tier);
        return next !== null && next > seen && next;
      });
    }
  }
}

const serial = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i}`);

describe.each(BACKENDS)('schedules on %s', (_name, open) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(open);
  });
  afterAll(() => scene?.close());

  it('reach a new user whom nobody registered anywhere', async () => {
    await scene.backend.database.withTenant(TENANT, (tx) =>
      ensureUsers(tx, [{ tenant: TENANT, user: 'new' }], Date.now()),
    );
    await ran(scene, 'new', 1);
    await rowsOf(scene, sql`update slowwave.user_tiers set due_at = 'infinity' where user_id = 'new'`);
  });

  it('come back by themselves when all of them were deleted', async () => {
    await addIdle(scene, ['ana']);
    for (const tier of TIERS) await scene.backend.queues.queues.ticks.removeJobScheduler(`tick-${tier}`);
    for (const tier of TIERS)
      await until(`${tier} to beat again`, async () => (await scene.stage.queues.nextTick(tier)) !== null);
    await makeDue(scene, ['ana']);
    await ran(scene, 'ana', 1);
    await beats(scene, 2);
    expect((await completed(scene)).ana).toBe(1);
  });

  it('leave a paused user alone until they are resumed', async () => {
    const { database } = scene.backend;
    await addIdle(scene, ['ben', 'cleo']);
    await database.withTenant(TENANT, (tx) => pauseUser(tx, { tenant: TENANT, user: 'ben' }));
    await makeDue(scene, ['ben', 'cleo']);
    await ran(scene, 'cleo', 1);
    await beats(scene, 2);
    expect(await completed(scene)).not.toHaveProperty('ben');
    await database.withTenant(TENANT, (tx) => resumeUser(tx, { tenant: TENANT, user: 'ben' }));
    await ran(scene, 'ben', 1);
  });

  it('leave a paused tenant alone, its users to come included', async () => {
    const { database } = scene.backend;
    await addIdle(scene, ['dora'], 'paused');
    await addIdle(scene, ['dora']);
    await pauseTenant(database, { tenant: 'paused', at: Date.now() });
    await addIdle(scene, ['ed'], 'paused');
    await makeDue(scene, ['dora', 'ed'], 'paused');
    await makeDue(scene, ['dora']);
    await ran(scene, 'dora', 1);
    await beats(scene, 2);
    expect(await completed(scene, 'paused')).toEqual({});
    await resumeTenant(database, { tenant: 'paused' });
    await ran(scene, 'dora', 1, 'paused');
    await ran(scene, 'ed', 1, 'paused');
  });

  it('leave a paused tier alone, while what somebody asks for is done', async () => {
    const { database, queues } = scene.backend;
    await addIdle(scene, ['fay', 'gus']);
    await database.asDispatcher((tx) => pauseTier(tx, { tier: 'light', at: Date.now() }));
    await makeDue(scene, ['fay']);
    await beats(scene, 2);
    const of = { tenant: TENANT, user: 'gus', tier: 'light' as const };
    const asked = await database.withTenant(TENANT, (tx) => requestRun(tx, { ...of, at: Date.now() }));
    if (asked.status !== 'requested') throw new Error('not requested');
    await queues.addAdhoc({ v: 1, ...of, why: 'adhoc', runId: asked.runId });
    await ran(scene, 'gus', 1);
    expect(await completed(scene)).not.toHaveProperty('fay');
    await database.asDispatcher((tx) => resumeTier(tx, { tier: 'light' }));
    await ran(scene, 'fay', 1);
  });

  it('enqueue nobody and write no row when nothing is due', async () => {
    const { database, queues } = scene.backend;
    await beats(scene, 1);
    await until('nobody to be at work', async () => {
      const [row] = await rowsOf<{ held: number }>(
        scene,
        sql`select count(*)::int as held from slowwave.leases where expires_at > clock_timestamp()`,
      );
      return row!.held === 0;
    });
    // Every row with the transaction that wrote it, of every table.
    const state = async () => {
      const tables = await database.asOwner((tx) =>
        tx.rows<{ name: string }>(sql`
          select table_name as name from information_schema.tables
          where table_schema = 'slowwave' and table_type = 'BASE TABLE' order by 1`),
      );
      const sums: Record<string, string> = {};
      for (const { name } of tables) {
        const [row] = await database.asOwner((tx) =>
          tx.rows<{ sum: string }>(sql`
            select count(*) || ':' || coalesce(sum(hashtext(t::text || t.xmin::text)::bigint), 0) as sum
            from slowwave.${sql.identifier(name)} t`),
        );
        sums[name] = row!.sum;
      }
      return sums;
    };
    const before = { state: await state(), enqueued: scene.enqueued(), begun: scene.begun.length };
    expect(Object.keys(before.state)).toEqual(
      expect.arrayContaining(['leases', 'memories', 'runs', 'user_tiers']),
    );
    await beats(scene, 3);
    expect({ state: await state(), enqueued: scene.enqueued(), begun: scene.begun.length }).toEqual(before);
    for (const tier of TIERS)
      expect(await queues.counts(tier)).toMatchObject({ waiting: 0, active: 0, delayed: 0 });
  });
});

describe('schedules on a Redis that loses everything', () => {
  let redis: Awaited<ReturnType<typeof privateRedis>>;
  let scene: Scene;
  beforeAll(async () => {
    redis = await privateRedis();
    scene = await openScene(() => openOnRedis(redis.url));
  });
  afterAll(async () => {
    await scene?.close();
    await redis?.stop();
  });

  it('run everything that was due or asked for once, and nothing else', async () => {
    const { backend, begun } = scene;
    const [before, due, later] = [serial('before', 5), serial('due', 24), serial('later', 5)];
    const asked = ['asked-0', 'asked-1'];
    await addIdle(scene, [...before, ...due, ...later, ...asked]);
    await makeDue(scene, before);
    for (const user of before) await ran(scene, user, 1);

    // Some are under way, the rest waits in the queue, and so it is with what somebody asked for.
    const open = scene.shut();
    await makeDue(scene, due);
    const underWay = () => begun.filter((user) => user.startsWith('due')).length;
    const waiting = async () => (await backend.queues.counts('light')).waiting;
    await until('four to run', () => underWay() === 4);
    await until('the rest to wait', async () => (await waiting()) === due.length - 4);
    for (const user of asked) {
      const of = { tenant: TENANT, user, tier: 'light' as const };
      const run = await backend.database.withTenant(TENANT, (tx) =>
        requestRun(tx, { ...of, at: Date.now() }),
      );
      if (run.status !== 'requested') throw new Error('not requested');
      await backend.queues.addAdhoc({ v: 1, ...of, why: 'adhoc', runId: run.runId });
    }
    await until('one that was asked for to run', () => begun.includes('asked-0'));

    const client = new Redis(redis.url);
    expect(await client.flushall()).toBe('OK');
    await client.quit();
    await until('those who waited to wait again', async () => (await waiting()) >= due.length - 4);
    open();
    for (const user of [...due, ...asked]) await ran(scene, user, 1);
    await beats(scene, 3);
    const once = Object.fromEntries([...before, ...due, ...asked].map((user) => [user, 1]));
    expect(await completed(scene)).toEqual(once);
    expect(await waiting()).toBe(0);
  });
});
