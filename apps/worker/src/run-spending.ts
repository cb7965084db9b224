import type { RunReport } from '@slowwave/db';
import { openRunBudget } from './budget.ts';
import type { StepContext, UserJobDeps } from './context.ts';

/** The models of a run behind its budgets, where somebody counts. */
export function spendingOf(
  deps: UserJobDeps,
  owner: Parameters<typeof openRunBudget>[1],
): Pick<StepContext, 'spending'> & Partial<Pick<UserJobDeps, 'provider' | 'providers'>> {
  const { budget } = deps;
  if (!budget) return {};
  const spending = openRunBudget({ ...deps, budget }, owner);
  return { ...spending.models, spending };
}

/** What a run cost, and which budget ended its model work, for its report. */
export function spent({ spending }: Pick<StepContext, 'spending'>): RunReport {
  if (!spending) return {};
  const spend = spending.spend();
  const refusal = spending.refusal();
  return { ...(spend.calls > 0 ? { spend } : {}), ...(refusal ? { refusal } : {}) };
}
