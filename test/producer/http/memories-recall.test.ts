import { recallMemories } from '@slowwave/api';
import { listMissingEmbeddings, loadImport, NO_LIMITS, storeEmbeddings } from '@slowwave/db';
import { type Embedder, ModelError, type ModelErrorCode } from '@slowwave/fusion';
import { createOfflineEmbedder } from '@slowwave/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { questionsOf } from '../../fixtures/memory-rows.ts';
import { callerOf } from '../declared.ts';
import { BEARER, CANARY, lineOf, openStage, type Stage, tokenFor } from '../harness.ts';

describe('recalling', () => {
  const embedder = createOfflineEmbedder();
  const at = Date.now();
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    const lines = [
      lineOf('ana', `${CANARY} Ana's dentist is Dr. Holm in Oslo.`),
      lineOf('ana', 'Ana plays the cello on Thursdays.'),
      lineOf('ben', 'Ben has no dentist.'),
    ];
    await loadImport(stage.database, lines.join('\n'), {
      format: 'jsonl',
      defaults: { tenant: 'r' },
      at,
      maxContentChars: 1_000,
    });
    await stage.database.withTenant('r', async (tx) => {
      const of = { tenant: 'r', user: 'ana', model: embedder.model };
      const missing = await listMissingEmbeddings(tx, { ...of, limit: 100 });
      const vectors = await embedder.embed(missing.map(({ content }) => content));
      const embeddings = missing.map((memory, i) => ({ ...memory, vector: vectors[i]! }));
      await storeEmbeddings(tx, { ...of, at, embeddings });
    });
  });
  afterAll(() => stage.dispose());

  async function ask(
    body: unknown,
    more: { embedder?: Embedder | undefined; headers?: Record<string, string> } = { embedder },
  ) {
    const { producer, log } = stage.newProducer(more.embedder ? { embedder: more.embedder } : {});
    const call = await callerOf(producer);
    return { log, reply: await call(recallMemories, { body, headers: more.headers ?? BEARER }) };
  }
  const failing = (code: ModelErrorCode, retryable: boolean): Embedder => ({
    ...embedder,
    embed: () => Promise.reject(new ModelError(code, { retryable })),
  });

  it('answers with the best first, of this user only, and records the question', async () => {
    const { reply, log } = await ask({ tenant: 'r', user: 'ana', query: ' who is the dentist of Ana? ' });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ degraded: false, reason: null });
    const memories = reply.body.memories as { content: string; score: number; similarity: number }[];
    expect(memories[0]).toMatchObject({
      content: `${CANARY} Ana's dentist is Dr. Holm in Oslo.`,
      category: 'fact',
      isLatest: true,
      supersededBy: null,
    });
    expect(memories[0]!.similarity).toBeGreaterThan(0);
    expect(memories.map(({ score }) => score)).toEqual(
      memories.map(({ score }) => score).sort((a, b) => b - a),
    );
    expect(memories.every(({ content }) => !content.includes('Ben'))).toBe(true);
    const events = await questionsOf(stage.database, { tenant: 'r', user: 'ana' });
    expect(events).toContainEqual({ query: 'who is the dentist of Ana?', hits: memories.length });
    expect(log.text()).not.toContain(CANARY);
    expect(log.text()).not.toContain('dentist');
  });

  it('brings as many as are asked for', async () => {
    const { reply } = await ask({
      tenant: 'r',
      user: 'ana',
      query: 'Ana',
      limit: 1,
      includeSuperseded: true,
    });
    expect(reply.body.memories).toHaveLength(1);
  });

  it('needs an embedder, and says what to do without one', async () => {
    const { reply } = await ask({ tenant: 'r', user: 'ana', query: 'x' }, {});
    expect([reply.status, reply.body.code]).toEqual([503, 'no_embedder']);
    expect(reply.body.detail).toContain('SLOWWAVE_EMBEDDER');
    expect(reply.headers.get('retry-after')).toBe('5');
  });

  it.each([
    ['timeout', true],
    ['auth', false],
    ['invalid_response', false],
  ] as const)(
    'POST /v1/recall: an embedder that fails with %s, answers by words alone, says why and logs it',
    async (code, retryable) => {
      const { reply, log } = await ask(
        { tenant: 'r', user: 'ana', query: `Who plays the cello, ${CANARY}?`, limit: 1 },
        { embedder: failing(code, retryable) },
      );
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({
        degraded: true,
        reason: code,
        memories: [{ content: expect.any(String), similarity: null }],
      });
      expect(log.lines()).toContainEqual(expect.objectContaining({ level: 50, route: '/v1/recall', code }));
      expect(log.text()).not.toContain(CANARY);
    },
  );

  it('POST /v1/recall: an embedder that fails and a user who is not there, answers 404', async () => {
    const { reply } = await ask(
      { tenant: 'r', user: 'zoe', query: 'cello' },
      { embedder: failing('network', true) },
    );
    expect([reply.status, reply.body.code]).toEqual([404, 'unknown_user']);
  });

  it('POST /v1/recall: an embedder that is stopped in the middle, answers that the service stops', async () => {
    const { reply } = await ask(
      { tenant: 'r', user: 'ana', query: 'cello' },
      { embedder: failing('aborted', false) },
    );
    expect([reply.status, reply.body.code]).toEqual([503, 'stopping']);
  });

  it('POST /v1/recall: an embedder that charges, beyond the budget, answers by words alone and says so', async () => {
    const charging = { ...failing('auth', false), isCharged: true };
    const budgets = { ...NO_LIMITS, tenant_day: { tokens: null, nanos: 0n } };
    const { producer } = stage.newProducer({ embedder: charging, budgets });
    const call = await callerOf(producer);
    const body = { tenant: 'r', user: 'ana', query: 'Who plays the cello?' };
    const reply = await call(recallMemories, { body, headers: BEARER });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      degraded: true,
      reason: 'budget',
      memories: [{ content: 'Ana plays the cello on Thursdays.', similarity: null }],
    });
  });

  it('knows nothing of a user who is not there', async () => {
    const { reply } = await ask({ tenant: 'r', user: 'zoe', query: `${CANARY}?` });
    expect([reply.status, reply.body.code]).toEqual([404, 'unknown_user']);
    expect(JSON.stringify(reply.body)).not.toContain(CANARY);
  });

  it.each([
    ['no question', { user: 'ana' }, 'query: expected 1 to 2,000 characters'],
    ['a blank one', { user: 'ana', query: ' \n ' }, 'query: expected 1 to 2,000 characters'],
    ['one that is too long', { user: 'ana', query: 'x'.repeat(2_001) }, 'query: expected 1 to 2,000'],
    ['one that is no text', { user: 'ana', query: `${CANARY}\u0000` }, 'query holds a NUL character'],
    ['too many at once', { user: 'ana', query: 'x', limit: 51 }, 'limit: expected a whole number from 1'],
    ['a number as text', { user: 'ana', query: 'x', limit: '5' }, 'limit: expected a whole number from 1'],
    ['nobody', { query: 'x' }, 'user: expected text'],
  ])('refuses %s', async (_what, body, told) => {
    const { reply } = await ask({ tenant: 'r', ...body });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.detail).toContain(told);
    expect(reply.body.detail).not.toContain(CANARY);
  });

  it('needs no more than a token that reads, of the tenant', async () => {
    const { authorization } = await tokenFor(stage.database, { tenant: 'r', role: 'read' });
    const own = await ask({ user: 'ana', query: 'cello' }, { embedder, headers: { authorization } });
    expect(own.reply.body.memories).not.toEqual([]);
    const other = await tokenFor(stage.database, { tenant: 'other', role: 'admin' });
    const headers = { authorization: other.authorization };
    const refused = await ask({ tenant: 'r', user: 'ana', query: 'cello' }, { embedder, headers });
    expect([refused.reply.status, refused.reply.body.code]).toEqual([403, 'wrong_tenant']);
    const elsewhere = await ask({ user: 'ana', query: 'cello' }, { embedder, headers });
    expect([elsewhere.reply.status, elsewhere.reply.body.code]).toEqual([404, 'unknown_user']);
  });
});
