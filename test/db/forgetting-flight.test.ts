import {
  answerKeyOf,
  appendMessages,
  countForgets,
  createMemoryStore,
  type Database,
  DatabaseError,
  type ForgetTarget,
  forget,
  listMessages,
  listSummaries,
  listSummariesToEmbed,
  nothingForgotten,
  reportConflicts,
  settleAnswer,
  storeAnswer,
  storeBehaviour,
  storeEmbeddings,
  storeNeighbours,
  storeReflection,
  storeSessionSummary,
  storeSummaryEmbeddings,
  storeVerdicts,
  type Transaction,
} from '@slowwave/db';
import { updateBehaviour } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';
import { fuseMembers, membersOf } from '../fixtures/fused.ts';
import { clusterOf, DAY, derivedOf, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { until } from '../fixtures/wait.ts';

const tenant = 't';
const CANARY = 'zymurgist-4711';
const TEXT = `Ana keeps the ${CANARY} in the cellar.`;
const answer = (text: string) => ({
  text,
  stopReason: 'end_turn',
  inputTokens: 7,
  outputTokens: 3,
  model: 'm',
});

function helpers(databaseOf: () => Database) {
  let serial = 0;
  const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => databaseOf().withTenant(tenant, work);
  const rows = <Row extends object>(query: SQL) => inTenant((tx) => tx.rows<Row>(query));
  return {
    inTenant,
    rows,
    forgetting: (user: string, target: ForgetTarget, database = databaseOf()) =>
      forget(database, { tenant, user, target, at: NOW + DAY, actor: null }),
    /** A user with TEXT (m0) and two other memories of session s, and that session's messages. */
    async person() {
      const user = `user-${++serial}`;
      const memories = [TEXT, 'Ben walks dog 1.', 'Ben walks dog 2.'].map((text, i) =>
        newMemory(user, `m${i}`, text, { session: 's' }),
      );
      await seedUser(databaseOf(), { tenant, user, memories });
      const scope = scopeOf(tenant, user);
      const members = await membersOf(databaseOf(), scope);
      const ids = await rows<{ id: string }>(
        sql`select id from slowwave.memories where user_id = ${user} order by external_id`,
      );
      const messages = [TEXT, 'Fine.', 'The weather is good.', 'Bye.'].map((content) => ({
        role: 'user' as const,
        content,
        saidAt: NOW - DAY,
      }));
      await inTenant((tx) => appendMessages(tx, { tenant, user, session: { id: 's' }, messages, at: NOW }));
      return { user, scope, members, ids: ids.map(({ id }) => id) };
    },
    /** Tables about a user that hold the forgotten text. */
    async holding(user: string): Promise<string[]> {
      const tables = await databaseOf().asOwner((tx) =>
        tx.rows<{ name: string }>(sql`
          select table_name as name from information_schema.columns
          where table_schema = 'slowwave' and column_name = 'user_id' order by 1`),
      );
      const found: string[] = [];
      for (const { name } of tables) {
        const hits = await rows(sql`
          select 1 from ${sql.raw(`slowwave.${name}`)} t where t.user_id = ${user} and t::text ilike ${`%${CANARY}%`} limit 1`);
        if (hits.length > 0) found.push(name);
      }
      return found;
    },
  };
}

describe.each(DATABASES)('what is under way while something is forgotten (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());
  const { inTenant, rows, forgetting, person, holding } = helpers(() => database);

  const keyOf = (user: string, step: string) =>
    answerKeyOf({ tenant, user, step, promptVersion: '1', model: 'm', parts: ['q'] });

  describe('a fusion', () => {
    it('whose model is thinking stores no answer and commits nothing', async () => {
      const { user, scope, members } = await person();
      const store = createMemoryStore(database, scope);
      const claim = await store.claimFusion(clusterOf(members));
      if (claim.status !== 'claimed') throw new Error(claim.reason);
      await forgetting(user, { memory: 'm0' });
      await store.storeAnswer(claim.key, claim.attempt, answer(`{"summary":"${CANARY}"}`));
      const derived = derivedOf(members, { content: `About the ${CANARY}` });
      const pair = { a: members[1]!.id, b: members[2]!.id, kind: 'ambiguous' as const, slot: CANARY };
      const result = await store.commitFusion(claim.key, clusterOf(members), derived, [pair]);
      expect(result).toEqual({ status: 'stopped', reason: 'forgotten' });
      await store.failFusion(claim.key, {
        code: 'fact_loss',
        final: true,
        rejectAnswer: true,
        conflicts: [pair],
      });
      expect(await holding(user)).toEqual([]);
      const [row] = await rows(
        sql`select status, (input_tokens + output_tokens)::int as tokens from slowwave.fusions where user_id = ${user}`,
      );
      expect(row).toEqual({ status: 'forgotten', tokens: 10 });
      expect(await store.claimFusion(clusterOf(members))).toMatchObject({ status: 'skipped' });
    });

    it('that was planned before claims nothing afterwards', async () => {
      const { user, scope, members } = await person();
      await forgetting(user, { memory: 'm0' });
      const claim = await createMemoryStore(database, scope).claimFusion(clusterOf(members));
      expect(claim).toMatchObject({ status: 'skipped', reason: 'stale' });
    });

    it('of a user who is gone ends in a refusal of the database', async () => {
      const { user, scope, members } = await person();
      await forgetting(user, { user: true });
      const claim = createMemoryStore(database, scope).claimFusion(clusterOf(members));
      await expect(claim).rejects.toMatchObject({ code: 'constraint' });
      expect(await holding(user)).toEqual([]);
    });
  });

  describe('an answer about a session', () => {
    /** Asks about the session's messages, lets something happen while the model thinks, and stores the answer. */
    async function ask(user: string, meanwhile: () => Promise<unknown>): Promise<boolean> {
      const { forgets } = await inTenant(async (tx) => ({
        forgets: await countForgets(tx, { tenant, user }),
        messages: await listMessages(tx, { tenant, user, sessionId: 's', limit: 10, maxChars: 1000 }),
      }));
      await meanwhile();
      return inTenant((tx) =>
        storeAnswer(tx, {
          tenant,
          user,
          key: keyOf(user, 'summaries'),
          attempt: 1,
          step: 'summaries',
          runId: null,
          answer: answer(`{"summary":"${CANARY}"}`),
          memoryIds: [],
          sessionIds: ['s'],
          forgets,
          at: NOW,
        }),
      );
    }
    const summarise = (user: string, messageCount: number, key = keyOf(user, 'summaries')) =>
      inTenant(async (tx) => {
        const usable = await settleAnswer(tx, { tenant, user, key, attempt: 1, state: 'accepted' });
        if (!usable) return false;
        const summary = { summary: `About the ${CANARY}.`, topics: [CANARY], model: 'm', at: NOW };
        return storeSessionSummary(tx, { tenant, user, sessionId: 's', messageCount, ...summary });
      });
    const append = (user: string) =>
      inTenant((tx) =>
        appendMessages(tx, {
          tenant,
          user,
          session: { id: 's' },
          messages: [{ role: 'user', content: 'Hello again.', saidAt: NOW }],
          at: NOW,
        }),
      );

    it('is kept when nothing was forgotten, whatever was said meanwhile', async () => {
      const { user } = await person();
      expect(await ask(user, () => append(user))).toBe(true);
      expect(await summarise(user, 4)).toBe(true);
    });

    it.each([
      ['one message of it', { memory: 'm0' }],
      ['all of it', { session: 's' }],
      ['its user', { user: true }],
    ] as const)('is dropped while the model thinks about it and %s is forgotten', async (_what, target) => {
      const { user } = await person();
      const kept = ask(user, async () => {
        await forgetting(user, target);
        // The session may be there again, with as many messages as before.
        if (!('user' in target)) await append(user);
      });
      // Nobody's answer can be stored at all.
      if ('user' in target) await expect(kept).rejects.toMatchObject({ code: 'constraint' });
      else expect(await kept).toBe(false);
      expect(await summarise(user, 4)).toBe(false);
      expect(await holding(user)).toEqual([]);
    });

    it('is not used when it was stored before and judged afterwards', async () => {
      const { user } = await person();
      expect(await ask(user, async () => {})).toBe(true);
      await forgetting(user, { memory: 'm0' });
      await append(user);
      expect(await summarise(user, 4)).toBe(false);
      expect(await holding(user)).toEqual([]);
    });

    it('makes no summary of more messages than there are left', async () => {
      const { user } = await person();
      await forgetting(user, { memory: 'm0' });
      const summary = { summary: `About the ${CANARY}.`, topics: [], model: 'm', at: NOW };
      const stored = await inTenant((tx) =>
        storeSessionSummary(tx, { tenant, user, sessionId: 's', messageCount: 4, ...summary }),
      );
      expect(stored).toBe(false);
      expect(await inTenant((tx) => listSummaries(tx, { tenant, user, limit: 9 }))).toEqual([]);
    });
  });

  it('a reflection on a summary that went leaves nothing', async () => {
    const { user } = await person();
    const of = { tenant, user };
    await inTenant((tx) =>
      storeSessionSummary(tx, {
        ...of,
        sessionId: 's',
        summary: `About the ${CANARY}.`,
        topics: ['cellar'],
        messageCount: 4,
        model: 'm',
        at: NOW,
      }),
    );
    const forgets = await inTenant((tx) => countForgets(tx, of));
    await forgetting(user, { memory: 'm0' });
    const stored = await inTenant((tx) =>
      storeAnswer(tx, {
        ...of,
        key: keyOf(user, 'reflection'),
        attempt: 1,
        step: 'reflection',
        runId: null,
        answer: answer(CANARY),
        memoryIds: [],
        sessionIds: ['s'],
        forgets,
        at: NOW,
      }),
    );
    expect(stored).toBe(false);
    const written = await inTenant((tx) =>
      storeReflection(tx, {
        ...of,
        runId: null,
        at: NOW,
        profile: `Thinks of the ${CANARY}.`,
        insights: [{ content: `The ${CANARY} matters.`, sessionIds: ['s'] }],
        sessionIds: ['s'],
        confidence: 0.5,
        trust: 0.5,
      }),
    );
    expect(written).toEqual({ insights: 0 });
    expect(await holding(user)).toEqual([]);
  });

  it('verdicts of an answer that had it before its eyes are not stored, also those about others', async () => {
    const { user, ids } = await person();
    const of = { tenant, user };
    const key = keyOf(user, 'rem');
    const kept = await inTenant((tx) =>
      storeAnswer(tx, {
        ...of,
        key,
        attempt: 1,
        step: 'rem',
        runId: null,
        answer: answer(CANARY),
        memoryIds: ids,
        sessionIds: [],
        at: NOW,
      }),
    );
    expect(kept).toBe(true);
    await forgetting(user, { memory: 'm0' });
    expect(await inTenant((tx) => settleAnswer(tx, { ...of, key, attempt: 1, state: 'accepted' }))).toBe(
      false,
    );
    const verdict = {
      version: 1,
      novelty: 4,
      plausibility: 4,
      usefulness: 4,
      accepted: true,
      explanation: CANARY,
    };
    // About the forgotten one itself nothing is stored in any case.
    const result = await inTenant((tx) =>
      storeVerdicts(tx, {
        ...of,
        at: NOW,
        runId: null,
        model: 'm',
        seed: { id: ids[1]!, version: 1 },
        verdicts: [{ id: ids[0]!, ...verdict }],
      }),
    );
    expect(result).toEqual({ stored: 0, accepted: 0 });
    expect(await holding(user)).toEqual([]);
  });

  it('an answer about a memory that went is dropped', async () => {
    const { user, ids } = await person();
    await forgetting(user, { memory: 'm0' });
    const kept = await inTenant((tx) =>
      storeAnswer(tx, {
        tenant,
        user,
        key: keyOf(user, 'rem'),
        attempt: 1,
        step: 'rem',
        runId: null,
        answer: answer(CANARY),
        memoryIds: ids,
        sessionIds: [],
        at: NOW,
      }),
    );
    expect(kept).toBe(false);
    expect(await holding(user)).toEqual([]);
  });

  it('vectors of what went are left out, and others stored', async () => {
    const { user, members, ids } = await person();
    await forgetting(user, { memory: 'm0' });
    const embeddings = members.map(({ id, contentHash }, i) => ({
      id,
      contentHash,
      vector: Float32Array.from([1, i]),
    }));
    const stored = await inTenant(async (tx) => {
      const done = await storeEmbeddings(tx, { tenant, user, model: 'two', at: NOW, embeddings });
      await storeNeighbours(tx, { tenant, user, model: 'two', ids: done });
      return done;
    });
    expect(stored.sort()).toEqual([ids[1], ids[2]].sort());
    expect(await rows(sql`select 1 from slowwave.embeddings where memory_id = ${ids[0]}::uuid`)).toEqual([]);
  });

  it('a vector of a summary that went is left out', async () => {
    const { user } = await person();
    const of = { tenant, user };
    const summary = { summary: `About the ${CANARY}.`, topics: [], model: 'm', at: NOW };
    await inTenant((tx) => storeSessionSummary(tx, { ...of, sessionId: 's', messageCount: 4, ...summary }));
    const [found] = await inTenant((tx) => listSummariesToEmbed(tx, { ...of, model: 'two', limit: 9 }));
    await forgetting(user, { memory: 'm0' });
    const { sessionId, contentHash } = found!;
    const embeddings = [{ sessionId, contentHash, vector: Float32Array.from([1, 2]) }];
    const stored = await inTenant((tx) =>
      storeSummaryEmbeddings(tx, { ...of, model: 'two', at: NOW, embeddings }),
    );
    expect(stored).toBe(0);
  });

  it('what was read of a conversation is known to be out of date', async () => {
    const { user } = await person();
    const of = { tenant, user };
    const forgets = await inTenant((tx) => countForgets(tx, of));
    expect(await inTenant((tx) => nothingForgotten(tx, { ...of, forgets }))).toBe(true);
    await forgetting(user, { memory: 'm0' });
    expect(await inTenant((tx) => nothingForgotten(tx, { ...of, forgets }))).toBe(false);
    expect(await inTenant((tx) => nothingForgotten(tx, { ...of, forgets: forgets + 1 }))).toBe(true);
    const { user: other } = await person();
    expect(await inTenant((tx) => countForgets(tx, { tenant, user: other }))).toBe(0);
  });

  it('pairs with what went are not reported', async () => {
    const { user, ids } = await person();
    await forgetting(user, { memory: 'm0' });
    const pairs = [{ a: ids[0]!, b: ids[1]!, kind: 'contradictory' as const, slot: CANARY }];
    const reported = await inTenant((tx) =>
      reportConflicts(tx, { tenant, user, runId: null, at: NOW, source: 'fusion', pairs }),
    );
    expect(reported).toBe(0);
    expect(await holding(user)).toEqual([]);
  });

  it('gives up when others are at it all the time, and says so', async () => {
    const { user } = await person();
    let attempts = 0;
    const unlucky: Database = {
      ...database,
      withTenant: (of, work) =>
        database.withTenant(of, async (tx) => {
          attempts += 1;
          const result = await work(tx);
          if (attempts > 0) throw new DatabaseError('serialization', 'deadlock', { retryable: true });
          return result;
        }),
    };
    await expect(forgetting(user, { memory: 'm0' }, unlucky)).rejects.toMatchObject({
      code: 'busy',
      retryable: true,
    });
    expect(attempts).toBe(10);
    expect(await holding(user)).toContain('memories');
  });
});

