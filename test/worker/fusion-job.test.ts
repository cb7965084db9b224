import { getUser, readQuarantine } from '@slowwave/db';
import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { type FusionJob, type JobResult, jobContext } from '@slowwave/queue';
import { createFusionJob, createLogger, DEFAULT_LIMITS, type UserJobDeps } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createTurn, type Turn } from '../../apps/worker/src/turn.ts';
import { createJoiningProvider } from '../fakes/joining-provider.ts';
import { blockThread } from '../fixtures/block-thread.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, facts, NOW } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { embedder, runTier, seedPerson } from '../fixtures/tier-runs.ts';
import { slowChecks } from '../fixtures/work-clock.ts';

const tenant = 't';
const LEASE_MS = 1_500;

describe.each(DATABASES)('createFusionJob (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open, tenant);

  /** A fusion whose call failed in a run, and which waits in the queue. */
  async function failedFusion(texts = ['grows kale.', 'grows beans.', 'grows leeks.']): Promise<FusionJob> {
    const user = nextUser();
    await seedPerson(database, {
      tenant,
      user,
      chains: [facts(user, texts, { documentDate: NOW - 90 * DAY })],
      at: NOW,
    });
    const failing: LLMProvider = {
      ...createJoiningProvider(),
      async complete() {
        throw new ModelError('server_error', { retryable: true, status: 500 });
      },
    };
    const { fusions } = await runTier(
      database,
      { tenant, user, tier: 'deep', at: NOW },
      { provider: failing },
    );
    return fusions[0]!;
  }
  function job(more: Partial<UserJobDeps>, turn?: Turn) {
    const handle = createFusionJob(
      {
        database,
        queues: { addFusion: async () => 'added', rateLimit: async () => {} },
        provider: createJoiningProvider(),
        embedder,
        logger: createLogger('silent'),
        now: () => NOW + 1_000,
        nowMs: () => performance.now(),
        limits: DEFAULT_LIMITS,
        ...more,
      },
      'test',
      turn,
    );
    return (data: FusionJob, attempt = 1): Promise<JobResult> => {
      const view = { id: '1', queue: 'fusions' as const, attempt, attempts: 2, lastAttempt: attempt === 2 };
      return handle({ ...view, data, starts: attempt, postponed: 0, addedAt: NOW }, jobContext());
    };
  }
  const unendedOf = async (user: string) =>
    (await inTenant((tx) => getUser(tx, tenant, user)))!.tiers.deep.unended;

  it('a turn that blocks its worker for longer than the lease lasts: counts as unended, and the third puts the user in quarantine', async () => {
    const fusion = await failedFusion();
    const { user } = fusion;
    let begun = 0;
    const blocking: LLMProvider = {
      ...createJoiningProvider(),
      complete({ signal }) {
        begun += 1;
        blockThread(LEASE_MS + 500);
        return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
      },
    };
    const turn = job({ provider: blocking, limits: { ...DEFAULT_LIMITS, leaseMs: LEASE_MS } });
    for (let time = 1; time <= 3; time += 1) {
      expect(await turn(fusion)).toMatchObject({ outcome: 'postponed' });
      expect(await unendedOf(user)).toBe(time);
    }
    const quarantine = await inTenant((tx) => readQuarantine(tx, { tenant, user }));
    expect(quarantine).toMatchObject({ code: 'never_ended' });
    expect(await turn(fusion)).toMatchObject({ outcome: 'postponed' });
    expect(begun).toBe(3);
  });

  it('a turn of a user of whom the last start never ended: waits while another such user has its turn', async () => {
    const fusion = await failedFusion();
    await rows(sql`update slowwave.user_tiers set unended = 1 where user_id = ${fusion.user}`);
    const turn = createTurn();
    await turn.take(new AbortController().signal, 0);
    expect(await job({}, turn)(fusion)).toMatchObject({ outcome: 'postponed' });
    turn.giveBack();
    expect(await job({}, turn)(fusion)).toMatchObject({ summary: { outcome: 'committed' } });
    // It was given back.
    expect(await turn.take(new AbortController().signal, 0)).toBe(true);
  });

  it('checks that take longer than a whole step may: put off after an answer, then an attempt each time, and failed for good', async () => {
    const { texts, ...slow } = slowChecks();
    const fusion = await failedFusion(texts);
    const turn = job({ provider: slow.provider, ...slow.deps });
    expect(await turn(fusion)).toMatchObject({ outcome: 'postponed' });
    await expect(turn(fusion)).rejects.toMatchObject({ code: 'deadline', retryable: true });
    await expect(turn(fusion, 2)).rejects.toMatchObject({ code: 'deadline', retryable: false });
    expect(
      await rows(sql`select status, error_code as code from slowwave.fusions where key = ${fusion.key}`),
    ).toEqual([{ status: 'failed', code: 'deadline' }]);
  });
});
