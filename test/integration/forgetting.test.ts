import {
  type Database,
  type ForgetTarget,
  forget,
  pruneMemories,
  recall,
  reportConflicts,
  setUserSettings,
  storeAnswer,
  TEXT_RULES,
} from '@slowwave/db';
import { type LLMProvider, readRemRequest } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSleepModel } from '../fakes/sleep-model.ts';
import { BACKENDS, type BackendFixture } from '../fixtures/backends.ts';
import { newMemory } from '../fixtures/memories.ts';
import { columnsHolding, keysHolding } from '../fixtures/search.ts';
import { embedder, seedPerson, seedSession } from '../fixtures/tier-runs.ts';
import { until } from '../fixtures/wait.ts';
import { consolidate, startWorker, type WorkerFixture } from '../fixtures/workers.ts';

const tenant = 't';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** One long word, so that whoever picks words out of a text picks all of it. */
const CANARY = 'zymurgistquillbrookvex';
const TEXT = `Ana keeps a ${CANARY} in the cellar.`;

/** An embedder under which nothing is like anything else, so that clusters are those of the relations: its vectors have no direction. */
const unlike = {
  ...embedder,
  model: 'unlike',
  embed: async (texts: string[]) => texts.map(() => new Float32Array(384)),
};

/** Quotes what it reads wherever a model may, and answers one question badly. */
function quotingModel(): LLMProvider {
  const good = createSleepModel().provider;
  return {
    ...good,
    async complete(request) {
      const rem = readRemRequest(request);
      const text = request.messages.map(({ content }) => content).join('\n');
      const answer = await good.complete(request);
      const given =
        rem && text.includes(CANARY)
          ? {
              verdicts: rem.candidates.map((_, i) => ({
                n: i + 1,
                novelty: 4,
                plausibility: 4,
                usefulness: 4,
                explanation: `The ${CANARY} is kept where this is kept.`,
              })),
            }
          : text.includes('harpsichord') && text.includes(CANARY)
            ? {
                statements: [{ sources: [1, 2, 3], text: `A ${CANARY} plays the harpsichord on the moon.` }],
                conflicts: [],
              }
            : null;
      return given === null
        ? answer
        : { ...answer, content: [{ type: 'text', text: JSON.stringify(given) }] };
    },
  };
}

