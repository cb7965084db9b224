import { loadImport, type StepEstimate } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anywhere } from '../../apps/standalone/src/anywhere.ts';
import { estimateCommand } from '../../apps/standalone/src/estimate-command.ts';
import { COMMAND_WAYS, type CommandStage, openCommandStage } from '../fixtures/command-stage.ts';

const ANTHROPIC = {
  SLOWWAVE_MODEL_PROVIDER: 'anthropic',
  SLOWWAVE_MODEL: 'claude-haiku-5-5-20261101',
  ANTHROPIC_API_KEY: 'not-a-real-key',
  // Nobody is there: an estimate asks nobody.
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
};

/** Old memories that are one cluster by their relations, as an import file has them. */
function linesOf(user: string): string {
  const date = new Date(Date.now() - 60 * 86_400_000).toISOString().slice(0, 10);
  return ['by the canal', 'near the old bridge', 'behind the station']
    .map((place, i) => {
      const relations = i === 0 ? {} : { relations: [{ type: 'EXTENDS', target: `f${i - 1}` }] };
      return JSON.stringify({
        id: `f${i}`,
        user,
        content: `${user} has a garden ${place}.`,
        date,
        category: 'fact',
        ...relations,
      });
    })
    .join('\n');
}

interface Printed {
  users: number;
  costDollars: number | null;
  models: {
    model: string;
    requests: number;
    inputTokens: number;
    outputTokens: number;
    costDollars: number | null;
  }[];
  steps: StepEstimate[];
}

describe.each(COMMAND_WAYS)('slowwave estimate, %s', (way) => {
  let stage: CommandStage;
  beforeAll(async () => {
    stage = await openCommandStage(way, ANTHROPIC);
    const { context } = stage.context();
    for (const user of ['ana', 'ben']) {
      const text = linesOf(user);
      await anywhere(context, {
        service: (client) => client.import(new Blob([text]).stream(), { tenant: 'default' }).then(() => {}),
        database: async (database) =>
          void (await loadImport(database, text, {
            format: 'jsonl',
            defaults: { tenant: 'default' },
            at: Date.now(),
            maxContentChars: 1_000,
          })),
      });
    }
  });
  afterAll(() => stage?.close());

  const json = async (user?: string): Promise<Printed> => {
    const given = { tenant: 'default', json: true, ...(user === undefined ? {} : { user }) };
    const lines = await stage.run((context) => estimateCommand(context, given));
    return JSON.parse(lines.join('')) as Printed;
  };

  it('tells requests, tokens and money of a tenant, and of one user', async () => {
    const [all, one] = [await json(), await json('ana')];
    expect([all.users, one.users]).toEqual([2, 1]);
    const [haiku] = all.models;
    expect(haiku).toMatchObject({ model: ANTHROPIC.SLOWWAVE_MODEL });
    expect(haiku!.costDollars).toBeCloseTo((haiku!.inputTokens * 0.1 + haiku!.outputTokens * 0.5) / 1e6, 9);
    expect(all.costDollars).toBe(haiku!.costDollars);
    const nrem = (printed: Printed) => printed.steps.find(({ step }) => step === 'nrem')!;
    expect(nrem(all).requests).toBe(2);
    expect(nrem(one).requests).toBe(1);
    expect(all.models).toHaveLength(1);
    const lines = await stage.run((context) => estimateCommand(context, { tenant: 'default', json: false }));
    expect(lines[0]).toMatch(/^the next night of 2 users, as it would be now: \$0\.\d{6}$/);
    expect(lines.join('\n')).toMatch(/claude-haiku-5-5-20261101 +\d+ +\d+ +\d+ +\$/);
  });

  it('tells how many users ask for more than the budget of a night, and nothing where it is none', async () => {
    const under = (tokens: number | null) =>
      stage.run((context) => {
        const { config } = context;
        const budgets = { ...config.budgets, user_night: { tokens, nanos: null } };
        return estimateCommand(
          { ...context, config: { ...config, budgets } },
          { tenant: 'default', json: false },
        );
      });
    expect((await under(100)).at(-1)).toMatch(
      /^2 users would ask for more than the 100 tokens .* SLOWWAVE_BUDGET_USER_NIGHT_TOKENS/,
    );
    for (const tokens of [null, 150_000]) expect((await under(tokens)).join()).not.toContain('BUDGET');
    expect(await json()).toMatchObject({ overBudget: 0 });
  });

  it('is half as much in batches, and says so', async () => {
    const [direct, lines] = [
      await json(),
      await stage.run((context) => {
        const { config } = context;
        const batch = { ...config.batch, collect: true };
        return estimateCommand(
          { ...context, config: { ...config, batch } },
          { tenant: 'default', json: false },
        );
      }),
    ];
    const [, cost] = /it would be now: \$(\d\.\d+)$/.exec(lines[0]!)!;
    expect(Number(cost)).toBeCloseTo(direct.costDollars! / 2, 5);
    expect(lines.at(-1)).toBe('at the price of batches, as SLOWWAVE_BATCH says');
  });

  it('says when nobody would be asked, and who is not there', async () => {
    const empty = await stage.run((context) =>
      estimateCommand(context, { tenant: 'elsewhere', json: false }),
    );
    expect(empty).toEqual(['the next night of 0 users would ask no model']);
    const refused = await stage.refused((context) =>
      estimateCommand(context, { tenant: 'default', user: 'nobody', json: false }),
    );
    expect(refused.message).toMatch(/no (such )?user/);
  });
});
