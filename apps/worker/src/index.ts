export { type Breaker, type BreakerState, createBreaker } from './breaker.ts';
export {
  DEFAULT_LIMITS,
  type Step,
  type StepContext,
  type StepResult,
  type WorkerDeps,
  type WorkerEvent,
  type WorkerLimits,
} from './context.ts';
export { JobFailure } from './errors.ts';
export { createLogger } from './logger.ts';
export { queueBackendOf } from './queue-backend.ts';
export type { StepReport } from './run-steps.ts';
export { createWorker, type Worker, type WorkerHealth, type WorkerSettings } from './worker.ts';
