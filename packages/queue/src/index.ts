export { atMost } from './at-most.ts';
export { connectQueues, type QueueBackend, type Queues, type QueuesOptions } from './backend.ts';
export type { Controls, FailedJob, QueueCounts } from './controls.ts';
export {
  type BackoffOptions,
  EMBEDDED_LOCK,
  JOB_DEFAULTS,
  type JobDefaults,
  type LockDefaults,
  MAX_POSTPONES,
  SERVER_LOCK,
} from './defaults.ts';
export { type ConnectOptions, connectOptionsWithin } from './engine.ts';
export { type ErrorFacts, errorFacts } from './error-facts.ts';
export {
  type BackendKind,
  type QueueErrorEvent,
  QueueUnavailable,
  type UnavailableReason,
} from './errors.ts';
export { type QueueChoice, queueBackendOf } from './from-config.ts';
export { adhocDedupId, dedupId, fusionJobId, tickId } from './ids.ts';
export { inspectRedis, type RedisFacts } from './inspect-redis.ts';
export { type JobContext, jobContext } from './job-context.ts';
export { DEFAULT_PREFIX, DEFAULT_SCHEMA, QUEUE_NAMES, type QueueName } from './names.ts';
export type { AbortCause, JobOutcome, JobResult, JobSummary } from './outcome.ts';
export {
  type FusionJob,
  type Payload,
  PayloadError,
  type PayloadProblem,
  type Payloads,
  parseFusionJob,
  parsePayload,
  parseTickJob,
  parseTierJob,
  payloadIds,
  REASONS,
  type TickJob,
  type TierJob,
  type WakeReason,
} from './payload.ts';
export { createPglitePool } from './pglite-pool.ts';
export type { PgliteLike } from './pglite-session.ts';
export type { EmbeddedConfig, PostgresConfig } from './postgres-engine.ts';
export type { Handler, JobView, OutcomeEvent } from './processor.ts';
export type { FusionAdded, Producer } from './producer.ts';
export type { RedisConfig } from './redis-engine.ts';
export type { Ticks } from './ticks.ts';
export type { QueueWorker, WorkerOptions } from './worker.ts';
