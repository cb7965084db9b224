import { loadImport } from '@slowwave/db';
import { createOfflineEmbedder } from '@slowwave/models';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOST, openStage, type Stage, signIn, tokenFor } from './harness.ts';

const LINES = [
  { id: 'a', user: 'ana', content: 'Ana keeps bees behind the house.', date: '2026-04-01' },
  { id: 'b', user: 'ana', content: 'Ana sold honey at the market.', date: '2026-06-01' },
];

describe('an operator who asks a memory', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    await loadImport(stage.database, LINES.map((line) => JSON.stringify(line)).join('\n'), {
      format: 'jsonl',
      defaults: { tenant: 'acme' },
      at: Date.now(),
      maxContentChars: 1_000,
    });
  });
  afterAll(() => stage.dispose());

  const countsOf = () =>
    stage.database.withTenant('acme', (tx) =>
      tx.rows(sql`
        select (select count(*)::int from slowwave.recall_events where user_id = 'ana') as questions,
          (select sum(access_count)::int from slowwave.memories where user_id = 'ana') as recalls`),
    );

  it('leaves no trace in it: nothing is recorded or counted', async () => {
    const { producer } = stage.newProducer({ embedder: createOfflineEmbedder() });
    const token = (await tokenFor(stage.database, { tenant: 'acme', role: 'read' })).authorization;
    const headers = { ...HOST, ...(await signIn(producer, token.slice('Bearer '.length))) };
    const users = await producer.app.inject({ url: '/dashboard/users', headers });
    const form = / name="form" value="([^"]+)"/.exec(users.body)![1]!;
    const before = await countsOf();
    const page = await producer.app.inject({
      method: 'POST',
      url: '/dashboard/users/ana/recall',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ form, query: 'Who sold honey at the market?' }).toString(),
    });
    expect(page.body).toContain('sold honey');
    expect(await countsOf()).toEqual(before);
  });
});
