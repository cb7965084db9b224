import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseFixture, serverFixture } from '../../fixtures/databases.ts';
import { until } from '../../fixtures/wait.ts';
import { type OwnRedis, startOwnRedis } from '../own-servers.ts';
import { type Ground, openGround } from '../recovery/ground.ts';
import { type Service, startService } from './service.ts';

const USERS = 8;
/** The product waits after failures, the longer the more there were. */
const DONE_MS = 240_000;
const named = (name: string) => Array.from({ length: USERS }, (_, i) => `${name}-${i}`);

describe('Redis at its limits', { timeout: 2 * DONE_MS }, () => {
  let redis: OwnRedis;
  let fixture: DatabaseFixture;
  let ground: Ground;
  let service: Service;

  beforeAll(async () => {
    redis = await startOwnRedis();
    fixture = await serverFixture();
    ground = await openGround(fixture.url!, { kind: 'redis', url: redis.url });
    service = await startService({
      databaseUrl: fixture.url!,
      queueUrl: redis.url,
      prefix: null,
      env: { SLOWWAVE_TICK_SECONDS: '1', SLOWWAVE_MODEL_PROVIDER: 'offline' },
    });
    await service.allReady();
  });
  afterAll(async () => {
    await service?.stop();
    await ground?.close();
    await fixture?.drop();
    await redis?.dispose();
  });

  async function expectNotReady(): Promise<void> {
    await until('the producer to say so', async () => {
      const { ready, because } = await service.producer.readiness();
      return !ready && because.includes('queue');
    });
    await until('the worker to say so', async () => {
      const { ready, because } = await service.workers[0]!.readiness();
      return !ready && because.some((reason) => reason.startsWith('queue'));
    });
  }

  async function expectAllDone(users: readonly string[]): Promise<void> {
    await until(
      'everybody to be done',
      async () => (await ground.countDone(users)) === users.length,
      DONE_MS,
    );
    await service.allReady();
    expect(await ground.countQuarantined()).toBe(0);
  }

  it('with no memory left it takes no job, and whoever is due stays due; once there is some, all goes on by itself', async () => {
    await redis.setMaxMemory(1);
    const users = named('no-memory');
    await ground.addUsers(users, 'deep');
    await expectNotReady();
    expect(await ground.countDone(users)).toBe(0);
    await redis.setMaxMemory(0);
    await expectAllDone(users);
  });

  it('with no connection left nobody is ready; once there are some, all goes on by itself', async () => {
    await redis.setMaxClients(1);
    await redis.killClients();
    const users = named('crowded-out');
    await ground.addUsers(users, 'deep');
    await expectNotReady();
    expect(await ground.countDone(users)).toBe(0);
    await redis.setMaxClients(1_000);
    await expectAllDone(users);
  });
});
