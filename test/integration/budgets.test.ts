import { type BudgetLimits, NO_LIMITS, newId, periodsOf, readSpend, reserveCall } from '@slowwave/db';
import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { costOf, priceOf } from '@slowwave/models';
import { type FusionJob, type JobResult, jobContext } from '@slowwave/queue';
import { createFusionJob, createLogger, DEFAULT_LIMITS, TIER_STEPS } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { type BilledModel, createBilledModel } from '../fakes/billed-model.ts';
import { createSleepModel } from '../fakes/sleep-model.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { embedder, runTier, seedPerson, seedSession } from '../fixtures/tier-runs.ts';
import { talk } from '../fixtures/whole-night.ts';

const tenant = 't';
const HAIKU = priceOf({}, 'claude-haiku-5-5', NOW)!;
const MIDNIGHT = Date.UTC(2026, 5, 16);

const tokens = (count: number) => ({ tokens: count, nanos: null });
const budgetWith = (limits: Partial<BudgetLimits>) => ({
  budget: { limits: { ...NO_LIMITS, ...limits }, prices: {}, holdMs: 60_000 },
});

/** Only summaries of what was said. */
const tierSteps = { light: [], sleep: [], deep: TIER_STEPS.deep.filter(({ name }) => name === 'summaries') };

/** So different that each is a cluster of its own. */
const THINGS: [string, string[]][] = [
  ['Ana has a vegetable garden.', ['It lies by the canal.', 'It is full of beans.', 'It has a high fence.']],
  ['Ben repairs violins at night.', ['He learned that in Cremona.', 'He uses hot glue.', 'He sells some.']],
  [
    'The choir sings in Latin.',
    ['Twelve women belong to it.', 'Rehearsals are on Tuesdays.', 'Eve conducts.'],
  ],
];

