import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askForRun } from '../../../apps/standalone/src/runs.ts';
import { type BackendFixture, openOnRedis } from '../../fixtures/backends.ts';
import { redisUrl } from '../../fixtures/databases.ts';
import { until } from '../../fixtures/wait.ts';
import {
  type Ground,
  type HeldModel,
  openGround,
  startHeldModel,
  TENANT,
  waitForStarts,
} from '../recovery/ground.ts';
import { SERVED_WITHIN_MS } from './load.ts';
import { type Service, startService } from './service.ts';

/**
 * How long the model takes for each answer. By hand: LIMITS_ANSWER_MS=20000. Longer than a lease of 10 s and than the step may begin
 * calls, so that each run has one answer, kept by renewals alone.
 */
const ANSWER_MS = Number(process.env.LIMITS_ANSWER_MS ?? 12_000);
/** Twice as many as are taken at a time. */
const USERS = Array.from({ length: 8 }, (_, i) => `slow-${i}`);
const ROUNDS = 2;

describe('a model that takes its time', () => {
  let model: HeldModel;
  let backend: BackendFixture;
  let ground: Ground;
  let service: Service;

  beforeAll(async () => {
    model = await startHeldModel(ANSWER_MS);
    backend = await openOnRedis(redisUrl());
    ground = await openGround(backend.url!, {
      kind: 'redis',
      url: redisUrl(),
      prefix: backend.prefix!,
    });
    service = await startService({
      databaseUrl: backend.url!,
      queueUrl: redisUrl(),
      prefix: backend.prefix,
      modelUrl: model.url,
      env: { SLOWWAVE_TICK_SECONDS: '1', SLOWWAVE_LEASE_SECONDS: '10', SLOWWAVE_FUSION_SECONDS: '10' },
    });
    await service.allReady();
  });
  afterAll(async () => {
    await service?.stop();
    await ground?.close();
    await backend?.drop();
    await model?.stop();
  });

  it('keeps its users and nobody else: leases are renewed, places come free, others are served at once', async () => {
    model.hold();
    await ground.addUsers(['quick'], 'light');
    await ground.addUsers(USERS, 'deep');
    await until('every place to be taken', () => model.calls() === 4);
    const waits: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) waits.push(await ask('quick', 'light'));
    expect(Math.max(...waits)).toBeLessThan(SERVED_WITHIN_MS);
    expect(await ground.countDone(USERS)).toBe(0);
    await service.allReady();
    model.letGo();
    const limitMs = ROUNDS * ANSWER_MS + 240_000;
    await until(
      'everybody to be done',
      async () => (await ground.countDone(USERS)) === USERS.length,
      limitMs,
    );
    const runs = await ground.database.withTenant(TENANT, (tx) =>
      tx.rows<{ status: string; fence: number; n: number }>(sql`
        select status, fence::int as fence, count(*)::int as n from slowwave.runs
        where tier = 'deep' group by 1, 2`),
    );
    // One hold each: none was lost, none was taken over.
    expect(runs).toEqual([{ status: 'completed', fence: 1, n: USERS.length }]);
    expect(model.calls()).toBe(USERS.length);
    process.stdout.write(
      `slow model: ${ANSWER_MS} ms an answer; others began after ${waits.join(', ')} ms\n`,
    );
  }, 600_000);

  /** Asks for a run. @returns ms from asking to its start */
  async function ask(user: string, tier: 'light'): Promise<number> {
    const before = await ground.startsOf([user]);
    const askedAt = Date.now();
    await askForRun(backend, { tenant: TENANT, user, tier }, askedAt);
    const since = Math.max(askedAt, ...before.map(({ startedAt }) => startedAt + 1));
    const [wait] = await waitForStarts(ground, [user], since, 60_000);
    return wait! + since - askedAt;
  }
});
