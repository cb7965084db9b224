import { listMissingEmbeddings, loadImport, NO_LIMITS, storeEmbeddings } from '@slowwave/db';
import { ModelError } from '@slowwave/fusion';
import { createOfflineEmbedder } from '@slowwave/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOST, openStage, type Stage, signIn, tokenFor } from '../harness.ts';

const CANARY = 'pangolin-in-the-question';
const LINES = [
  {
    id: 'a',
    user: 'ana',
    content: 'Ana keeps <b>bees</b> behind the house.',
    category: 'fact',
    date: '2026-04-01',
  },
  { id: 'b', user: 'ana', content: 'Ana sold honey at the market.', category: 'event', date: '2026-06-01' },
];

describe('asking a memory on the dashboard', () => {
  let stage: Stage;
  const embedder = createOfflineEmbedder();
  beforeAll(async () => {
    stage = await openStage();
    await loadImport(stage.database, LINES.map((line) => JSON.stringify(line)).join('\n'), {
      format: 'jsonl',
      defaults: { tenant: 'acme' },
      at: Date.now(),
      maxContentChars: 1_000,
    });
    await stage.database.withTenant('acme', async (tx) => {
      const of = { tenant: 'acme', user: 'ana', model: embedder.model };
      const missing = await listMissingEmbeddings(tx, { ...of, limit: 100 });
      const vectors = await embedder.embed(missing.map(({ content }) => content));
      const embeddings = missing.map((memory, at) => ({ ...memory, vector: vectors[at]! }));
      await storeEmbeddings(tx, { ...of, at: Date.now(), embeddings });
    });
  });
  afterAll(() => stage.dispose());

  async function reader(more: Parameters<Stage['newProducer']>[0] = { embedder }) {
    const { producer, log } = stage.newProducer(more);
    const token = (await tokenFor(stage.database, { tenant: 'acme', role: 'read' })).authorization;
    const session = await signIn(producer, token.slice('Bearer '.length));
    const headers = { ...HOST, ...session };
    const get = (path: string) => producer.app.inject({ url: `/dashboard${path}`, headers });
    const form = / name="form" value="([^"]+)"/.exec((await get('/users')).body)![1]!;
    const ask = (fields: Record<string, string>, user = 'ana', token = form) =>
      producer.app.inject({
        method: 'POST',
        url: `/dashboard/users/${user}/recall`,
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ form: token, ...fields }).toString(),
      });
    return { get, ask, log };
  }

  it('begins with an empty question, for whoever may read', async () => {
    const { get } = await reader();
    const page = await get('/users/ana/recall');
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('action="/dashboard/users/ana/recall"');
    expect(page.body).not.toContain('What comes to mind');
    expect((await get('/users/ana')).body).toContain('href="/dashboard/users/ana/recall"');
    expect((await get('/users/nobody/recall')).statusCode).toBe(404);
  });

  it('answers as the API does, with the parts of each score, and texts as text', async () => {
    const { ask } = await reader();
    const page = await ask({ query: 'Where are the bees?' });
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('value="Where are the bees?"');
    expect(page.body).toContain('keeps &lt;b&gt;bees&lt;/b&gt;');
    expect(page.body).toMatch(/Why this one: <span class="nowrap">score 0\.\d\d/);
    for (const part of ['Words', 'Meaning', 'Relevance', 'Prominence', 'Recency', 'Score'])
      expect(page.body).toContain(`<th scope="row">${part}</th>`);
    expect(page.body).toContain('Wed, 1 Apr 2026');
  });

  it('the page of a question: beyond the budget of an embedder that charges, shows what words find and says so', async () => {
    const budgets = { ...NO_LIMITS, tenant_day: { tokens: null, nanos: 0n } };
    const { ask } = await reader({ embedder: { ...embedder, isCharged: true }, budgets });
    const page = await ask({ query: 'Where are the bees?' });
    expect(page.body).toContain('keeps &lt;b&gt;bees&lt;/b&gt;');
    expect(page.body).toContain('By words alone:');
    expect((await (await reader()).ask({ query: 'Where are the bees?' })).body).not.toContain(
      'By words alone:',
    );
  });

  it('the page of a question: an embedder that gives no answer, shows what words find and says why', async () => {
    const away = { ...embedder, embed: () => Promise.reject(new ModelError('network', { retryable: true })) };
    const page = await (await reader({ embedder: away })).ask({ query: 'Where are the bees?' });
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('keeps &lt;b&gt;bees&lt;/b&gt;');
    expect(page.body).toContain('the embedder gave no answer (network)');
  });

  it('heeds filters and budgets, and shows them again', async () => {
    const { ask } = await reader();
    const shown = async (fields: Record<string, string>) => {
      const { body } = await ask({ query: 'Ana', ...fields });
      return [body.includes('bees'), body.includes('honey')];
    };
    expect(await shown({})).toEqual([true, true]);
    expect(await shown({ category: 'event' })).toEqual([false, true]);
    expect(await shown({ until: '2026-04-01' })).toEqual([true, false]);
    expect(await shown({ from: '2026-04-02' })).toEqual([false, true]);
    expect(await shown({ maxChars: '30' })).toEqual([false, true]);
    expect((await ask({ query: 'Ana', limit: '1', from: '2026-04-02' })).body).toContain(
      'value="2026-04-02"',
    );
    expect((await ask({ query: 'Ana', category: 'insight' })).body).toContain('Nothing answers');
  });

  it.each([
    [{ query: '  ' }, /query: expected 1 to 2,000 characters/],
    [{ query: 'x'.repeat(2_001) }, /query: expected 1 to 2,000 characters/],
    [{ query: 'x', limit: '0' }, /limit: expected a whole number from 1 to 50/],
    [{ query: 'x', from: '31.12.' }, /from: expected a day as YYYY-MM-DD/],
    [{ query: 'x', category: 'other' }, /category/],
  ])('says what is wrong with %j', async (fields, said) => {
    const { ask } = await reader();
    const page = await ask(fields as Record<string, string>);
    expect(page.statusCode).toBe(400);
    expect(page.body).toMatch(said);
  });

  it('keeps the question out of addresses, logs and errors', async () => {
    const { ask, log } = await reader();
    const query = `${CANARY} bees`;
    expect((await ask({ query })).headers.location).toBeUndefined();
    expect((await ask({ query }, 'nobody')).statusCode).toBe(404);
    expect((await ask({ query, limit: 'many' })).body).not.toContain(CANARY);
    const broken = { ...embedder, embed: () => Promise.reject(new Error(query)) };
    const failed = await reader({ embedder: broken });
    const page = await failed.ask({ query });
    expect(page.statusCode).toBe(500);
    expect(page.body).not.toContain(CANARY);
    expect(log.text() + failed.log.text()).not.toContain(CANARY);
  });

  it('answers no form of another session, and says so where nothing embeds', async () => {
    const { ask } = await reader();
    expect((await ask({ query: 'bees' }, 'ana', 'forged')).statusCode).toBe(403);
    const none = await reader({});
    const page = await none.ask({ query: 'bees' });
    expect(page.statusCode).toBe(503);
    expect(page.body).toContain('SLOWWAVE_EMBEDDER');
  });
});
