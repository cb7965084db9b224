import { type BudgetLimits, NO_LIMITS, periodsOf, RecallError, readSpend } from '@slowwave/db';
import type { Embedder } from '@slowwave/fusion';
import { answerRecall } from '@slowwave/producer';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { NOW, newMemory } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { embedder, runTier, seedPerson } from '../fixtures/tier-runs.ts';

const tenant = 't';
const TOKENS = 7;
/** Three dollars a million tokens. */
const prices = { paid: { inputDollars: 3, outputDollars: 0 } };
const NANOS = 3_000n * BigInt(TOKENS);

/** An embedder whose endpoint charges for each request. */
function paidEmbedder(): Embedder & { requests: number } {
  const paid = {
    ...embedder,
    name: 'openai',
    model: 'paid',
    isCharged: true,
    requests: 0,
    embed: async (texts: string[], { onTokens }: Parameters<Embedder['embed']>[1] = {}) => {
      paid.requests += 1;
      onTokens?.(TOKENS);
      return embedder.embed(texts);
    },
  };
  return paid;
}

describe.each(DATABASES)('embeddings that an endpoint charges for (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open, tenant);

  async function seed(): Promise<string> {
    const user = nextUser();
    await seedPerson(database, {
      tenant,
      user,
      memories: [newMemory(user, 'm', 'Ana has a vegetable garden.')],
    });
    return user;
  }
  const light = (user: string, paid: Embedder, limits: Partial<BudgetLimits>, at = NOW) =>
    runTier(
      database,
      { tenant, user, tier: 'light', at },
      { embedder: paid, budget: { limits: { ...NO_LIMITS, ...limits }, prices, holdMs: 60_000 } },
    );
  const dayOf = async (user: string) => {
    const periods = periodsOf({ tier: 'light', timezone: 'UTC', at: NOW });
    return (await inTenant((tx) => readSpend(tx, { tenant, user, periods }))).user_day;
  };
  const callsOf = (user: string) =>
    rows(sql`
      select step, model, state, input_tokens::int as tokens, cost_nanos::text as nanos from slowwave.model_calls
      where user_id = ${user} order by id`);
  const nothing = { tokens: 0, nanos: 0n };

  it('of memories stand in the ledger and count in dollars, and not among the tokens of language models', async () => {
    const [user, paid] = [await seed(), paidEmbedder()];
    const { step, run } = await light(user, paid, { user_day: { tokens: 0, nanos: NANOS * 1_000n } });
    expect(step('embed')).toMatchObject({ status: 'done', counts: { embedded: 1 } });
    expect(await callsOf(user)).toEqual([
      { step: 'embed', model: 'paid', state: 'settled', tokens: TOKENS, nanos: String(NANOS) },
    ]);
    expect(await dayOf(user)).toEqual({ spent: { tokens: 0, nanos: NANOS }, reserved: nothing });
    expect(run.report).toMatchObject({ spend: { calls: 1, costNanos: Number(NANOS) } });
  });

  it('of memories are left until the budget is whole again, and the run goes on without them', async () => {
    const [user, paid] = [await seed(), paidEmbedder()];
    const { renewsAt } = periodsOf({ tier: 'light', timezone: 'UTC', at: NOW }).user_day;
    const { step, run } = await light(user, paid, { user_day: { tokens: null, nanos: 0n } });
    expect(step('embed')).toMatchObject({ status: 'skipped', reason: 'budget' });
    expect(run).toMatchObject({ status: 'completed', report: { refusal: { unit: 'dollars', renewsAt } } });
    expect(paid.requests).toBe(0);
    const [due] = await rows<{ at: number }>(sql`
      select date_part('epoch', due_at) * 1000 as at from slowwave.user_tiers where user_id = ${user} and tier = 'light'`);
    expect(due!.at).toBeLessThanOrEqual(renewsAt);
    const later = await light(user, paid, { user_day: { tokens: null, nanos: NANOS * 1_000n } }, renewsAt);
    expect(later.step('embed')).toMatchObject({ counts: { embedded: 1 } });
  });

  it('answerRecall: beyond a budget in dollars, answers by words alone, says so and asks no embedder', async () => {
    const [user, paid] = [await seed(), paidEmbedder()];
    const ask = (of: string, nanos: bigint | null) => {
      const limits = { ...NO_LIMITS, user_day: { tokens: null, nanos } };
      return answerRecall(
        { database, embedder: paid, budget: { limits, prices }, at: NOW },
        { tenant, user: of, query: 'What does Ana have?', explain: false, includeSuperseded: false },
      );
    };
    await light(user, embedder, {});
    expect(await ask(user, null)).toMatchObject({ degraded: false, reason: null });
    expect(await callsOf(user)).toEqual([
      { step: 'recall', model: 'paid', state: 'settled', tokens: TOKENS, nanos: String(NANOS) },
    ]);
    expect(await ask(user, NANOS)).toMatchObject({
      degraded: true,
      reason: 'budget',
      memories: [{ content: 'Ana has a vegetable garden.', similarity: null }],
    });
    expect(await dayOf(user)).toEqual({ spent: { tokens: 0, nanos: NANOS }, reserved: nothing });
    await expect(ask('nobody', NANOS)).rejects.toBeInstanceOf(RecallError);
    await expect(ask('nobody', null)).rejects.toBeInstanceOf(RecallError);
    expect(paid.requests).toBe(1);
  });

  it('are free and in no ledger where no endpoint charges for them', async () => {
    const user = await seed();
    await light(user, embedder, {});
    expect(await callsOf(user)).toEqual([]);
  });
});