describe('forgetting beside others (server)', () => {
  let fixture: DatabaseFixture;
  let database: Database;
  beforeAll(async () => {
    fixture = await serverFixture();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());
  const { inTenant, rows, forgetting, person, holding } = helpers(() => database);

  const waiting = () =>
    until('somebody to wait for a lock', async () => {
      const [row] = await database.asOwner((tx) =>
        tx.rows<{ n: number }>(sql`
          select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      );
      return row!.n > 0;
    });
  /** The same database; something happens before each statement that passes the test. */
  const watched = (before: (text: string) => Promise<void>): Database => ({
    ...database,
    withTenant: (of, work) =>
      database.withTenant(of, (tx) =>
        work({
          async rows(query) {
            await before(JSON.stringify(query.queryChunks));
            return tx.rows(query);
          },
        }),
      ),
  });
  const once = (pattern: RegExp, work: () => Promise<unknown>) => {
    let done = false;
    return async (text: string) => {
      if (done || !pattern.test(text)) return;
      done = true;
      await work();
    };
  };

  async function planned() {
    const of = await person();
    const store = createMemoryStore(database, of.scope);
    const claim = await store.claimFusion(clusterOf(of.members));
    if (claim.status !== 'claimed') throw new Error(claim.reason);
    await store.storeAnswer(claim.key, claim.attempt, answer(`{"summary":"${CANARY}"}`));
    const derived = derivedOf(of.members, { content: `About the ${CANARY}` });
    return { ...of, key: claim.key, derived };
  }

  it('a commit that is ahead ends first, and what it made goes too', async () => {
    const { user, scope, key, members, derived, ids } = await planned();
    let begun: ReturnType<typeof forgetting> | undefined;
    const store = createMemoryStore(database, scope, {
      failpoints: async (name) => {
        if (name !== 'after-supersede') return;
        begun = forgetting(user, { memory: 'm0' });
        begun.catch(() => undefined);
        await waiting();
      },
    });
    const committed = await store.commitFusion(key, clusterOf(members), derived);
    expect(committed).toMatchObject({ status: 'applied', superseded: 3 });
    const result = await begun!;
    const derivedId = committed.status === 'applied' ? committed.derivedId : '';
    expect(result.removed.memories).toEqual([
      { id: ids[0], why: 'asked' },
      { id: derivedId, why: 'derived' },
    ]);
    expect(result.reopened.sort()).toEqual(ids.slice(1).sort());
    expect(await holding(user)).toEqual([]);
  });

  it('a commit that is behind waits, and writes nothing', async () => {
    const { user, scope, key, members, derived } = await planned();
    let begun: Promise<unknown> | undefined;
    const slow = watched(
      once(/delete from slowwave\.memories/, async () => {
        begun = createMemoryStore(database, scope).commitFusion(key, clusterOf(members), derived);
        await waiting();
      }),
    );
    await forgetting(user, { memory: 'm0' }, slow);
    expect(await begun).toEqual({ status: 'stopped', reason: 'forgotten' });
    expect(await holding(user)).toEqual([]);
  });

  it('what was made between looking and locking is found', async () => {
    const { user, scope, members } = await person();
    let made: { derivedId: string } | null = null;
    const slow = watched(
      once(/from slowwave\.fusions where[\s\S]*order by key for update/, async () => {
        made = await fuseMembers(database, scope, members, { content: `Of the ${CANARY}` });
      }),
    );
    const result = await forgetting(user, { memory: 'm0' }, slow);
    expect(result.removed.memories.map(({ why }) => why)).toEqual(['asked', 'derived']);
    expect(result.removed.memories[1]!.id).toBe(made!.derivedId);
    expect(await holding(user)).toEqual([]);
  });

  it('whoever stores an answer waits, and drops it', async () => {
    const { user, ids } = await person();
    const forgets = await inTenant((tx) => countForgets(tx, { tenant, user }));
    const input = {
      tenant,
      user,
      attempt: 1,
      runId: null,
      answer: answer(CANARY),
      at: NOW,
    };
    for (const more of [
      { key: 'a'.repeat(64), step: 'rem' as const, memoryIds: [ids[0]!], sessionIds: [] },
      { key: 'b'.repeat(64), step: 'summaries' as const, memoryIds: [], sessionIds: ['s'], forgets },
    ]) {
      const { user: another, ids: theirs } = more.step === 'rem' ? { user, ids } : await person();
      const memoryIds = more.step === 'rem' ? [theirs[0]!] : [];
      let begun: Promise<boolean> | undefined;
      const slow = watched(
        once(/delete from slowwave\.memories/, async () => {
          begun = inTenant((tx) => storeAnswer(tx, { ...input, ...more, user: another, memoryIds }));
          await waiting();
        }),
      );
      await forgetting(another, { memory: 'm0' }, slow);
      expect(await begun).toBe(false);
      expect(await holding(another)).toEqual([]);
    }
  });

  it('a vector that is being stored waits, and is left out', async () => {
    const { user, members } = await person();
    let begun: Promise<string[]> | undefined;
    const embeddings = members.map(({ id, contentHash }) => ({
      id,
      contentHash,
      vector: Float32Array.from([1, 2, 3]),
    }));
    const slow = watched(
      once(/insert into slowwave\.change_sets/, async () => {
        begun = inTenant((tx) => storeEmbeddings(tx, { tenant, user, model: 'three', at: NOW, embeddings }));
        await waiting();
      }),
    );
    await forgetting(user, { memory: 'm0' }, slow);
    expect(await begun).toHaveLength(2);
  });

  it('a run that holds the user finds that it no longer does', async () => {
    const { user, scope, key, members, derived } = await planned();
    let begun: Promise<unknown> | undefined;
    const slow = watched(
      once(/delete from .*slowwave\.leases/, async () => {
        begun = createMemoryStore(database, scope).commitFusion(key, clusterOf(members), derived);
        await waiting();
      }),
    );
    await forgetting(user, { user: true }, slow);
    expect(await begun).toMatchObject({ status: 'lease_lost' });
    expect(await rows(sql`select 1 from slowwave.users where id = ${user}`)).toEqual([]);
    expect(await holding(user)).toEqual([]);
  });

  it('two that forget at once both end well', async () => {
    const { user, scope, members } = await person();
    await fuseMembers(database, scope, members, { content: `Of the ${CANARY}` });
    const both = await Promise.all(['m0', 'm1'].map((memory) => forgetting(user, { memory })));
    expect(both.map(({ status }) => status)).toEqual(['done', 'done']);
    expect(await holding(user)).toEqual([]);
    const left = await rows(
      sql`select external_id as name, is_latest as latest from slowwave.memories where user_id = ${user}`,
    );
    expect(left).toEqual([{ name: 'm2', latest: true }]);
  });

  it('a behaviour read before is not stored after', async () => {
    const { user } = await person();
    const of = { tenant, user };
    const forgets = await inTenant((tx) => countForgets(tx, of));
    const hours = Array.from({ length: 24 }, () => 0);
    const day = { day: '2026-06-14', messages: 4, characters: 80, questions: 1, topics: [CANARY] };
    const behaviour = updateBehaviour(null, [{ ...day, hours, at: NOW }])!;
    let begun: Promise<boolean> | undefined;
    const slow = watched(
      once(/insert into slowwave\.change_sets/, async () => {
        begun = inTenant(async (tx) => {
          if (!(await nothingForgotten(tx, { ...of, forgets }))) return false;
          await storeBehaviour(tx, { ...of, behaviour, through: NOW, at: NOW });
          return true;
        });
        await waiting();
      }),
    );
    await forgetting(user, { memory: 'm0' }, slow);
    expect(await begun).toBe(false);
    expect(await holding(user)).toEqual([]);
  });
});
