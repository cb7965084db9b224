import { randomBytes } from 'node:crypto';
import { ensureUsers, insertMemories, insertRelations, type NewMemory } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fuse } from '../fakes/fuse.ts';
import { startMessagesServer } from '../fakes/messages-server.ts';
import type { FakeServer } from '../fakes/scripted-server.ts';
import { type DatabaseFixture, redisUrl, serverFixture } from '../fixtures/databases.ts';
import { DAY, newMemory } from '../fixtures/memories.ts';
import { PRODUCER, type ProcessFixture, startProcess, WORKER } from '../fixtures/processes.ts';
import { until } from '../fixtures/wait.ts';
import { gate } from '../queue/harness.ts';

const USERS = 200;
/** One statement, judged twice. */
const CALLS_PER_USER = 3;
/** For all of them together. */
const LIMIT_MS = 600_000;
const CANARY = 'marmalade-canary-heron';
const TENANT = 'acme';
const TOKEN = 'operator-token-for-tests';

describe('two workers and one producer on Redis and PostgreSQL', () => {
  let fixture: DatabaseFixture;
  let model: FakeServer;
  let processes: ProcessFixture[] = [];
  let environment: Record<string, string>;
  const outputs: string[] = [];
  /** From this call on the model answers no request until the gate is open. */
  let heldFrom = Number.POSITIVE_INFINITY;
  const held = gate();

  beforeAll(async () => {
    const answer = fuse({ delayMs: 100 });
    model = await startMessagesServer(async (call) => {
      const behaviour = await answer(call);
      if (call.index >= heldFrom) await held.opened;
      return behaviour;
    });
  });
  afterEach(async () => {
    outputs.push(...processes.map((started) => started.output()));
    await Promise.all(processes.map((started) => started.stop()));
    processes = [];
    await fixture?.drop();
  });
  afterAll(() => model?.stop());

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    fixture.database.withTenant(TENANT, (tx) => tx.rows<Row>(query));

  async function start(): Promise<{ workers: ProcessFixture[] }> {
    fixture = await serverFixture();
    await seedUsers();
    environment = {
      DATABASE_URL: fixture.url!,
      QUEUE_URL: redisUrl(),
      SLOWWAVE_QUEUE_PREFIX: `e2e${randomBytes(4).toString('hex')}`,
      SLOWWAVE_MODEL_PROVIDER: 'anthropic',
      SLOWWAVE_MODEL: 'fake',
      ANTHROPIC_API_KEY: 'test-key-1234',
      ANTHROPIC_BASE_URL: model.url,
      SLOWWAVE_OPERATOR_TOKEN: TOKEN,
      SLOWWAVE_HTTP_PORT: '0',
      SLOWWAVE_WORKER_HEALTH_PORT: '0',
      SLOWWAVE_LEASE_SECONDS: '60',
      SLOWWAVE_TICK_SECONDS: '1',
      SLOWWAVE_LOG_LEVEL: 'info',
    };
    const workers = [startProcess(WORKER, environment), startProcess(WORKER, environment)];
    processes = [...workers];
    // Nothing is to do before both of them can do it.
    await until('both workers to be ready', () =>
      workers.every((worker) => worker.logged().some(({ msg }) => msg === 'worker ready')),
    );
    processes.push(startProcess(PRODUCER, environment));
    return { workers };
  }

  /** Users with one dormant cluster of four each, deep due since a minute, nothing else due. */
  async function seedUsers(): Promise<void> {
    const users = Array.from({ length: USERS }, (_, i) => `user-${i}`);
    const memories: NewMemory[] = users.flatMap((user) =>
      ['near the canal', 'with a garden of roses', `above the ${CANARY} shop`, 'in a house of brick'].map(
        (place, k) =>
          newMemory(user, `f${k}`, `Ana lives in Dublin ${place}.`, { documentDate: Date.now() - 90 * DAY }),
      ),
    );
    await fixture.database.withTenant(TENANT, async (tx) => {
      await ensureUsers(
        tx,
        users.map((user) => ({ tenant: TENANT, user })),
        Date.now(),
      );
      await insertMemories(tx, { tenant: TENANT, memories, at: Date.now() });
      const relations = users.flatMap((user) =>
        [1, 2, 3].map((k) => ({
          user,
          sourceExternalId: `f${k - 1}`,
          targetExternalId: `f${k}`,
          relationType: 'EXTENDS' as const,
          confidence: 0.9,
        })),
      );
      await insertRelations(tx, { tenant: TENANT, relations, at: Date.now() });
      await tx.rows(
        sql`update slowwave.user_tiers set due_at = case when tier = 'deep' then now() - interval '1 minute' else 'infinity' end`,
      );
    });
  }

  async function countDerived(): Promise<number> {
    const [row] = await rows<{ n: number }>(
      sql`select count(*)::int as n from slowwave.memories where memory_type = 'derived'`,
    );
    return row!.n;
  }

  /** Every user consolidated once: one derived memory, its four sources superseded by it, one applied statement, nothing claimed. */
  async function expectExactlyOnce(): Promise<void> {
    const odd = await rows(sql`
      select u.id from slowwave.users u
      left join slowwave.memories m on m.tenant = u.tenant and m.user_id = u.id
      group by u.id
      having count(*) filter (where m.memory_type = 'derived') <> 1
        or count(*) filter (where m.memory_type = 'superseded') <> 4
        or count(distinct m.superseded_by) <> 1`);
    expect(odd).toEqual([]);
    const ledger = await rows<{ status: string; n: number }>(sql`
      select status, count(*)::int as n from slowwave.fusions group by status order by status`);
    expect(ledger).toEqual([
      { status: 'applied', n: USERS },
      { status: 'closed', n: USERS },
    ]);
    const live = await rows(sql`select 1 from slowwave.fusion_sources where live`);
    expect(live).toEqual([]);
  }

  const deepRuns = (worker: ProcessFixture): number =>
    worker.logged().filter((line) => line.msg === 'run finished' && line.tier === 'deep').length;

  it(
    'consolidate every user once and share the work',
    async () => {
      const { workers } = await start();
      const callsBefore = model.calls.length;
      await until('200 derived memories', async () => (await countDerived()) >= USERS, LIMIT_MS);
      await until('the runs to be reported', () => deepRuns(workers[0]!) + deepRuns(workers[1]!) >= USERS);
      await expectExactlyOnce();
      expect(model.calls.length - callsBefore).toBe(CALLS_PER_USER * USERS);
      const shares = workers.map(deepRuns);
      expect(shares[0]! + shares[1]!).toBe(USERS);
      expect(Math.min(...shares)).toBeGreaterThan(USERS / 10);
      process.stdout.write(
        `two workers, ${USERS} users: shares ${shares.join(' and ')}, ${model.calls.length - callsBefore} model calls\n`,
      );
      expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0]);
    },
    2 * LIMIT_MS,
  );

  it(
    'consolidate every user once although one is killed in the middle of fusions',
    async () => {
      const callsBefore = model.calls.length;
      heldFrom = callsBefore + 50 * CALLS_PER_USER;
      const { workers } = await start();
      const victim = await until('the worker to say its name', () =>
        workers[0]!.logged().find((line) => line.msg === 'worker takes jobs'),
      );
      // In the middle of fusions: some are done, and this worker waits for the model with sources claimed.
      const inFlight = sql`
      select count(*)::int as n from slowwave.fusions f join slowwave.leases l on l.tenant = f.tenant and l.user_id = f.user_id
      where f.status in ('planned', 'generated') and l.expires_at > clock_timestamp() and l.holder like ${`${victim.worker}:%`}`;
      const killedAt = await until('fusions in the middle', async () => {
        const derived = await countDerived();
        const [row] = await rows<{ n: number }>(inFlight);
        return derived >= 40 && row!.n >= 2 ? derived : null;
      });
      workers[0]!.kill('SIGKILL');
      await workers[0]!.exitCode();
      // What it held runs out.
      await fixture.database.asOwner((tx) =>
        tx.rows(
          sql`update slowwave.leases set expires_at = clock_timestamp() where expires_at > clock_timestamp() and holder like ${`${victim.worker}:%`}`,
        ),
      );
      held.open();
      expect(killedAt).toBeLessThan(USERS);
      await until('200 derived memories', async () => (await countDerived()) >= USERS, LIMIT_MS);
      await expectExactlyOnce();
      const calls = model.calls.length - callsBefore;
      // At most the calls in flight at the kill are paid twice: four users at a time.
      expect(calls).toBeLessThanOrEqual(CALLS_PER_USER * USERS + 4);
      process.stdout.write(
        `one of two workers killed after ${killedAt} fusions: ${calls} model calls for ${USERS} users\n`,
      );
    },
    2 * LIMIT_MS,
  );

  it('leave no text of a memory in Redis or in the logs', async () => {
    const redis = new Redis(redisUrl());
    const found: string[] = [];
    try {
      for await (const keys of redis.scanStream({ match: 'e2e*', count: 1_000 })) {
        for (const key of keys as string[]) {
          const dump = await redis.dumpBuffer(key);
          if (key.includes(CANARY) || dump?.includes(CANARY)) found.push(key);
        }
      }
    } finally {
      redis.disconnect();
    }
    expect(found).toEqual([]);
    expect(outputs.length).toBeGreaterThanOrEqual(6);
    expect(outputs.join('\n').length).toBeGreaterThan(10_000);
    expect(outputs.join('\n')).not.toContain(CANARY);
  });
});
