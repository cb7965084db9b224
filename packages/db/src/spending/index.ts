export { type CallKey, closeCall, closeCalls, type EndedCall, lapseCalls } from './close.ts';
export { BUDGET_SCOPES, type BudgetScope, type Period, type Periods, periodsOf } from './periods.ts';
export { askOldCalls, pruneCalls } from './prune.ts';
export { type PeriodSpend, readPeriods, readRunTokens, readSpend } from './read.ts';
export { type CallReservation, reserveCall } from './reserve.ts';
export {
  type Amount,
  type BudgetLimits,
  type CallEnd,
  type CallOwner,
  type CallRefusal,
  type CallRequest,
  EMBEDDING_STEPS,
  type EmbeddingStep,
  isLimited,
  NO_LIMITS,
  type Refusal,
} from './types.ts';
export { type CallUsage, readUsage, USAGE_USERS_MAX, type Usage } from './usage.ts';
