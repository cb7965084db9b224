import { readConfig } from '@slowwave/config';
import { insertRelations, type NewMemory, reportConflicts } from '@slowwave/db';
import { estimateTokens, type LLMProvider } from '@slowwave/fusion';
import { DEFAULT_LIMITS, TIER_STEPS } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createSleepModel } from '../fakes/sleep-model.ts';
import { unlike } from '../fixtures/batches.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { chainRelations, DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { runTier, seedPerson, seedSession } from '../fixtures/tier-runs.ts';

const tenant = 't';
const HOUR = DAY / 24;
const PLACES = [
  'garden',
  'violin',
  'harbour',
  'kitchen',
  'bicycle',
  'library',
  'orchard',
  'station',
  'workshop',
  'balcony',
  'museum',
  'bakery',
];
const placeOf = (n: number): string => PLACES[n % PLACES.length]!;
const WHY = 'because the present one has no room for desk';
const SESSIONS = 20;
const MESSAGES = 20;
const { nrem, conflicts, rem, reflection } = DEFAULT_LIMITS.steps;

/** The same answers, with the tokens that an endpoint would count. */
function counted(inner: LLMProvider): LLMProvider {
  return {
    ...inner,
    async complete(request) {
      const answer = await inner.complete(request);
      const { system = '', schema, messages } = request;
      const asked = [system, schema ? JSON.stringify(schema) : '', ...messages.map(({ content }) => content)];
      const sum = (texts: readonly string[]) =>
        texts.reduce((tokens, text) => tokens + estimateTokens(text), 0);
      const usage = { inputTokens: sum(asked), outputTokens: sum(answer.content.map(({ text }) => text)) };
      return { ...answer, usage };
    },
  };
}

describe.each(DATABASES)(
  'a night with as much work as each step takes up, and notes of 24 words (%s)',
  (_name, open) => {
    const { database, rows, nextUser } = ownDatabase(open, tenant);

    /** More clusters, pairs, seeds and summaries than a night takes up. */
    async function seed(): Promise<string> {
      const user = nextUser();
      const fading = Array.from({ length: nrem.items + 4 }, (_, n) =>
        Array.from({ length: 8 }, (_, i): NewMemory => {
          const text = `The user plans to move the ${placeOf(n)} number ${n} to a larger place near the ${placeOf(n + i + 1)} in spring, ${WHY} ${i}.`;
          return newMemory(user, `f${n}-${i}`, text, { documentDate: NOW - (60 + i) * DAY });
        }),
      );
      const vivid = Array.from({ length: 8 }, (_, n) =>
        Array.from({ length: 12 }, (_, i): NewMemory => {
          const text = `The user keeps the ${placeOf(i)} number ${n} in the larger place near the ${placeOf(n + i + 1)} since spring, ${WHY} ${i}.`;
          const category = (['fact', 'preference', 'event'] as const)[i % 3]!;
          return newMemory(user, `v${n}-${i}`, text, { category, importance: 9, documentDate: NOW - HOUR });
        }),
      );
      const chains = [...fading, ...vivid];
      await seedPerson(database, { tenant, user, memories: chains.flat() });
      const texts = Array.from(
        { length: MESSAGES },
        (_, i) => `The user talks of desk ${i} near the harbour.`,
      );
      for (let n = 0; n < 2 * SESSIONS; n += 1)
        await seedSession(database, { tenant, user, id: `s${n}`, texts, endedAt: NOW - 6 * HOUR });
      const ids = await rows<{ id: string }>(sql`
      select id from slowwave.memories where user_id = ${user} and external_id like 'v%' order by external_id`);
      const half = ids.length / 2;
      const pairs = ids.slice(0, half).map(({ id }, i) => {
        return { a: id, b: ids[i + half]!.id, kind: 'contradictory' as const, slot: '' };
      });
      await database.withTenant(tenant, async (tx) => {
        await insertRelations(tx, { tenant, relations: chainRelations(chains), at: NOW });
        await reportConflicts(tx, { tenant, user, runId: null, at: NOW, source: 'twins', pairs });
      });
      return user;
    }

    it('is done whole under the default budgets, in half of the tokens of a night', async () => {
      const user = await seed();
      const provider = counted(createSleepModel('claude-haiku-5-5').provider);
      const summaries = TIER_STEPS.deep.filter(({ name }) => name === 'summaries');
      const { budgets } = readConfig({});
      const budget = { limits: budgets, prices: {}, holdMs: 60_000 };
      for (const at of [NOW - 2 * HOUR, NOW - HOUR]) {
        const tierSteps = { light: [], deep: summaries, sleep: [] };
        await runTier(
          database,
          { tenant, user, tier: 'deep', at },
          { provider, budget, embedder: unlike, tierSteps },
        );
      }
      const { run, step } = await runTier(
        database,
        { tenant, user, tier: 'sleep', at: NOW },
        { provider, budget, embedder: unlike, statements: { judge: true } },
      );
      expect(step('conflicts').counts).toMatchObject({ pairs: conflicts.items, stopped: null });
      expect(step('nrem').counts).toMatchObject({ plan: { clusters: nrem.items }, stopped: null });
      expect(step('rem').counts).toMatchObject({ seedsJudged: rem.items, stopped: null });
      expect(step('reflection').counts).toMatchObject({ summaries: reflection.items, stopped: null });
      expect(run.report).not.toHaveProperty('refusal');
      const { spend } = run.report as { spend: { tokens: number } };
      expect(spend.tokens).toBeLessThan(budgets.user_night.tokens! / 2);
      expect(spend.tokens).toBeGreaterThan(budgets.user_night.tokens! / 4);
    });
  },
);