describe.each(DATABASES)('budgets (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open, tenant);

  /** Somebody with dormant memories that make clusters of three. */
  async function seed(clusters = 1): Promise<string> {
    const user = nextUser();
    const chains = Array.from({ length: clusters }, (_, n) =>
      THINGS[n]![1].map((more, i) =>
        newMemory(user, `c${n}-${i}`, `${THINGS[n]![0]} ${more}`, {
          documentDate: NOW - 90 * DAY,
        }),
      ),
    );
    await seedPerson(database, { tenant, user, chains });
    return user;
  }
  const deep = (user: string, model: BilledModel, limits: Partial<BudgetLimits> = {}, at = NOW) =>
    runTier(
      database,
      { tenant, user, tier: 'deep', at },
      { provider: model.provider, ...budgetWith(limits) },
    );
  const spendOf = (user: string, at = NOW) =>
    inTenant((tx) =>
      readSpend(tx, { tenant, user, periods: periodsOf({ tier: 'deep', timezone: 'UTC', at }) }),
    );
  const statesOf = async (user: string) =>
    (
      await rows<{ state: string }>(
        sql`select state from slowwave.model_calls where user_id = ${user} order by id`,
      )
    ).map(({ state }) => state);
  const dueOf = async (user: string, tier: string) => {
    const [row] = await rows<{ due: number }>(sql`
      select date_part('epoch', due_at) * 1000 as due from slowwave.user_tiers where user_id = ${user} and tier = ${tier}`);
    return row!.due;
  };

  it('hold what the vendor counts, to the token and the nano-dollar', async () => {
    const [user, model] = [await seed(3), createBilledModel()];
    const before = (await spendOf(user)).tenant_day.spent;
    const { run } = await deep(user, model);
    const { calls, inputTokens, outputTokens } = model.billed;
    expect(calls).toBe(3);
    const cost = costOf(HAIKU, { inputTokens, outputTokens });
    const spent = { tokens: inputTokens + outputTokens, nanos: cost };
    const after = await spendOf(user);
    expect(after.user_day).toEqual({ spent, reserved: { tokens: 0, nanos: 0n } });
    expect(after.tenant_day.spent).toEqual({
      tokens: before.tokens + spent.tokens,
      nanos: before.nanos + cost,
    });
    expect(run.report).toMatchObject({ spend: { calls, tokens: spent.tokens, costNanos: Number(cost) } });
    expect(run.report).not.toHaveProperty('refusal');
  });

  it('end the model work of a run in the middle, say so, and let the rest be done when they are whole again', async () => {
    const [user, model] = [await seed(3), createBilledModel()];
    const [before, once] = [await seed(), createBilledModel()];
    let bound = 0;
    once.intercept = async () => {
      bound = (await spendOf(before)).user_day.reserved.tokens;
    };
    await deep(before, once);
    expect(bound).toBeGreaterThan(once.billed.inputTokens);
    // Room for the first call, and not for the bounds of a second beside it.
    const room = bound + 10;
    const limit = { user_day: tokens(room) };
    const { run, step } = await deep(user, model, limit);
    const done = model.billed.calls;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(3);
    expect(run).toMatchObject({
      status: 'completed',
      report: { refusal: { scope: 'user_day', unit: 'tokens', renewsAt: MIDNIGHT }, spend: { calls: done } },
    });
    expect(step('fusion')).toMatchObject({
      status: 'done',
      counts: { stopped: 'budget', clusters: { committed: done, deferred: 3 - done } },
    });
    expect(step('summaries')).toEqual({
      step: 'summaries',
      status: 'skipped',
      reason: 'budget',
      durationMs: expect.any(Number),
    });
    expect((await spendOf(user)).user_day.spent.tokens).toBeLessThanOrEqual(room);
    expect(await dueOf(user, 'deep')).toBe(Math.min(NOW + DAY / 4, MIDNIGHT));

    // Asked again on the same day it makes no call; on the next day it does the rest, a day's worth at a time.
    await deep(user, model, limit, NOW + 1_000);
    expect(model.billed.calls).toBeLessThan(3);
    for (let at = MIDNIGHT; model.billed.calls < 3; at += DAY) {
      const calls = model.billed.calls;
      await deep(user, model, limit, at);
      expect(model.billed.calls).toBeGreaterThan(calls);
    }
    const derived = await rows(
      sql`select 1 from slowwave.memories where user_id = ${user} and memory_type = 'derived'`,
    );
    expect(derived).toHaveLength(3);
  });

  it('of a night keep a share for each step that still comes, and an early one that uses up its own ends alone', async () => {
    const user = await seed(3);
    await seedSession(database, { tenant, user, id: 's1', texts: talk('garden'), endedAt: NOW - DAY / 4 });
    const model = createSleepModel();
    const { provider } = model;
    await runTier(database, { tenant, user, tier: 'deep', at: NOW - 60_000 }, { provider, tierSteps });
    model.calls.length = 0;
    const dear: LLMProvider = {
      ...provider,
      complete: async (request) => {
        const answer = await provider.complete(request);
        const isFusion = model.calls.at(-1)!.kind === 'fusion';
        return isFusion ? { ...answer, usage: { inputTokens: 40_000, outputTokens: 0 } } : answer;
      },
    };
    const night = { tenant, user, tier: 'sleep', at: NOW } as const;
    const limits = { user_night: tokens(60_000) };
    const { run, step } = await runTier(database, night, { provider: dear, ...budgetWith(limits) });
    expect(step('nrem').counts).toMatchObject({ stopped: 'budget', clusters: { committed: 1, deferred: 2 } });
    expect(step('reflection')).toMatchObject({ status: 'done', counts: { stopped: null } });
    expect(model.calls.filter(({ kind }) => kind === 'fusion')).toHaveLength(1);
    expect(model.calls.at(-1)!.kind).toBe('reflection');
    const { renewsAt } = periodsOf({ tier: 'sleep', timezone: 'UTC', at: NOW }).user_night!;
    expect(run.report).toMatchObject({ refusal: { scope: 'user_night', unit: 'tokens', renewsAt } });
    // What is left goes on in the next night.
    model.calls.length = 0;
    await runTier(database, { ...night, at: renewsAt }, { provider, ...budgetWith(limits) });
    expect(model.calls.filter(({ kind }) => kind === 'fusion')).toHaveLength(2);
  });

  it('are due again at their renewal where that comes before the next turn', async () => {
    const [user, model] = [await seed(), createBilledModel()];
    await deep(user, model, { user_day: tokens(1) }, MIDNIGHT - 60_000);
    expect(await dueOf(user, 'deep')).toBe(MIDNIGHT);
    expect(model.billed.calls).toBe(0);
  });

  it('of a night let it go on in the same night where that lasts long enough, and else in the next', async () => {
    const night = async (quietStart: number, quietEnd: number, at: number) => {
      const [user, model] = [await seed(), createBilledModel()];
      await rows(
        sql`update slowwave.users set quiet_start = ${quietStart}, quiet_end = ${quietEnd} where id = ${user}`,
      );
      const { provider } = model;
      const target = { tenant, user, tier: 'sleep', at } as const;
      const { run, step } = await runTier(database, target, {
        provider,
        ...budgetWith({ tenant_day: tokens(0) }),
      });
      expect(run.report).toMatchObject({ refusal: { scope: 'tenant_day', renewsAt: MIDNIGHT } });
      expect(step('reflection')).toMatchObject({ status: 'skipped', reason: 'budget' });
      expect(model.billed.calls).toBe(0);
      return dueOf(user, 'sleep');
    };
    const HOUR = DAY / 24;
    const soon = await night(22 * 60, 4 * 60, MIDNIGHT - HOUR);
    expect(soon).toBeGreaterThanOrEqual(MIDNIGHT);
    expect(soon).toBeLessThan(MIDNIGHT + 4 * HOUR);
    const later = await night(2 * 60, 5 * 60, MIDNIGHT - 21 * HOUR);
    expect(later).toBeGreaterThanOrEqual(MIDNIGHT + 2 * HOUR);
    expect(later).toBeLessThan(MIDNIGHT + 5 * HOUR);
  });

  it('of a day and a night are not whole again when the user moves to another time zone', async () => {
    const [user, model] = [await seed(3), createBilledModel()];
    const limit = { user_day: tokens(100_000) };
    await deep(user, model, limit, NOW - DAY / 4);
    const { calls } = model.billed;
    const { user_day } = await spendOf(user);
    expect(user_day.spent.tokens).toBeGreaterThan(0);
    await seedPerson(database, {
      tenant,
      user,
      chains: [
        [0, 1, 2].map((i) =>
          newMemory(user, `n-${i}`, `${THINGS[0]![0]} And again, ${i}.`, { documentDate: NOW - 90 * DAY }),
        ),
      ],
    });
    const full = { user_day: tokens(user_day.spent.tokens) };
    for (const [i, zone] of ['Pacific/Pago_Pago', 'Pacific/Kiritimati', 'UTC'].entries()) {
      await rows(sql`update slowwave.users set timezone = ${zone} where id = ${user}`);
      const { run } = await deep(user, model, full, NOW + i);
      expect(run.report, zone).toMatchObject({ refusal: { scope: 'user_day', renewsAt: MIDNIGHT } });
    }
    expect(model.billed.calls).toBe(calls);
    await deep(user, model, limit, MIDNIGHT);
    expect(model.billed.calls).toBeGreaterThan(calls);
  });

  it('in money refuse a model whose price nobody knows to cost anything, and count it in tokens', async () => {
    const [user, model] = [await seed(), createBilledModel('a-model-of-our-own')];
    const { run } = await deep(user, model, { user_day: { tokens: null, nanos: 10n ** 18n } });
    expect(model.billed.calls).toBe(0);
    expect(run.report).toMatchObject({ refusal: { scope: 'user_day', unit: 'price' } });
    const free = await deep(user, model, { user_day: tokens(100_000) }, NOW + 1_000);
    expect(free.run.report).toMatchObject({ spend: { calls: 1, costNanos: null } });
  });

  it('count nothing for what the endpoint refused, and all for what nobody knows of', async () => {
    const [user, model] = [await seed(), createBilledModel()];
    model.intercept = () => {
      throw new ModelError('overloaded', { retryable: true });
    };
    await deep(user, model);
    expect(await statesOf(user)).toEqual(['released']);
    expect((await spendOf(user)).user_day).toEqual({
      spent: { tokens: 0, nanos: 0n },
      reserved: { tokens: 0, nanos: 0n },
    });

    const other = await seed();
    model.intercept = () => {
      throw new ModelError('timeout', { retryable: true });
    };
    await deep(other, model);
    expect(await statesOf(other)).toEqual(['reserved']);
    expect((await spendOf(other)).user_day.reserved.tokens).toBeGreaterThan(0);
  });

  it('count the calls of a worker that ended without a word in full', async () => {
    const [user, model] = [await seed(), createBilledModel()];
    const periods = periodsOf({ tier: 'deep', timezone: 'UTC', at: NOW });
    const owner = { tenant, user, runId: null, tier: 'deep', step: 'fusion', periods, at: NOW } as const;
    const call = { id: newId(NOW), provider: 'billed', model: 'm', tokens: 5_000, nanos: 7n, holdMs: -1 };
    await reserveCall(database, owner, call, NO_LIMITS);
    await deep(user, model, { user_day: tokens(5_000) });
    expect(model.billed.calls).toBe(0);
    expect(await statesOf(user)).toEqual(['lapsed']);
    expect((await spendOf(user)).user_day.spent).toEqual({ tokens: 5_000, nanos: 7n });
    await deep(user, model, {}, NOW + 1_000);
    expect((await spendOf(user)).user_day.spent.tokens).toBe(
      5_000 + model.billed.inputTokens + model.billed.outputTokens,
    );
  });

  it('hold for what is tried again in the queue', async () => {
    const [user, model] = [await seed(), createBilledModel()];
    model.intercept = () => {
      throw new ModelError('overloaded', { retryable: true });
    };
    const { fusions } = await deep(user, model);
    model.intercept = null;
    expect(fusions).toHaveLength(1);
    const [first] = fusions;
    expect(await retry(first!, model, { tenant_day: tokens(0) })).toEqual({
      outcome: 'completed',
      summary: { outcome: 'budget' },
    });
    expect(model.billed.calls).toBe(0);
    expect(await retry(first!, model, {})).toEqual({
      outcome: 'completed',
      summary: { outcome: 'committed' },
    });
    expect(model.billed.calls).toBe(1);
    expect(await statesOf(user)).toEqual(['released', 'settled']);
  });

  it('leave a retry what the step of its run left over of its own tokens', async () => {
    const [user, model] = [await seed(3), createBilledModel()];
    let calls = 0;
    model.intercept = () => {
      calls += 1;
      if (calls === 3) throw new ModelError('overloaded', { retryable: true });
    };
    const { fusions } = await deep(user, model);
    model.intercept = null;
    const took = (await spendOf(user)).user_day.spent.tokens;
    expect(took).toBeGreaterThan(0);
    const { fusion } = DEFAULT_LIMITS.steps;
    const within = (count: number) => {
      const steps = { ...DEFAULT_LIMITS.steps, fusion: { ...fusion, tokens: count } };
      return retry(fusions[0]!, model, {}, { ...DEFAULT_LIMITS, steps });
    };
    const refused = { outcome: 'completed', summary: { outcome: 'tokens' } };
    expect(await within(took)).toEqual(refused);
    // Something is left, and the request is longer.
    expect(await within(took + 10)).toEqual(refused);
    expect(model.billed.calls).toBe(2);
    expect(await within(2 * took)).toEqual({ outcome: 'completed', summary: { outcome: 'committed' } });
    expect(model.billed.calls).toBe(3);
  });

  function retry(
    data: FusionJob,
    model: BilledModel,
    budgets: Partial<BudgetLimits>,
    limits = DEFAULT_LIMITS,
  ): Promise<JobResult> {
    const job = createFusionJob(
      {
        database,
        queues: { addFusion: async () => 'added', rateLimit: async () => {} },
        provider: model.provider,
        embedder,
        logger: createLogger('silent'),
        now: () => NOW + 1_000,
        nowMs: () => performance.now(),
        limits,
        ...budgetWith(budgets),
      },
      'test',
    );
    const view = {
      id: '1',
      queue: 'fusions' as const,
      attempt: 1,
      attempts: 5,
      lastAttempt: false,
      starts: 1,
      postponed: 0,
      addedAt: NOW,
    };
    return job({ ...view, data }, jobContext());
  }
});
