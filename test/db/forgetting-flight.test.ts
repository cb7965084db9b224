import {
  answerKeyOf,
  appendMessages,
  countForgets,
  createMemoryStore,
  type Database,
  DatabaseError,
  listMessages,
  listSummaries,
  listSummariesToEmbed,
  nothingForgotten,
  reportConflicts,
  settleAnswer,
  storeAnswer,
  storeEmbeddings,
  storeNeighbours,
  storeReflection,
  storeSessionSummary,
  storeSummaryEmbeddings,
  storeVerdicts,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { commitStatement } from '../fixtures/commit-statement.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { answer, CANARY, flightPeople } from '../fixtures/forgetting-flight.ts';
import { clusterOf, derivedOf, NOW } from '../fixtures/memories.ts';

const tenant = 't';

describe.each(DATABASES)('what is under way while something is forgotten (%s)', (_name, open) => {
  const { database, inTenant, rows, forgetting, person, holding } = flightPeople(open);

  const keyOf = (user: string, step: string) =>
    answerKeyOf({ tenant, user, step, promptVersion: '1', model: 'm', parts: ['q'] });

  describe('a fusion', () => {
    it('whose model is thinking stores no answer and commits nothing', async () => {
      const { user, scope, members } = await person();
      const store = createMemoryStore(database, scope);
      const claim = await store.claimFusion(clusterOf(members));
      if (claim.status !== 'claimed') throw new Error(claim.reason);
      await forgetting(user, { memory: 'm0' });
      await store.storeAnswer(claim.key, claim.attempt, answer(`{"statements":["${CANARY}"]}`));
      const derived = derivedOf(members, { content: `About the ${CANARY}` });
      const pair = { a: members[1]!.id, b: members[2]!.id, kind: 'ambiguous' as const, slot: CANARY };
      const statement = { key: claim.key, members, derived, conflicts: [pair] };
      const result = await commitStatement(database, scope, statement);
      expect(result).toEqual({ status: 'stopped', reason: 'forgotten' });
      await store.failFusion(claim.key, {
        code: 'invalid_output',
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
