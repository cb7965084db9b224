import {
  type Database,
  ensureUsers,
  insertMemories,
  insertRelations,
  migrate,
  openServer,
} from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { connectQueues, type QueueBackend, type Queues } from '@slowwave/queue';
import { sql } from 'drizzle-orm';
import { fuse } from '../../fakes/fuse.ts';
import { startMessagesServer } from '../../fakes/messages-server.ts';
import type { FakeServer } from '../../fakes/scripted-server.ts';
import { DAY, newMemory } from '../../fixtures/memories.ts';
import { until } from '../../fixtures/wait.ts';

export const TENANT = 'recovery';
const PLACES = ['near the canal', 'with a garden of roses', 'above the shop', 'in a house of brick'];

/** A model whose answers wait for as long as they are held. */
export interface HeldModel {
  url: string;
  hold(): void;
  letGo(): void;
  calls(): number;
  stop(): Promise<void>;
}

/** @param delayMs of each answer, once it is not held */
export async function startHeldModel(delayMs = 0): Promise<HeldModel> {
  const answer = fuse({ delayMs });
  let open = Promise.resolve();
  let letGo = () => {};
  const server: FakeServer = await startMessagesServer(async (call) => {
    await open;
    return answer(call);
  });
  return {
    url: server.url,
    hold() {
      open = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    letGo: () => letGo(),
    calls: () => server.calls.length,
    async stop() {
      letGo();
      await server.stop();
    },
  };
}

/** What a test or a measurement does to the data of a service, and sees of it, from outside. */
export interface Ground {
  database: Database;
  /** Gives each of these users a cluster, and lets one tier be due now. */
  addUsers(users: readonly string[], tier: Tier): Promise<void>;
  /** Puts wake-ups in the queue, as a tick would. */
  wake(users: readonly string[], tier: Tier): Promise<void>;
  /** The start of the latest run of each of these users, epoch ms. */
  startsOf(users: readonly string[]): Promise<{ user: string; startedAt: number }[]>;
  /** How many of these users have had a run that ended well. */
  countDone(users: readonly string[]): Promise<number>;
  /** Users in quarantine. */
  countQuarantined(): Promise<number>;
  /** When the schedulers beat next, epoch ms; null for one that is lost. */
  nextTicks(): Promise<(number | null)[]>;
  close(): Promise<void>;
}

export async function openGround(databaseUrl: string, backend: QueueBackend): Promise<Ground> {
  const database = await openServer({ url: databaseUrl, poolSize: 4, connectTimeoutMs: 60_000 });
  await migrate(database);
  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    database.withTenant(TENANT, (tx) => tx.rows<Row>(query));
  const listOf = (users: readonly string[]) =>
    sql`(select jsonb_array_elements_text(${JSON.stringify(users)}::jsonb))`;

  /** With connections of its own: those of a crash would have to find their way back first. */
  async function withQueues<T>(work: (queues: Queues) => Promise<T>): Promise<T> {
    const queues = await connectQueues(backend, { connect: { attempts: 1 } });
    try {
      return await work(queues);
    } finally {
      await queues.close();
    }
  }

  return {
    database,
    addUsers: (users, tier) => addUsers(database, users, tier),
    wake: (users, tier) =>
      withQueues((queues) =>
        queues.addBulk(users.map((user) => ({ v: 1, tenant: TENANT, user, tier, why: 'schedule' }))),
      ),
    startsOf: (users) =>
      rows(sql`
        select user_id as "user", extract(epoch from max(started_at))::float8 * 1000 as "startedAt"
        from slowwave.runs where user_id in ${listOf(users)} and started_at is not null group by user_id`),
    async countDone(users) {
      const [row] = await rows<{ n: number }>(sql`
        select count(distinct user_id)::int as n from slowwave.runs
        where user_id in ${listOf(users)} and status = 'completed'`);
      return row!.n;
    },
    async countQuarantined() {
      const [row] = await rows<{ n: number }>(sql`
        select count(distinct user_id)::int as n from slowwave.user_tiers where quarantined_at is not null`);
      return row!.n;
    },
    nextTicks: () =>
      withQueues((queues) =>
        Promise.all((['light', 'deep', 'sleep'] as const).map((tier) => queues.nextTick(tier))),
      ),
    close: () => database.close(),
  };
}

async function addUsers(database: Database, users: readonly string[], tier: Tier): Promise<void> {
  const at = Date.now();
  const of = users.map((user) => ({ tenant: TENANT, user }));
  // Old enough for the night, dim enough for the day.
  const memories = users.flatMap((user) =>
    PLACES.map((place, k) =>
      newMemory(user, `f${k}`, `Ana lives in Dublin ${place}.`, { documentDate: at - 90 * DAY }),
    ),
  );
  const relations = users.flatMap((user) =>
    PLACES.slice(1).map((_, k) => ({
      user,
      sourceExternalId: `f${k}`,
      targetExternalId: `f${k + 1}`,
      relationType: 'EXTENDS' as const,
      confidence: 0.9,
    })),
  );
  await database.withTenant(TENANT, async (tx) => {
    await ensureUsers(tx, of, at);
    await insertMemories(tx, { tenant: TENANT, memories, at: at - 3 * DAY });
    await insertRelations(tx, { tenant: TENANT, relations, at });
    const ids = JSON.stringify(users);
    // No quiet hours: the night is now.
    await tx.rows(sql`
      update slowwave.users set quiet_start = quiet_end where id in (select jsonb_array_elements_text(${ids}::jsonb))`);
    await tx.rows(sql`
      update slowwave.user_tiers set due_at = case when tier = ${tier} then now() - interval '1 minute' else 'infinity' end
      where user_id in (select jsonb_array_elements_text(${ids}::jsonb))`);
  });
}

/** Waits until each of these users has a run that began at `since` or later. @returns ms from `since` to each */
export async function waitForStarts(
  ground: Ground,
  users: readonly string[],
  since: number,
  limitMs: number,
): Promise<number[]> {
  return until(
    `${users.length} runs to begin`,
    async () => {
      const begun = (await ground.startsOf(users)).filter(({ startedAt }) => startedAt >= since);
      return begun.length === users.length ? begun.map(({ startedAt }) => startedAt - since) : null;
    },
    limitMs,
  );
}
