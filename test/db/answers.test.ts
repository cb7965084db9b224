import {
  answerKeyOf,
  findAnswer,
  insertMemories,
  type NewAnswer,
  settleAnswer,
  storeAnswer,
} from '@slowwave/db';
import type { StoredAnswer } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const tenant = 't';
const CANARY = 'bassoon-canary-stoat';

const answer = (text: string): StoredAnswer => ({
  text,
  stopReason: 'end_turn',
  inputTokens: 100,
  outputTokens: 20,
  model: 'm-1',
});

describe('the key of an answer', () => {
  const identity = { tenant, user: 'u', step: 'rem', promptVersion: '1', model: 'm', parts: ['a', 'b'] };

  it('is the same for the same question and another one when anything differs', () => {
    const key = answerKeyOf(identity);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(answerKeyOf({ ...identity, parts: ['a', 'b'] })).toBe(key);
    const others = [
      { ...identity, tenant: 'x' },
      { ...identity, user: 'x' },
      { ...identity, step: 'x' },
      { ...identity, promptVersion: 'x' },
      { ...identity, model: 'x' },
      { ...identity, parts: ['b', 'a'] },
      { ...identity, parts: ['ab'] },
    ].map(answerKeyOf);
    expect(new Set([key, ...others]).size).toBe(8);
  });

  it('keeps the parts apart, whatever they are', () => {
    const lists = fc.array(fc.string(), { maxLength: 4 });
    fc.assert(
      fc.property(lists, lists, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(answerKeyOf({ ...identity, parts: one }) === answerKeyOf({ ...identity, parts: other })).toBe(
          same,
        );
      }),
    );
  });
});

describe.each(DATABASES)('paid answers (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  /** A user with two memories and a session, and what an answer about them looks like. */
  async function question(): Promise<NewAnswer> {
    const user = nextUser();
    const memories = ['a', 'b'].map((id) => newMemory(user, id, `Ana said ${id}.`));
    await seedUser(database, { tenant, user, memories });
    await rows(sql`
      insert into slowwave.sessions (tenant, user_id, id, started_at, last_message_at) values (${tenant}, ${user}, 's,"1"', now(), now())`);
    const found = await rows<{ id: string }>(sql`select id from slowwave.memories where user_id = ${user}`);
    const key = answerKeyOf({ tenant, user, step: 'rem', promptVersion: '1', model: 'm', parts: ['q'] });
    return {
      tenant,
      user,
      key,
      attempt: 1,
      step: 'rem',
      runId: null,
      answer: answer(`{"text":"${CANARY}"}`),
      memoryIds: found.map((row) => row.id),
      sessionIds: ['s,"1"'],
      at: NOW,
    };
  }
  const store = (input: NewAnswer) => inTenant((tx) => storeAnswer(tx, input));
  const find = (input: NewAnswer) => inTenant((tx) => findAnswer(tx, input));
  const settle = (input: NewAnswer, state: 'accepted' | 'rejected') =>
    inTenant((tx) => settleAnswer(tx, { ...input, state }));

  it('is found again while it is unjudged, and when it was accepted, with what it was made of', async () => {
    const input = await question();
    expect(await find(input)).toEqual({ attempt: 1, answer: null, attempts: 0 });
    expect(await store(input)).toBe(true);
    expect(await find(input)).toEqual({ attempt: 1, answer: input.answer, attempts: 1 });
    await settle(input, 'accepted');
    expect(await find(input)).toEqual({ attempt: 1, answer: input.answer, attempts: 1 });
    const [row] = await rows<{ memories: string[]; sessions: string[]; state: string }>(sql`
      select memory_ids as memories, session_ids as sessions, state from slowwave.model_answers where user_id = ${input.user}`);
    expect(row).toEqual({
      memories: [...input.memoryIds].sort(),
      sessions: input.sessionIds,
      state: 'accepted',
    });
  });

  it('never comes back once it was rejected; the next one is another attempt', async () => {
    const input = await question();
    await store(input);
    await settle(input, 'rejected');
    expect(await find(input)).toEqual({ attempt: 2, answer: null, attempts: 1 });
    await settle(input, 'accepted');
    expect((await find(input)).answer).toBeNull();
    const second = { ...input, attempt: 2, answer: answer('better') };
    expect(await store(second)).toBe(true);
    expect(await find(input)).toEqual({ attempt: 2, answer: second.answer, attempts: 2 });
  });

  it('an attempt is paid for once: a second answer under it is not used', async () => {
    const input = await question();
    await store(input);
    expect(await store({ ...input, answer: answer('another') })).toBe(false);
    expect((await find(input)).answer).toEqual(input.answer);
  });

  it('settling the same way twice writes nothing', async () => {
    const input = await question();
    await store(input);
    await settle(input, 'accepted');
    const version = () =>
      rows(
        sql`select xmin::text as xmin, ctid::text as ctid from slowwave.model_answers where user_id = ${input.user}`,
      );
    const before = await version();
    await settle(input, 'accepted');
    expect(await version()).toEqual(before);
  });

  it.each([
    [
      'a memory',
      (user: string) => sql`delete from slowwave.memories where user_id = ${user} and external_id = 'a'`,
    ],
    ['a session', (user: string) => sql`delete from slowwave.sessions where user_id = ${user}`],
  ])('when %s was forgotten meanwhile, the spend is recorded and the text dropped', async (_what, forget) => {
    const input = await question();
    await rows(forget(input.user));
    expect(await store(input)).toBe(false);
    const stored = await rows<{ output: string }>(sql`
      select output, state, input_tokens::float8 as tokens, memory_ids as memories, session_ids as sessions
      from slowwave.model_answers where user_id = ${input.user}`);
    expect(stored).toEqual([{ output: '', state: 'rejected', tokens: 100, memories: [], sessions: [] }]);
    expect(await find(input)).toMatchObject({ answer: null, attempts: 1 });
  });

  it("another user's memories and another tenant's answers are out of reach", async () => {
    const [mine, theirs] = [await question(), await question()];
    expect(await store({ ...mine, memoryIds: theirs.memoryIds })).toBe(false);
    await store({ ...theirs, attempt: 1 });
    const elsewhere = { ...theirs, tenant: 'elsewhere' };
    const found = await database.withTenant('elsewhere', (tx) => findAnswer(tx, elsewhere));
    expect(found.answer).toBeNull();
  });

  it('holds what the answer was made of until it is stored, and no other memory', async () => {
    const input = await question();
    const held = await inTenant(async (tx) => {
      await insertMemories(tx, { tenant, memories: [newMemory(input.user, 'c', 'Ana said c.')], at: NOW });
      await storeAnswer(tx, input);
      // A row that a transaction locks carries its number.
      return tx.rows<{ id: string }>(sql`
        select external_id as id from slowwave.memories where user_id = ${input.user} and xmax <> 0 order by 1`);
    });
    expect(held.map((row) => row.id)).toEqual(['a', 'b']);
  });

  it('refuses a step it does not know and keeps the text out of the error', async () => {
    const input = await question();
    const attempt = store({ ...input, step: 'fusion' as 'rem' });
    const error = await attempt.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'constraint', constraint: 'model_answers_step' });
    expect(`${(error as Error).message} ${(error as Error).stack}`).not.toContain(CANARY);
  });
});
