import type { Config } from '@slowwave/config';
import { type Database, estimateNight, type NightStep, pageUsers, type StepEstimate } from '@slowwave/db';
import { costOf, createModels, dollarsOfNanos, OFFLINE_MODEL, priceOf } from '@slowwave/models';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, UsageError } from './exit.ts';
import { printable } from './explain-lines.ts';
import type { EstimatePage } from './operator-calls.ts';
import { plural } from './print.ts';
import { tableLines } from './table.ts';

export interface EstimateArguments {
  tenant: string;
  user?: string;
  json: boolean;
}

interface ModelEstimate {
  /** Null: nobody has said here which model is asked. */
  model: string | null;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars; null: the price is not known. */
  costDollars: number | null;
}

const USERS_PER_PAGE = 50;

async function pageOf(
  database: Database,
  config: Config,
  of: { tenant: string; user?: string | undefined; cursor: string | undefined },
): Promise<EstimatePage> {
  const { tenant, user, cursor } = of;
  const at = Date.now();
  const { embedder } = createModels({ model: { provider: 'none' }, embedder: config.embedder });
  const isJudged = config.judge?.on ?? false;
  const { conflicts, nrem, rem, reflection } = config.steps;
  const items = {
    conflicts: conflicts.items,
    nrem: nrem.items,
    rem: rem.items,
    reflection: reflection.items,
  };
  const { rows, nextCursor } =
    user === undefined
      ? await database.withTenant(tenant, (tx) =>
          pageUsers(tx, { tenant, at, graceMs: config.overdueMs, limit: USERS_PER_PAGE, cursor }),
        )
      : { rows: [{ user }], nextCursor: null };
  const users: EstimatePage['users'] = [];
  for (const row of rows) {
    const steps = await estimateNight(database, { tenant, user: row.user, at, embedder, items, isJudged });
    if (steps === null && user !== undefined) throw new UsageError(`there is no user ${printable(user)}`);
    if (steps !== null) users.push({ user: row.user, steps });
  }
  return { users, nextCursor };
}

/** The model that a step asks, as this configuration has it. */
function modelOf({ model, steps, judge }: Config, step: NightStep): string | null {
  if (model.provider === 'none') return null;
  if (model.provider === 'offline') return OFFLINE_MODEL;
  const own = step === 'judge' ? (judge?.model ?? steps.nrem.model) : steps[step].model;
  return own ?? model.model;
}

/** What all users would ask of each model, and what that costs today. */
export function estimatesOf(config: Config, steps: readonly StepEstimate[], at: number): ModelEstimate[] {
  const models = new Map<string | null, ModelEstimate>();
  for (const { step, requests, inputTokens, outputTokens } of steps) {
    if (requests === 0) continue;
    const model = modelOf(config, step);
    const sum = models.get(model) ?? {
      model,
      requests: 0,
      inputTokens: 0,
      outputTokens: 0,
      costDollars: null,
    };
    sum.requests += requests;
    sum.inputTokens += inputTokens;
    sum.outputTokens += outputTokens;
    models.set(model, sum);
  }
  return [...models.values()].map((sum) => {
    const price = sum.model === null ? null : priceOf(config.prices, sum.model, at);
    return {
      ...sum,
      costDollars: price && dollarsOfNanos(costOf(price, { ...sum, batch: config.batch.collect })),
    };
  });
}

/** Says what the next night would cost, before it is spent: of one user, or of a whole tenant. @returns exit code */
export async function estimateCommand(context: CommandContext, given: EstimateArguments): Promise<number> {
  const { terminal, config } = context;
  const { tenant, user, json } = given;
  const budget = config.budgets.user_night.tokens;
  const { users, steps, overBudget } = await anywhere(context, {
    service: (client) =>
      gather(budget, (cursor) => client.estimate({ tenant, user, limit: USERS_PER_PAGE, cursor })),
    database: (database) => gather(budget, (cursor) => pageOf(database, config, { tenant, user, cursor })),
  });
  const models = estimatesOf(config, steps, Date.now());
  const known = models.every(({ costDollars }) => costDollars !== null);
  const costDollars = known ? models.reduce((sum, one) => sum + (one.costDollars ?? 0), 0) : null;
  if (json) {
    terminal.line(
      JSON.stringify({
        tenant,
        user: user ?? null,
        users,
        overBudget,
        costDollars,
        models,
        steps: bySteps(steps),
      }),
    );
    return EXIT.ok;
  }
  if (models.length === 0) {
    terminal.line(`the next night of ${plural(users, 'user')} would ask no model`);
    return EXIT.ok;
  }
  const cost = costDollars === null ? 'cost not known' : dollars(costDollars);
  terminal.line(`the next night of ${plural(users, 'user')}, as it would be now: ${cost}`);
  for (const line of lines(models, bySteps(steps), terminal.columns)) terminal.line(line);
  if (config.batch.collect) terminal.line('at the price of batches, as SLOWWAVE_BATCH says');
  if (overBudget > 0)
    terminal.line(
      `${plural(overBudget, 'user')} would ask for more than the ${budget} tokens of a night that SLOWWAVE_BUDGET_USER_NIGHT_TOKENS allows; what is left waits for later nights`,
    );
  if (!known)
    terminal.line(
      'a model or its price is not known here: SLOWWAVE_MODEL and SLOWWAVE_MODEL_PRICES say them',
    );
  return EXIT.ok;
}

/**
 * All pages of a tenant.
 * @param budget tokens of one user's night; null: no limit
 */
async function gather(
  budget: number | null,
  page: (cursor: string | undefined) => Promise<EstimatePage>,
): Promise<{ users: number; steps: StepEstimate[]; overBudget: number }> {
  let cursor: string | undefined;
  let users = 0;
  let overBudget = 0;
  const steps: StepEstimate[] = [];
  do {
    const found = await page(cursor);
    users += found.users.length;
    for (const one of found.users) {
      steps.push(...one.steps);
      const tokens = one.steps.reduce((sum, step) => sum + step.inputTokens + step.outputTokens, 0);
      if (budget !== null && tokens > budget) overBudget += 1;
    }
    cursor = found.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { users, steps, overBudget };
}

function bySteps(steps: readonly StepEstimate[]): StepEstimate[] {
  const sums = new Map<NightStep, StepEstimate>();
  for (const one of steps) {
    const sum = sums.get(one.step) ?? { step: one.step, requests: 0, inputTokens: 0, outputTokens: 0 };
    sum.requests += one.requests;
    sum.inputTokens += one.inputTokens;
    sum.outputTokens += one.outputTokens;
    sums.set(one.step, sum);
  }
  return [...sums.values()];
}

const dollars = (amount: number): string => `$${amount < 0.01 ? amount.toFixed(6) : amount.toFixed(2)}`;

function lines(
  models: readonly ModelEstimate[],
  steps: readonly StepEstimate[],
  columns: number | null,
): string[] {
  const row = (name: string, one: Omit<StepEstimate, 'step'>, cost: string) => [
    name,
    String(one.requests),
    String(one.inputTokens),
    String(one.outputTokens),
    cost,
  ];
  return tableLines(
    ['', 'REQUESTS', 'TOKENS IN', 'TOKENS OUT', 'COST'],
    [
      ...steps.map((one) => row(one.step, one, '')),
      ...models.map((one) =>
        row(
          one.model ?? 'no model is chosen',
          one,
          one.costDollars === null ? 'price not known' : dollars(one.costDollars),
        ),
      ),
    ],
    columns,
  );
}
