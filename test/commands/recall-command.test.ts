import { loadImport } from '@slowwave/db';
import type { RecallAnswer } from '@slowwave/producer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anywhere } from '../../apps/standalone/src/anywhere.ts';
import { type RecallArguments, recallCommand } from '../../apps/standalone/src/recall-command.ts';
import { COMMAND_WAYS, type CommandStage, openCommandStage } from '../fixtures/command-stage.ts';

const LINES = [
  { id: 'a', user: 'ana', content: 'Ana keeps bees behind the house.', date: '2026-04-01', category: 'fact' },
  { id: 'b', user: 'ana', content: 'Ana sold honey at the market.', date: '2026-06-01', category: 'event' },
  {
    id: 'c',
    user: 'ana',
    content: 'The bees of Ana swarmed on Sunday.',
    date: '2026-07-01',
    category: 'event',
  },
];

describe.each(COMMAND_WAYS)('slowwave recall, %s', (way) => {
  let stage: CommandStage;
  const asked = (question: string, more: Partial<RecallArguments> = {}): RecallArguments => ({
    question,
    user: 'ana',
    tenant: 'default',
    includeSuperseded: false,
    explain: false,
    json: false,
    ...more,
  });
  const run = (given: RecallArguments) => stage.run((context) => recallCommand(context, given));
  const names = async (given: RecallArguments): Promise<(string | null)[]> => {
    const answer = JSON.parse((await run({ ...given, json: true })).join('')) as RecallAnswer;
    return answer.memories.map(({ externalId }) => externalId);
  };
  beforeAll(async () => {
    stage = await openCommandStage(way);
    const text = LINES.map((line) => JSON.stringify(line)).join('\n');
    await anywhere(stage.context().context, {
      service: (client) => client.import(new Blob([text]).stream(), { tenant: 'default' }).then(() => {}),
      database: async (database) =>
        void (await loadImport(database, text, {
          format: 'jsonl',
          defaults: { tenant: 'default' },
          at: Date.now(),
          maxContentChars: 1_000,
        })),
    });
  });
  afterAll(() => stage?.close());

  it('prints what answers, with its days, and why it stands there', async () => {
    const lines = await run(asked('who has bees?', { explain: true }));
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^ 1\. .*bees/);
    expect(lines[1]).toMatch(/said on 2026-0[47]-01, (fact|event), [ac]$/);
    expect(lines[2]).toMatch(
      /^ {4}score \d\.\d{3} = relevance \d\.\d{3} \(words \d\.\d{3}, meaning \d\.\d{3}\) × prominence \d\.\d{3} × recency \d\.\d{3}$/,
    );
    expect(await run(asked('who has bees?'))).toHaveLength(4);
  });

  it('narrows by filters, and fills budgets', async () => {
    expect((await names(asked('bees'))).sort()).toEqual(['a', 'c']);
    expect(await names(asked('bees', { categories: ['event'] }))).toEqual(['c']);
    expect(await names(asked('bees', { saidBefore: Date.parse('2026-05-01') }))).toEqual(['a']);
    expect(await names(asked('bees', { saidAfter: Date.parse('2026-05-01') }))).toEqual(['c']);
    expect(await names(asked('bees', { maxChars: 40 }))).toHaveLength(1);
    expect(await names(asked('bees', { maxTokens: 8, maxChars: 1_000 }))).toEqual(['a']);
    expect(await names(asked('Ana bees honey', { limit: 1 }))).toHaveLength(1);
  });

  it('says when nothing answers, and who is not there', async () => {
    expect(await run(asked('quarterly zebra figures'))).toEqual([
      'no memory has any word of the question, and none is near to it',
    ]);
    const refused = await stage.refused((context) =>
      recallCommand(context, asked('canary-4711', { user: 'stranger' })),
    );
    expect(refused.message).toMatch(/no (such )?user/);
    expect(refused.message).not.toContain('canary-4711');
  });
});

it.each(
  COMMAND_WAYS.flatMap((way) => [
    { way, reason: 'budget', dollars: '0' },
    { way, reason: 'network', dollars: '1' },
  ]),
)(
  'slowwave recall: no vector of the question because of $reason, $way, says so and finds by words',
  async ({ way, reason, dollars }) => {
    const stage = await openCommandStage(way, {
      SLOWWAVE_EMBEDDER: 'openai',
      SLOWWAVE_EMBEDDING_MODEL: 'charging',
      SLOWWAVE_EMBEDDING_BASE_URL: 'http://127.0.0.1:9',
      SLOWWAVE_EMBEDDING_DIMENSIONS: '8',
      OPENAI_API_KEY: 'never-used',
      SLOWWAVE_BUDGET_TENANT_DAY_DOLLARS: dollars,
      SLOWWAVE_MODEL_PRICES: 'charging=1/0',
    });
    try {
      const { user, tenant } = await stage.newUser();
      const given = { user, tenant, question: 'user', includeSuperseded: false, explain: false, json: true };
      const [json] = await stage.run((context) => recallCommand(context, given));
      expect(JSON.parse(json!)).toMatchObject({ degraded: true, reason });
      const lines = await stage.run((context) => recallCommand(context, { ...given, json: false }));
      expect(lines[0]).toMatch(/^by words alone: /);
    } finally {
      await stage.close();
    }
  },
);
