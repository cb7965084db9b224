import { createMemoryStore, type Database, type FusionScope } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { membersOf } from '../fixtures/fused.ts';
import { clusterOf } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { ANSWER, expireLease, KEPT, mustPlan, newHeldUser, outcomeFor, takeOver } from './guards.ts';

const FAILURE = { code: 'invalid_output', rejectAnswer: true };
const answer = (text: string) => ({ ...ANSWER, text });

/** What comes late, from a worker that was overtaken while a model thought: its answer, and its judgement. */
describe.each(DATABASES)('what comes late (%s)', (_name, open) => {
  const { database, rows, nextUser } = ownDatabase(open);

  /** A has asked and waits for the answer; its hold has run out and B has the user. */
  async function asked(user: string) {
    const scope = await newHeldUser(database, user);
    const cluster = clusterOf(await membersOf(database, scope));
    const a = createMemoryStore(database, scope);
    const claim = await a.claimFusion(cluster);
    if (claim.status !== 'claimed') throw new Error('not claimed');
    await expireLease(database, user);
    return { a, claim, cluster, later: await takeOver(database, user) };
  }
  const ledgerOf = async (user: string, key: string) => {
    const [row] = await rows<{ status: string; answer: string; output: string | null; tokens: number }>(sql`
      select status, answer_state as answer, output, (input_tokens + output_tokens)::int as tokens
      from slowwave.fusions where user_id = ${user} and key = ${key}`);
    return row!;
  };
  const fuse = (of: Database, scope: FusionScope) => mustPlan(of, scope).then((planned) => planned.commit());

  it('an answer to an attempt that is over: the one that was paid for since stays', async () => {
    const user = nextUser();
    const { a, claim, cluster, later } = await asked(user);
    const b = createMemoryStore(database, later);
    const first = await b.claimFusion(cluster);
    if (first.status !== 'claimed') throw new Error('not claimed');
    expect(first).toMatchObject({ attempt: claim.attempt, answer: null });
    await b.storeAnswer(first.key, first.attempt, answer('judged'));
    await b.failFusion(first.key, { ...FAILURE, final: false });
    const second = await b.claimFusion(cluster, { retry: true });
    if (second.status !== 'claimed') throw new Error('not claimed');
    expect(second).toMatchObject({ attempt: claim.attempt + 1, answer: null });
    await b.storeAnswer(second.key, second.attempt, answer('better'));
    await a.storeAnswer(claim.key, claim.attempt, answer('late'));
    expect(await b.claimFusion(cluster)).toMatchObject({
      attempt: second.attempt,
      answer: { text: 'better' },
    });
  });

  it('an answer to a fusion that is closed: only what it cost is kept', async () => {
    const user = nextUser();
    const { a, claim, later } = await asked(user);
    expect((await fuse(database, later)).status).toBe('applied');
    await a.storeAnswer(claim.key, claim.attempt, answer('late'));
    expect(await ledgerOf(user, claim.key)).toEqual({
      status: 'closed',
      answer: 'accepted',
      output: ANSWER.text,
      tokens: 30,
    });
    expect(await outcomeFor(database, user)).toEqual(KEPT);
  });

  it.each([true, false])('a judgement of a fusion that is closed (final: %s): nothing', async (final) => {
    const user = nextUser();
    const { a, claim, later } = await asked(user);
    expect((await fuse(database, later)).status).toBe('applied');
    await a.failFusion(claim.key, { ...FAILURE, final });
    expect(await ledgerOf(user, claim.key)).toMatchObject({ status: 'closed', answer: 'accepted' });
    expect(await outcomeFor(database, user)).toEqual(KEPT);
  });

  it('an answer that was paid for is used by whoever comes next, and asked for once', async () => {
    const user = nextUser();
    const { a, claim, cluster, later } = await asked(user);
    await a.storeAnswer(claim.key, claim.attempt, answer('paid'));
    expect(await createMemoryStore(database, later).claimFusion(cluster)).toMatchObject({
      status: 'claimed',
      attempt: claim.attempt,
      answer: { text: 'paid' },
    });
  });
});
