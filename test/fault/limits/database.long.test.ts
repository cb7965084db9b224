import { randomBytes } from 'node:crypto';
import { DatabaseError, insertMemories } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisUrl } from '../../fixtures/databases.ts';
import { newMemory } from '../../fixtures/memories.ts';
import { until } from '../../fixtures/wait.ts';
import { type OwnPostgres, startOwnPostgres } from '../own-servers.ts';
import {
  type Ground,
  type HeldModel,
  openGround,
  startHeldModel,
  TENANT,
  waitForStarts,
} from '../recovery/ground.ts';
import { type Service, startService } from './service.ts';

const MAX_CONNECTIONS = 40;
const USERS = 8;
/** The product waits after failures, the longer the more there were. */
const DONE_MS = 240_000;
const CANARY = 'CANARY-tin-otter';
const named = (name: string) => Array.from({ length: USERS }, (_, i) => `${name}-${i}`);

/** Opens sessions until there is none left. */
async function takeAll(url: string, taken: pg.Client[]): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url, application_name: 'taker' });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      expect((error as { code?: string }).code).toBe('53300');
      return;
    }
    taken.push(client);
  }
}

describe('PostgreSQL at its limits', { timeout: 2 * DONE_MS }, () => {
  let postgres: OwnPostgres;
  let model: HeldModel;
  let ground: Ground;
  let service: Service;

  beforeAll(async () => {
    postgres = await startOwnPostgres({
      diskBytes: 256 * 1024 ** 2,
      settings: { max_connections: String(MAX_CONNECTIONS) },
    });
    model = await startHeldModel();
    const prefix = `limits${randomBytes(4).toString('hex')}`;
    // Under a name of its own, so that it can be told from the product's sessions.
    const own = `${postgres.url}?application_name=ground`;
    ground = await openGround(own, { kind: 'redis', url: redisUrl(), prefix });
    service = await startService({
      databaseUrl: postgres.url,
      queueUrl: redisUrl(),
      prefix,
      modelUrl: model.url,
      env: { SLOWWAVE_TICK_SECONDS: '1' },
    });
    await service.allReady();
  });
  afterAll(async () => {
    model?.stop();
    await service?.stop();
    await ground?.close();
    await postgres?.dispose();
  });

  async function expectAllDone(users: readonly string[]): Promise<void> {
    await until(
      'everybody to be done',
      async () => (await ground.countDone(users)) === users.length,
      DONE_MS,
    );
    await service.allReady();
    expect(await ground.countQuarantined()).toBe(0);
    const odd = await ground.database.withTenant(TENANT, (tx) =>
      tx.rows(sql`
        select user_id from slowwave.memories
        where user_id in (select jsonb_array_elements_text(${JSON.stringify(users)}::jsonb)) group by user_id
        having count(*) filter (where memory_type = 'derived') <> 1 or count(*) filter (where memory_type = 'superseded') <> 4`),
    );
    expect(odd).toEqual([]);
    expect(service.output()).not.toContain(CANARY);
  }

  it('with no connection left nobody is ready; once there are some, all goes on by itself', async () => {
    const { producer, workers } = service;
    const users = named('crowded-out');
    await ground.countQuarantined();
    const taken: pg.Client[] = [];
    try {
      const isOurs = ({ application }: { application: string }) => application === 'slowwave';
      await until('the service to be crowded out', async () => {
        // Looked at all the time, as the session of an idle pool is given back.
        await ground.countQuarantined();
        await postgres.terminateSessions(isOurs);
        await takeAll(postgres.url, taken);
        return !(await postgres.sessions()).some(isOurs);
      });
      await ground.addUsers(users, 'deep');
      await until('the producer to say so', async () => {
        const { ready, because } = await producer.readiness();
        return !ready && because.includes('database');
      });
      await until('the worker to say so', async () => {
        const { ready, because } = await workers[0]!.readiness();
        return !ready && because.some((reason) => reason.startsWith('database'));
      });
      expect(await ground.countDone(users)).toBe(0);
    } finally {
      await Promise.all(taken.map((client) => client.end()));
    }
    await expectAllDone(users);
  });

  it('with a full disk nothing is half-written; once there is room, all goes on by itself', async () => {
    const users = named('no-room');
    model.hold();
    await ground.addUsers(users, 'deep');
    await waitForStarts(ground, users.slice(0, 4), 0, 60_000);
    await postgres.fillDisk();
    // What was acknowledged is there afterwards, and nothing else.
    let acknowledged = 0;
    const refused = await until('a write to be refused', async () => {
      const memories = Array.from({ length: 20 }, (_, k) =>
        newMemory(
          users[0]!,
          `page-${acknowledged}-${k}`,
          `${CANARY} ${randomBytes(12_000).toString('hex')}`,
          {
            documentDate: Date.now(),
          },
        ),
      );
      try {
        await ground.database.withTenant(TENANT, (tx) =>
          insertMemories(tx, { tenant: TENANT, memories, at: Date.now() }),
        );
        acknowledged += 1;
        return null;
      } catch (error) {
        return error;
      }
    });
    expect(refused).toBeInstanceOf(DatabaseError);
    expect(refused).toMatchObject({ retryable: true });
    expect((refused as Error).message).not.toContain(CANARY);
    model.letGo();
    await until('runs to have met the full disk or ended', async () => {
      const text = service.output();
      return /out_of_space|unavailable|run finished/.test(text);
    });
    await postgres.freeDisk();
    // Without room for its log the server may have ended itself: then whoever looks after it starts it again.
    if (!(await postgres.isRunning())) await postgres.start();
    await expectAllDone(users);
    const [row] = await ground.database.withTenant(TENANT, (tx) =>
      tx.rows<{ n: number }>(
        sql`select count(*)::int as n from slowwave.memories where external_id like 'page-%'`,
      ),
    );
    expect(row!.n).toBe(acknowledged * 20);
  });
});
