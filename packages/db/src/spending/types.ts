import type { Tier } from '@slowwave/fusion';
import type { BudgetScope, Period, Periods } from './periods.ts';

/** Tokens, read and written, and money in nano-dollars. */
export interface Amount {
  tokens: number;
  nanos: bigint;
}

/** What a period of each scope may spend; null: as much as it likes. */
export type BudgetLimits = Record<BudgetScope, { tokens: number | null; nanos: bigint | null }>;

const UNLIMITED = { tokens: null, nanos: null };
export const NO_LIMITS: BudgetLimits = {
  user_night: UNLIMITED,
  user_day: UNLIMITED,
  tenant_day: UNLIMITED,
  overall_day: UNLIMITED,
};

/** What texts are embedded for. Such calls count in money, and not among the tokens of language models. */
export const EMBEDDING_STEPS = ['embed', 'recall'] as const;
export type EmbeddingStep = (typeof EMBEDDING_STEPS)[number];

/** Whose call it is, for which step of which run, and in which periods it counts. */
export interface CallOwner {
  tenant: string;
  user: string;
  runId: string | null;
  tier: Tier;
  step: string;
  periods: Periods;
  /** When the run began, epoch ms. */
  at: number;
}

/** A call that is about to be made, with the most that it can take. */
export interface CallRequest {
  id: string;
  provider: string;
  model: string;
  tokens: number;
  /** Null: nobody knows the model's price, and the call counts with tokens only. */
  nanos: bigint | null;
  /** How long somebody waits for its end, ms. */
  holdMs: number;
  /** It is asked for in a batch. */
  batch?: boolean;
  /** What its step may use of the budgets; a scope that is absent: all of it. */
  share?: Partial<BudgetLimits>;
}

/** A budget that does not allow a call. */
export interface Refusal {
  scope: BudgetScope;
  /** What is used up; price: money is limited, and nobody knows what the call costs. */
  unit: 'tokens' | 'dollars' | 'price';
  /** When every budget that is in the way is whole again, epoch ms. */
  renewsAt: number;
}

/** Why a call is not made. */
export interface CallRefusal extends Refusal {
  /** The budget itself has room: only the share of the step is used up. */
  isOfShare?: true;
}

/** What came of a call. */
export type CallEnd =
  | {
      state: 'settled';
      /** All that was read; of these from a cache, and put there. */
      inputTokens: number;
      cacheReadTokens?: number;
      cacheWriteTokens?: number;
      outputTokens: number;
      nanos: bigint | null;
    }
  /** Nothing was paid. */
  | { state: 'released' }
  /** Nobody knows: it counts in full. */
  | { state: 'lapsed' };

/** The scopes of a call that has periods in them, narrow ones first. */
export function scopesOf(periods: Periods): [BudgetScope, Period][] {
  const { user_night, user_day, tenant_day, overall_day } = periods;
  return [
    ...(user_night === null ? [] : [['user_night', user_night] as [BudgetScope, Period]]),
    ['user_day', user_day],
    ['tenant_day', tenant_day],
    ['overall_day', overall_day],
  ];
}

/** Whether a scope has any limit. */
export function isLimited(limits: BudgetLimits, scope: BudgetScope): boolean {
  return limits[scope].tokens !== null || limits[scope].nanos !== null;
}
