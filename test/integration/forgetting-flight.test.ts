import { type Database, forget } from '@slowwave/db';
import {
  type LLMProvider,
  readReflectionRequest,
  readRemRequest,
  readSummaryRequest,
} from '@slowwave/fusion';
import { TIER_STEPS } from '@slowwave/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSleepModel } from '../fakes/sleep-model.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { columnsHolding } from '../fixtures/search.ts';
import { embedder, runTier, seedPerson, seedSession } from '../fixtures/tier-runs.ts';

const tenant = 't';
const HOUR = DAY / 24;
const CANARY = 'zymurgistquillbrookvex';
const TEXT = `Ana keeps a ${CANARY} in the cellar.`;

/** Nothing is like anything else under it: clusters and paths are those of the relations. */
const unlike = {
  ...embedder,
  model: 'unlike',
  embed: async (texts: string[]) => texts.map(() => new Float32Array(384)),
};

const STEPS = [
  ['fusion', 'deep', 'fusions'],
  ['summaries', 'deep', 'model_answers'],
  ['rem', 'sleep', 'model_answers'],
  ['reflection', 'sleep', 'model_answers'],
] as const;
type ModelStep = (typeof STEPS)[number][0];

describe.each(DATABASES)('a run during which something is forgotten (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;
  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const forgetting = (user: string) =>
    forget(database, { tenant, user, target: { memory: 'f0' }, at: NOW, actor: null });

  /** Someone for whom each of the steps has something to do that has the canary in it. */
  async function person(): Promise<string> {
    const user = `user-${++serial}`;
    const fading = [TEXT, 'Ana keeps wine in the cellar.', 'Ana keeps coal in the cellar.'].map((text, i) =>
      newMemory(user, `f${i}`, text, { documentDate: NOW - (90 + i) * DAY, session: 's' }),
    );
    const vivid = ['lamp', 'kettle', 'basket'].map((word, i) =>
      newMemory(user, `v${i}`, `Ana owns a ${word} now.`, { importance: 9, documentDate: NOW - HOUR }),
    );
    await seedPerson(database, { tenant, user, chains: [fading, vivid] });
    await seedSession(database, {
      tenant,
      user,
      id: 's',
      texts: [TEXT, 'I see.', 'The weather is fine.', 'It is.'],
      endedAt: NOW - 5 * HOUR,
    });
    return user;
  }

  const only = (name: string) => ({
    light: [],
    deep: TIER_STEPS.deep.filter((step) => step.name === name),
    sleep: TIER_STEPS.sleep.filter((step) => step.name === name),
  });
  const stepOf = (request: Parameters<LLMProvider['complete']>[0]): ModelStep => {
    if (readRemRequest(request)) return 'rem';
    if (readReflectionRequest(request)) return 'reflection';
    return readSummaryRequest(request) ? 'summaries' : 'fusion';
  };
  const model = createSleepModel().provider;
  const run = (user: string, name: string, tier: 'deep' | 'sleep', more: object = {}) =>
    runTier(
      database,
      { tenant, user, tier, at: NOW },
      { provider: model, embedder: unlike, tierSteps: only(name), ...more },
    );
  /** What a reflection looks back on. */
  const workBefore = async (user: string, name: ModelStep) => {
    if (name === 'reflection') await run(user, 'summaries', 'deep');
  };

  it.each(STEPS)('%s: while the model thinks', async (name, tier) => {
    const user = await person();
    await workBefore(user, name);
    let asked = 0;
    const provider: LLMProvider = {
      ...model,
      async complete(request) {
        const text = request.messages.map(({ content }) => content).join('\n');
        if (stepOf(request) === name && text.includes(CANARY) && asked++ === 0) await forgetting(user);
        return model.complete(request);
      },
    };
    const { run: ended, log } = await run(user, name, tier, { provider });
    expect(asked).toBeGreaterThan(0);
    expect(ended.status).toBe('completed');
    expect(await columnsHolding(database, CANARY)).toEqual([]);
    expect(`${log} ${JSON.stringify(ended.report)}`).not.toContain(CANARY);
  });

  it.each(STEPS)('%s: between the answer and its judgement', async (name, tier, table) => {
    const user = await person();
    await workBefore(user, name);
    let done = 0;
    const pattern =
      table === 'fusions' ? /status = case when .*'generated'/s : /insert into slowwave\.model_answers/;
    const interrupted: Database = {
      ...database,
      async withTenant(of, work) {
        let stored = false;
        const result = await database.withTenant(of, (tx) =>
          work({
            rows(query) {
              stored ||= pattern.test(JSON.stringify(query.queryChunks));
              return tx.rows(query);
            },
          }),
        );
        if (stored && done++ === 0) await forgetting(user);
        return result;
      },
    };
    const { run: ended } = await run(user, name, tier, { database: interrupted });
    expect(done).toBeGreaterThan(0);
    expect(ended.status).toBe('completed');
    expect(await columnsHolding(database, CANARY)).toEqual([]);
  });

  it('behaviour: between reading and storing', async () => {
    const user = await person();
    await run(user, 'summaries', 'deep');
    let done = 0;
    const interrupted: Database = {
      ...database,
      async withTenant(of, work) {
        let read = false;
        const result = await database.withTenant(of, (tx) =>
          work({
            rows(query) {
              read ||= /at time zone/.test(JSON.stringify(query.queryChunks));
              return tx.rows(query);
            },
          }),
        );
        if (read && done++ === 0) await forgetting(user);
        return result;
      },
    };
    const { step } = await run(user, 'behaviour', 'deep', { database: interrupted });
    expect(done).toBe(1);
    expect(step('behaviour')).toMatchObject({ status: 'skipped', reason: 'forgotten_meanwhile' });
    expect(await columnsHolding(database, CANARY)).toEqual([]);
  });
});
