export type { BatchDeps } from './batches/deps.ts';
export { BATCH_FAILPOINTS, type BatchFailpoint, type BatchFailpoints } from './batches/failpoints.ts';
export { lookAfterMs } from './batches/fetch-batch.ts';
export { type BatchKeeper, createBatchKeeper } from './batches/keeper.ts';
export { type BatchingOptions, type BatchSettings, holdMsOf } from './batches/options.ts';
export { type Breaker, type BreakerState, createBreaker } from './breaker.ts';
export { openRunBudget } from './budget.ts';
export {
  DEFAULT_LIMITS,
  type StatementsSettings,
  type Step,
  type StepContext,
  type StepResult,
  type UserJobDeps,
  type WorkerDeps,
  type WorkerEvent,
  type WorkerLimits,
} from './context.ts';
export { JobFailure } from './errors.ts';
export { FAILPOINTS, type FailpointName, type Failpoints, type Passing } from './failpoints.ts';
export { createFusionJob } from './fusion-job.ts';
export { createLogger } from './logger.ts';
export { createLook } from './look.ts';
export { createWorkerMetrics, type WorkerMetrics } from './metrics.ts';
export { MODEL_ROLES, MODEL_STEPS, MODEL_STEPS_OF, type ModelRole, type ModelStep } from './model-roles.ts';
export {
  createPacing,
  type HeldBack,
  type ModelRate,
  type Pacing,
  type PacingDeps,
  type RateBooks,
} from './pacing.ts';
export { rateBooks } from './rate-books.ts';
export { reachSteps } from './reach.ts';
export type { BudgetOptions, RunBudget, RunSpend } from './run-budget.ts';
export type { StepReport } from './run-steps.ts';
export { budgetOf, limitsOf, type StartedWorker, startWorker, statementsOf } from './start-worker.ts';
export { guardModels, type LimitedProvider, limitTokens, providerOf } from './step-models.ts';
export { embedFew, embedMissing } from './steps/embed.ts';
export { embedMany } from './steps/embed-many.ts';
export { TIER_STEPS } from './tiers.ts';
export { createUserJob } from './user-job.ts';
export { createWorker, type Worker, type WorkerHealth, type WorkerSettings } from './worker.ts';
export { createWorkspaceFilesOf, type WorkspaceFilesOf } from './workspace-files.ts';
