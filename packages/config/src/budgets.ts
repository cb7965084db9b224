import type { RawConfig } from './read.ts';

/** What may be spent in one budget period; null: as much as there is to do. */
export interface BudgetConfig {
  tokens: number | null;
  /** Nano-dollars. */
  nanos: bigint | null;
}

export type BudgetsConfig = Record<'user_night' | 'user_day' | 'tenant_day' | 'overall_day', BudgetConfig>;

const NANOS_PER_DOLLAR = 1e9;

/** The budgets, by their scope. */
export function budgetsOf(raw: RawConfig): BudgetsConfig {
  const budgetOf = (
    tokens: RawConfig[keyof RawConfig],
    dollars: RawConfig[keyof RawConfig],
  ): BudgetConfig => ({
    tokens: tokens == null ? null : Number(tokens),
    nanos: dollars == null ? null : BigInt(Math.round(Number(dollars) * NANOS_PER_DOLLAR)),
  });
  return {
    user_night: budgetOf(raw.SLOWWAVE_BUDGET_USER_NIGHT_TOKENS, raw.SLOWWAVE_BUDGET_USER_NIGHT_DOLLARS),
    user_day: budgetOf(raw.SLOWWAVE_BUDGET_USER_DAY_TOKENS, raw.SLOWWAVE_BUDGET_USER_DAY_DOLLARS),
    tenant_day: budgetOf(raw.SLOWWAVE_BUDGET_TENANT_DAY_TOKENS, raw.SLOWWAVE_BUDGET_TENANT_DAY_DOLLARS),
    overall_day: budgetOf(raw.SLOWWAVE_BUDGET_OVERALL_DAY_TOKENS, raw.SLOWWAVE_BUDGET_OVERALL_DAY_DOLLARS),
  };
}
