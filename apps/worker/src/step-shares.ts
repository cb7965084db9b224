import type { BudgetLimits, BudgetScope, PeriodSpend } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import type { StepLimits } from './context.ts';
import { MODEL_STEPS_OF, type ModelStep } from './model-roles.ts';

/** The budgets of one user, which the steps of a run share; what many users share is theirs alike. */
const SHARED_SCOPES = ['user_night', 'user_day'] as const satisfies readonly BudgetScope[];

/** Up to where a step may use the budgets of its user, counted as the budgets are: from the begin of the period. */
export type StepShare = Partial<BudgetLimits>;

/**
 * What a step that begins may use of what is left: a part as large as its own limit of tokens is among those of the steps that still come.
 * What it leaves over is shared among these.
 * @returns null where no step comes after it: it may use everything
 */
export function shareOf(
  { tier, step, limits }: { tier: Tier; step: ModelStep; limits: Record<ModelStep, StepLimits> },
  budgets: BudgetLimits,
  spend: Record<BudgetScope, PeriodSpend>,
): StepShare | null {
  const order = MODEL_STEPS_OF[tier];
  const coming = order.slice(order.indexOf(step));
  if (coming.length === 1) return null;
  const own = BigInt(limits[step].tokens);
  const all = coming.reduce((sum, one) => sum + BigInt(limits[one].tokens), 0n);
  const upTo = (limit: bigint, used: bigint): bigint =>
    used + (limit > used ? ((limit - used) * own) / all : 0n);
  const share: StepShare = {};
  for (const scope of SHARED_SCOPES) {
    const { tokens, nanos } = budgets[scope];
    const { spent, reserved } = spend[scope];
    share[scope] = {
      tokens: tokens === null ? null : Number(upTo(BigInt(tokens), BigInt(spent.tokens + reserved.tokens))),
      nanos: nanos === null ? null : upTo(nanos, spent.nanos + reserved.nanos),
    };
  }
  return share;
}
