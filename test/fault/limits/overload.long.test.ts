import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askForRun } from '../../../apps/standalone/src/runs.ts';
import { type BackendFixture, openOnRedis } from '../../fixtures/backends.ts';
import { redisUrl } from '../../fixtures/databases.ts';
import { until } from '../../fixtures/wait.ts';
import { type Ground, openGround, TENANT, waitForStarts } from '../recovery/ground.ts';
import { SERVED_WITHIN_MS, watchStrain } from './load.ts';
import { type Service, startService } from './service.ts';

/** Due in the same moment. By hand: LIMITS_USERS=10000. */
const USERS = Number(process.env.LIMITS_USERS ?? 400);
const CAP = Math.max(20, USERS / 20);
const PAGE = 1_000;
const GROWTH_BYTES = 256 * 1024 ** 2;
const HOUR_MS = 3_600_000;

describe(`${USERS} users due at once`, () => {
  let backend: BackendFixture;
  let ground: Ground;
  let service: Service;
  const crowd = Array.from({ length: USERS }, (_, i) => `crowd-${i}`);

  beforeAll(async () => {
    backend = await openOnRedis(redisUrl());
    ground = await openGround(backend.url!, { kind: 'redis', url: redisUrl(), prefix: backend.prefix! });
    for (let from = 0; from < USERS; from += PAGE)
      await ground.addUsers(crowd.slice(from, from + PAGE), 'light');
    await ground.addUsers(['asker'], 'light');
    await setDue('infinity');
    service = await startService({
      databaseUrl: backend.url!,
      queueUrl: redisUrl(),
      prefix: backend.prefix,
      env: {
        SLOWWAVE_TICK_SECONDS: '1',
        SLOWWAVE_QUEUE_CAP: String(CAP),
        SLOWWAVE_MODEL_PROVIDER: 'offline',
      },
    });
    await service.allReady();
  }, HOUR_MS);
  afterAll(async () => {
    await service?.stop();
    await ground?.close();
    await backend?.drop();
  });

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    ground.database.withTenant(TENANT, (tx) => tx.rows<Row>(query));
  const setDue = (at: string) =>
    rows(sql`update slowwave.user_tiers set due_at = ${at}::timestamptz where tier = 'light'`);

  it(
    'wait in the database, which readiness tells, while other tiers and whoever asks are served',
    async () => {
      const parts = [service.producer, service.workers[0]!];
      const before = await Promise.all(parts.map((part) => part.strain()));
      const watches = await Promise.all(parts.map(watchStrain));
      let longestQueue = 0;
      const lookAtQueue = async () => {
        const { waiting, delayed, active } = await backend.queues.counts('light');
        longestQueue = Math.max(longestQueue, waiting + delayed + active);
      };
      await setDue(new Date(Date.now() - HOUR_MS).toISOString());
      await until('the service to say so', async () => (await overdue()) > USERS / 2);
      await ground.addUsers(['of-another-tier'], 'deep');
      const waits: number[] = [];
      for (let turn = 0; turn < 5; turn += 1) {
        waits.push(await ask());
        await lookAtQueue();
        expect(await service.producer.readiness()).toMatchObject({ ready: true });
      }
      await until(
        'the other tier to be served',
        async () => (await ground.countDone(['of-another-tier'])) === 1,
      );
      const doneMeanwhile = await ground.countDone(crowd);
      expect(doneMeanwhile).toBeLessThan(USERS);
      await until(
        'everybody to have had a turn',
        async () => {
          await lookAtQueue();
          return (await ground.countDone(crowd)) === USERS;
        },
        HOUR_MS,
      );
      expect(longestQueue).toBeLessThanOrEqual(CAP);
      expect(await overdue()).toBe(0);
      await service.allReady();
      const more = await rows(sql`
      select user_id from slowwave.runs where user_id like 'crowd-%' group by 1 having count(*) <> 1`);
      expect(more).toEqual([]);
      const worst = await Promise.all(watches.map((watch) => watch.stop()));
      const growth = worst.map(({ residentBytes }, i) => residentBytes - before[i]!.residentBytes);
      const megabytes = growth.map((bytes) => (bytes / 1024 ** 2).toFixed(0));
      process.stdout.write(
        `overload: ${USERS} users, at most ${longestQueue} of ${CAP} in the queue; asked runs began after ${waits.join(', ')} ms; producer ${megabytes[0]} MiB more, worker ${megabytes[1]} MiB more\n`,
      );
      expect(Math.max(...growth)).toBeLessThan(GROWTH_BYTES);
      expect(Math.max(...waits)).toBeLessThan(SERVED_WITHIN_MS);
    },
    HOUR_MS,
  );

  async function overdue(): Promise<number> {
    const answer = await fetch(`${service.producer.url}/health/ready`);
    const { overdue } = (await answer.json()) as { overdue: { light: number } | null };
    return overdue?.light ?? 0;
  }

  /** @returns ms from asking to the start of the run */
  async function ask(): Promise<number> {
    const askedAt = Date.now();
    await askForRun(backend, { tenant: TENANT, user: 'asker', tier: 'light' }, askedAt);
    const [wait] = await waitForStarts(ground, ['asker'], askedAt, 60_000);
    return wait!;
  }
});
