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
export type { StepReport } from './run-steps.ts';
export { type StartedWorker, startWorker } from './start-worker.ts';
export { createWorker, type Worker, type WorkerHealth, type WorkerSettings } from './worker.ts';
