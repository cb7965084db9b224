import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from '@slowwave/config';
import type { Database } from '@slowwave/db';
import { type Batches, type Models, unpricedModels } from '@slowwave/models';
import {
  connectOptionsWithin,
  connectQueues,
  errorFacts,
  type Queues,
  queueBackendOf,
} from '@slowwave/queue';
import type { Registry } from '@slowwave/telemetry';
import type { Logger } from 'pino';
import { createBatchKeeper } from './batches/keeper.ts';
import { type BatchingOptions, holdMsOf } from './batches/options.ts';
import { DEFAULT_LIMITS, type StatementsSettings, type WorkerEvent, type WorkerLimits } from './context.ts';
import type { Failpoints } from './failpoints.ts';
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts';
import { createPacing, type Pacing } from './pacing.ts';
import { rateBooks } from './rate-books.ts';
import type { BudgetOptions } from './run-budget.ts';
import { createWorker, type Worker } from './worker.ts';
import { createWorkspaceFilesOf } from './workspace-files.ts';

/** The queues of a process and the workers on them. */
export interface StartedWorker {
  queues: Queues;
  worker: Worker;
  /** Finishes current clusters within the grace time, then closes the queues. The database stays the caller's. */
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;
const EMBEDDED_LEASE_MS = MINUTE_MS;

/** The bounds of a job that the configuration sets, the defaults for the rest. */
export function limitsOf(
  config: Pick<
    Config,
    | 'model'
    | 'worker'
    | 'steps'
    | 'retentionMs'
    | 'reviewMs'
    | 'journalRetentionMs'
    | 'runRetentionMs'
    | 'quarantineAfter'
  >,
  database: Pick<Database, 'kind'>,
): WorkerLimits {
  const { steps, retentionMs, reviewMs, journalRetentionMs, runRetentionMs, quarantineAfter } = config;
  const longestMs = Math.max(...Object.values(steps).map(({ ms }) => ms));
  const answerMs = 'timeoutMs' in config.model ? config.model.timeoutMs : 0;
  return {
    ...DEFAULT_LIMITS,
    leaseMs: config.worker.leaseMs,
    // The last call may begin at the end of a step's time, and its answer has to be waited for and written.
    stepMs: Math.max(DEFAULT_LIMITS.stepMs, longestMs + Math.max(MINUTE_MS, answerMs)),
    steps: { ...DEFAULT_LIMITS.steps, ...steps },
    retentionMs,
    reviewMs,
    journalRetentionMs,
    runRetentionMs,
    quarantineAfter,
    // The embedded database computes in this thread: small portions keep the process answering. Nobody else could take a user over, and a
    // long turn of the thread should not cost the hold.
    ...(database.kind === 'embedded'
      ? { embedBatch: 64, leaseMs: Math.max(EMBEDDED_LEASE_MS, config.worker.leaseMs) }
      : {}),
  };
}

/**
 * What may be spent and what models cost.
 * @throws ConfigError when money is limited and nobody knows what a model costs: such a limit could not be held
 */
export function budgetOf(
  config: Pick<Config, 'model' | 'steps' | 'embedder' | 'budgets' | 'prices'>,
): BudgetOptions {
  const { budgets, prices, model } = config;
  const unpriced = unpricedModels(config, prices);
  if (unpriced.length > 0 && Object.values(budgets).some(({ nanos }) => nanos !== null)) {
    throw new ConfigError([
      `SLOWWAVE_MODEL_PRICES: a budget in dollars needs the price of ${unpriced.join(', ')}, as name=input/output`,
    ]);
  }
  const answerMs = 'timeoutMs' in model ? model.timeoutMs : 0;
  return { limits: budgets, prices, holdMs: answerMs + MINUTE_MS };
}

/** All workers of one database are as fast together as the endpoints let them be. */
function paceOver(database: Database, logger: Logger, metrics: WorkerMetrics | undefined): Pacing {
  return createPacing({
    books: rateBooks(database),
    nowMs: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
    onLost: (error) => logger.warn(errorFacts(error), 'how fast models may be asked could not be looked up'),
    onHeldBack: (held) => metrics?.heldBack(held),
  });
}

/** What is no language model judges nothing. */
export function statementsOf({ judge }: Pick<Config, 'judge'>): { statements: StatementsSettings } {
  return { statements: { judge: judge?.on ?? false } };
}

/** How questions of the night wait for batches. What waits is waited for though nothing new is collected any more. */
export function batchingOf({ batch }: Pick<Config, 'batch'>, { bodyOf }: Batches): BatchingOptions {
  const { collect, deadlineMs } = batch;
  return { bodyOf, collect, deadlineMs, holdMs: holdMsOf(deadlineMs) };
}

/** Connects the queues that the configuration names and starts a worker on each; nothing stays open when a part fails. */
export async function startWorker(parts: {
  config: Config;
  database: Database;
  models: Models;
  logger: Logger;
  onEvent?: (event: WorkerEvent) => void;
  /** Where the numbers of these workers go; absent: nowhere. */
  registry?: Registry;
  /** Tests only. */
  failpoints?: Failpoints;
}): Promise<StartedWorker> {
  const { config, database, models, logger, onEvent, registry, failpoints } = parts;
  const budget = budgetOf(config);
  const metrics = registry && createWorkerMetrics(registry, { prices: config.prices });
  const queues = await connectQueues(queueBackendOf(config.queue, database.pglite), {
    attempts: { fusions: config.worker.fusionAttempts },
    connect: connectOptionsWithin(config.connectTimeoutMs),
    tracing: config.tracing !== null,
    onError: (event) => logger.warn(event, 'queue error'),
  });
  try {
    const worker = await createWorker(
      {
        database,
        queues,
        provider: models.provider,
        providers: models.providers,
        embedder: models.embedder,
        logger,
        now: Date.now,
        nowMs: () => performance.now(),
        limits: limitsOf(config, database),
        budget,
        ...statementsOf(config),
        pacing: paceOver(database, logger, metrics),
        ...(models.batches ? { batching: batchingOf(config, models.batches) } : {}),
        workspaces: createWorkspaceFilesOf({
          database,
          now: Date.now,
          roots: config.database.kind === 'embedded' ? null : config.workspaceRoots,
        }),
        ...(onEvent ? { onEvent } : {}),
        ...(failpoints ? { failpoints } : {}),
      },
      {
        concurrency: config.worker.concurrency,
        ...(metrics ? { metrics } : {}),
      },
    );
    await worker.ready();
    const keeper =
      models.batches &&
      createBatchKeeper({
        database,
        queues,
        api: models.batches.api,
        provider: models.provider?.name ?? 'anthropic',
        prices: config.prices,
        settings: config.batch,
        logger,
        now: Date.now,
        ...(metrics ? { onCall: (call) => metrics.modelCalled(call) } : {}),
      });
    keeper?.start();
    return {
      queues,
      worker,
      async close() {
        await Promise.all([worker.close(config.shutdownGraceMs), keeper?.stop(config.shutdownGraceMs)]);
        await queues.close();
      },
    };
  } catch (error) {
    await queues.close();
    throw error;
  }
}
