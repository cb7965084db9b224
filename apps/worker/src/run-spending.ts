import { countForgets, type RunReport, type StartedRun } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { openRunBudget } from './budget.ts';
import type { StepContext, UserJobDeps } from './context.ts';

/** The models of a run behind its budgets, where somebody counts. */
export async function spendingOf(
  deps: UserJobDeps,
  owner: Omit<Parameters<typeof openRunBudget>[1], 'waiting'>,
  run: Pick<StartedRun, 'why' | 'preview'>,
): Promise<
  Pick<StepContext, 'spending'> & Partial<Pick<UserJobDeps, 'provider' | 'providers' | 'embedder'>>
> {
  const { budget } = deps;
  if (!budget) return {};
  const waiting = await openWaiting(deps, owner, run);
  const spending = openRunBudget({ ...deps, budget }, waiting ? { ...owner, waiting } : owner);
  return { ...spending.models, spending };
}

/**
 * How the questions of a run may wait in batches: at night, and where nobody waits for the run. Whatever is under way is waited for in every
 * case, so that it is not paid for twice. To be opened before the run reads anything.
 */
async function openWaiting(
  { database, batching }: UserJobDeps,
  { tenant, user, tier }: { tenant: string; user: string; tier: Tier },
  { why, preview }: Pick<StartedRun, 'why' | 'preview'>,
): Promise<Parameters<typeof openRunBudget>[1]['waiting']> {
  if (!batching || tier !== 'sleep') return undefined;
  const forgets = await database.withTenant(tenant, (tx) => countForgets(tx, { tenant, user }));
  return { collects: batching.collect && why !== 'adhoc' && !preview, forgets };
}

/** What a run cost, and which budget ended its model work, for its report. */
export function spent({ spending }: Pick<StepContext, 'spending'>): RunReport {
  if (!spending) return {};
  const spend = spending.spend();
  const refusal = spending.refusal();
  return { ...(spend.calls + (spend.batched ?? 0) > 0 ? { spend } : {}), ...(refusal ? { refusal } : {}) };
}
