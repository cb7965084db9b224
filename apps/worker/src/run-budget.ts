import type { BudgetLimits, Refusal } from '@slowwave/db';
import type { Embedder, LLMProvider } from '@slowwave/fusion';
import type { Prices } from '@slowwave/models';
import type { ModelRole } from './model-roles.ts';

/** What may be spent, and what models cost. */
export interface BudgetOptions {
  limits: BudgetLimits;
  /** By the names under which models are asked; others have the price of the table. */
  prices: Prices;
  /** How long after its begin somebody may still wait for a call, ms: longer than any answer takes. */
  holdMs: number;
}

/** What the calls of one run took. Those of which nobody knows count with the most they can have taken. */
export interface RunSpend {
  calls: number;
  /** Questions that wait in a batch; what they cost is known when it ends. Absent: none. */
  batched?: number;
  tokens: number;
  /** Nano-dollars; null when a call's price is not known. */
  costNanos: number | null;
}

/** The budgets of one run of one user. */
export interface RunBudget {
  /** The models of each step, each call reserved before it is made and settled after it. */
  models: {
    provider: LLMProvider | null;
    providers: Partial<Record<ModelRole, LLMProvider>>;
    embedder: Embedder;
  };
  /** The budget that first ended model work of this run; null: none did. */
  refusal(): Refusal | null;
  /** Whether a budget allows this step no further call: it is used up, or the share of the step is. */
  isUsedUp(step: ModelRole): boolean;
  spend(): RunSpend;
  /** Questions of this run that wait in a batch. */
  waiting(): number;
}