describe.each(BACKENDS)('after forgetting, nothing is found (%s)', (_name, open) => {
  let backend: BackendFixture;
  let database: Database;
  let running: WorkerFixture;
  let serial = 0;
  const start = Date.now();
  let clock = start;

  beforeAll(async () => {
    backend = await open();
    database = backend.database;
    running = await startWorker(backend, quotingModel(), { now: () => clock, embedder: unlike });
  });
  afterAll(async () => {
    await running?.close();
    await backend?.drop();
  });
  afterEach(() => {
    clock = start;
  });

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    database.withTenant(tenant, (tx) => tx.rows<Row>(query));
  const forgetting = (user: string, target: ForgetTarget) =>
    forget(database, { tenant, user, target, at: clock, actor: null });
  const idOf = async (user: string, name: string) => {
    const [row] = await rows<{ id: string }>(
      sql`select id from slowwave.memories where user_id = ${user} and external_id = ${name}`,
    );
    return row!.id;
  };

  /** Someone about whom the canary stands in every place that text can come to, through what the service itself does. */
  async function live(): Promise<string> {
    const user = `user-${++serial}`;
    const said = (id: string, text: string, days: number, more = {}) =>
      newMemory(user, id, text, { documentDate: start - days * DAY, ...more });
    const fading = [
      said('f1', TEXT, 90, { session: 's1', metadata: { note: CANARY } }),
      said('f2', 'Ana keeps wine in the cellar.', 91),
      said('f3', 'Ana keeps coal in the cellar.', 92),
    ];
    const vivid = ['lamp', 'kettle', CANARY, 'basket'].map((word, i) =>
      said(`v${i}`, `Ana owns a ${word} now.`, 0, {
        category: (['fact', 'preference', 'event'] as const)[i % 3]!,
        importance: 9,
      }),
    );
    const failing = ['Ida', 'Eva', 'Uma'].map((name, i) =>
      said(`h${i}`, `${name} plays the harpsichord${i === 0 ? ` of the ${CANARY}` : ''}.`, 90 + i),
    );
    await seedPerson(database, { tenant, user, at: start, chains: [fading, vivid, failing] });
    const talk = [TEXT, 'I see.', 'The weather is fine today.', 'It is.'];
    await seedSession(database, { tenant, user, id: 's1', texts: talk, endedAt: start - 5 * HOUR });
    await consolidate(backend, { tenant, user, tier: 'light' });
    await consolidate(backend, { tenant, user, tier: 'deep' });
    clock += HOUR;
    await consolidate(backend, { tenant, user, tier: 'sleep' });
    await recall(database, unlike, { tenant, user, query: `Where is the ${CANARY}?`, at: clock });
    const pair = { a: await idOf(user, 'v0'), b: await idOf(user, 'v2'), kind: 'ambiguous' as const };
    const others = { a: await idOf(user, 'v1'), b: await idOf(user, 'v3'), kind: 'ambiguous' as const };
    await database.withTenant(tenant, async (tx) => {
      await reportConflicts(tx, {
        tenant,
        user,
        runId: null,
        at: clock,
        source: 'twins',
        pairs: [
          { ...pair, slot: `which ${CANARY}` },
          { ...others, slot: `not the ${CANARY}` },
        ],
      });
      // One answer labelled both.
      await storeAnswer(tx, {
        tenant,
        user,
        key: 'c'.repeat(64),
        attempt: 1,
        step: 'conflicts',
        runId: null,
        answer: { text: CANARY, stopReason: 'end_turn', inputTokens: 1, outputTokens: 1, model: 'm' },
        memoryIds: [pair.a, pair.b, others.a, others.b],
        sessionIds: [],
        at: clock,
      });
      await tx.rows(sql`
        update slowwave.conflicts set status = 'open', type = 'ambiguous', description = ${`About the ${CANARY}.`}
        where user_id = ${user}`);
      await setUserSettings(tx, { tenant, user, mode: 'review', at: clock });
    });
    // What is proposed and waits, and what was moved away.
    const waiting = ['Ola', 'Pia', 'Rut'].map((name, i) =>
      said(`w${i}`, `${name} sails the ketch${i === 0 ? ` named ${CANARY}` : ''} at dawn.`, 90 + i, {
        session: i === 0 ? 's1' : null,
      }),
    );
    await seedPerson(database, { tenant, user, at: start, chains: [waiting] });
    await consolidate(backend, { tenant, user, tier: 'light' });
    await consolidate(backend, { tenant, user, tier: 'deep' });
    await rows(sql`
      update slowwave.memories set updated_at = to_timestamp(${start / 1000}) - interval '10 days'
      where user_id = ${user} and external_id = 'f1'`);
    const pruned = await database.withTenant(tenant, (tx) =>
      pruneMemories(tx, { tenant, user, at: clock, runId: null, retentionMs: DAY, limit: 10 }),
    );
    expect(pruned.pruned).toBe(1);
    return user;
  }

  const SEEN = [
    'changes.after',
    'changes.before',
    'cold_memories.memory',
    'conflicts.description',
    'conflicts.slot',
    'fusions.output',
    'fusions.proposal',
    'memories.content',
    'memories.source_chunk',
    'memories.words',
    'messages.content',
    'model_answers.output',
    'recall_events.query',
    'relations.explanation',
    'session_summaries.summary',
    'session_summaries.topics',
    'user_profiles.behaviour',
  ];

  /** Looks everywhere, and first that looking finds what is there. */
  async function expectSeen(): Promise<void> {
    const found = (await columnsHolding(database, CANARY)).map((name) => name.replace(/^slowwave\./, ''));
    expect(found).toEqual(expect.arrayContaining(SEEN));
    // Nowhere but where a rule says what becomes of it, and never where none may stand.
    for (const column of found)
      expect(TEXT_RULES[column], column).not.toMatch(/^(identifier|code|report|common)$/);
  }
  async function expectGone(): Promise<void> {
    expect(await columnsHolding(database, CANARY)).toEqual([]);
    expect(await keysHolding(backend, CANARY)).toEqual([]);
    expect(running.log.join('')).not.toContain(CANARY.slice(0, 12));
  }

  it('of a memory, one after the other', async () => {
    const user = await live();
    await expectSeen();
    expect(await keysHolding(backend, CANARY)).toEqual([]);
    for (const name of ['f1', 'v2', 'h0', 'w0']) await forgetting(user, { memory: name });
    await expectGone();
    // What is left goes on without it: the next runs bring nothing back.
    clock += 2 * DAY;
    for (const tier of ['light', 'deep', 'sleep'] as const) {
      const run = await consolidate(backend, { tenant, user, tier });
      expect(run.status).toBe('completed');
    }
    await expectGone();
    const [left] = await rows<{ latest: number }>(sql`
      select count(*)::int as latest from slowwave.memories
      where user_id = ${user} and external_id in ('f2', 'f3', 'v0', 'v1', 'v3', 'h1', 'h2', 'w1', 'w2')
        and (is_latest or superseded_by is not null)`);
    expect(left).toEqual({ latest: 9 });
  });

  it('of a session, and what is elsewhere of the same', async () => {
    const user = await live();
    const { removed } = await forgetting(user, { session: 's1' });
    expect(removed).toMatchObject({ sessions: 1, messages: 4, summaries: 1 });
    for (const name of ['v2', 'h0']) await forgetting(user, { memory: name });
    await expectGone();
  });

  it('of a user; a wake-up that still waits ends without an error', async () => {
    const user = await live();
    await forgetting(user, { user: true });
    await expectGone();
    await backend.queues.add({ v: 1, tenant, user, tier: 'deep', why: 'schedule' });
    await until('the wake-up to end', () =>
      running.log.join('').includes('a job names a user who is not there'),
    );
    expect(await backend.queues.failed('deep')).toEqual([]);
    const tables = await rows<{ n: number }>(
      sql`select count(*)::int as n from slowwave.users where id = ${user}`,
    );
    expect(tables).toEqual([{ n: 0 }]);
  });
});
