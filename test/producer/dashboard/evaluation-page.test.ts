import { readEvaluation, storeEvaluation } from '@slowwave/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SMALL_EVALUATION } from '../../fixtures/evaluation-report.ts';
import { callerOf } from '../declared.ts';
import { HOST, openStage, type Stage, signIn, tokenFor } from '../harness.ts';

describe('the last evaluation', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.dispose());

  const params = { tenant: 'acme' };
  async function as(role: 'read' | 'write', tenant = 'acme') {
    const { producer, clock } = stage.newProducer();
    const { authorization } = await tokenFor(stage.database, { tenant, role });
    const call = await callerOf(producer);
    const session = await signIn(producer, authorization.slice('Bearer '.length));
    const page = async () =>
      (await producer.app.inject({ url: '/dashboard/evaluation', headers: { ...HOST, ...session } })).body;
    return { call, page, clock, headers: { authorization } };
  }

  it('is none at first, and the page says what to run', async () => {
    const { call, headers, page } = await as('read');
    const reply = await call(readEvaluation, { params, headers });
    expect(reply.body).toEqual({ tenant: 'acme', evaluatedAt: null, evaluation: null });
    expect(await page()).toContain('npx slowwave evaluate memories.jsonl --publish');
  });

  it('is stored by whoever may write, read by others, and shown whole', async () => {
    const reader = await as('read');
    const refused = await reader.call(storeEvaluation, {
      params,
      headers: reader.headers,
      body: SMALL_EVALUATION,
    });
    expect(refused.status).toBe(403);
    const writer = await as('write');
    const stored = await writer.call(storeEvaluation, {
      params,
      headers: writer.headers,
      body: SMALL_EVALUATION,
    });
    expect(stored.status).toBe(200);
    const read = (await reader.call(readEvaluation, { params, headers: reader.headers })).body;
    expect(read.evaluation).toEqual(SMALL_EVALUATION);
    expect(read.evaluatedAt).toBe(stored.body.evaluatedAt);
    const page = await reader.page();
    for (const text of [
      'ana.jsonl',
      'after 7 nights',
      '0.875',
      'plain BM25',
      '2 of 3',
      '$0.0123',
      'groups of notes that say the same',
      '2 (67 % of met)',
      '8400.0',
      'lost 2',
      'class="search recall later"',
    ])
      expect(page).toContain(text);
  });

  it('is of its tenant alone, and the newest takes the place of the one before', async () => {
    const other = await as('write', 'other');
    expect((await other.call(readEvaluation, { params, headers: other.headers })).status).toBe(403);
    expect(await other.page()).toContain('Nothing was evaluated yet');
    const writer = await as('write');
    await writer.call(storeEvaluation, {
      params,
      headers: writer.headers,
      body: { ...SMALL_EVALUATION, files: ['new.jsonl'] },
    });
    const page = await writer.page();
    expect(page).toContain('new.jsonl');
    expect(page).not.toContain('ana.jsonl');
  });

  it.each([
    ['a share above one', { stages: [{ ...SMALL_EVALUATION.stages[0], store: { memories: -1 } }] }],
    ['no stage', { stages: [] }],
    ['fields of other things', { secret: 'a memory' }],
    ['a version to come', { version: 2 }],
    ['too many files', { files: new Array(1_001).fill('a') }],
  ])('is refused with %s', async (_, more) => {
    const { call, headers } = await as('write');
    const reply = await call(storeEvaluation, { params, headers, body: { ...SMALL_EVALUATION, ...more } });
    expect(reply.status).toBe(400);
  });

  it('shows names of files as text', async () => {
    const { call, headers, page } = await as('write');
    await call(storeEvaluation, {
      params,
      headers,
      body: { ...SMALL_EVALUATION, files: ['<img src=x>.jsonl'] },
    });
    expect(await page()).toContain('&lt;img src=x&gt;.jsonl');
  });
});
