import type { Config } from '@slowwave/config';
import { type Database, dropExpiredRepeats } from '@slowwave/db';
import type { Embedder } from '@slowwave/fusion';
import type { Queues } from '@slowwave/queue';
import { createRegistry, type Registry } from '@slowwave/telemetry';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Upkeep } from './fill.ts';
import { createApp } from './http/app.ts';
import type { McpOptions, WorkerHealthCheck } from './http/options.ts';
import { wakeLeftHolds } from './left-holds.ts';
import { createProducerMetrics } from './metrics.ts';
import { createTicker, type TickTiming, timingFor } from './ticks.ts';
import { createDeliveries } from './webhooks/deliveries.ts';
import type { SendOptions } from './webhooks/send.ts';
import type { AllowedFolders } from './workspaces/folders.ts';

/** In one beat; more come than this only in a flood, and wait for the next. */
const REPEATS_DROPPED_MAX = 10_000;

export type ProducerConfig = Pick<Config, 'http' | 'producer' | 'maxMemoryChars' | 'overdueMs'> &
  Partial<Pick<Config, 'workspaceRoots' | 'webhooks' | 'steps' | 'judge' | 'budgets' | 'prices'>>;

export interface ProducerOptions {
  /** Migrated. Stays the caller's, as do the queues. */
  database: Database;
  queues: Queues;
  config: ProducerConfig;
  logger: Logger;
  /** Epoch ms. */
  now: () => number;
  version: string;
  /** How the workers inside this process are; absent where they are processes of their own. */
  workerHealth?: WorkerHealthCheck;
  /** Below which folders workspaces may be read and written from here. Default: those of the configuration. */
  folders?: AllowedFolders;
  /** Who embeds questions, the same as the workers'; absent: nothing can be recalled here. */
  embedder?: Embedder;
  /** How long a body may take, imports and documents apart, ms; default 30 s. */
  bodyMs?: number;
  mcp?: McpOptions;
  timing?: Partial<Omit<TickTiming, 'tickMs'>>;
  /** Where the numbers of this process are kept; default a registry of this producer alone. */
  registry?: Registry;
  /** How webhooks are sent, beyond what the configuration says of it, and how often one looks for those that are due, ms. */
  webhooks?: Partial<SendOptions> & { lookEveryMs?: number };
}

export interface Producer {
  /** Serves HTTP. @returns the address for people, without a slash at its end */
  listen(): Promise<{ url: string }>;
  /** Ticks, and sends what webhooks are to be told. */
  startTicks(): Promise<void>;
  /** Stops ticking and serving within the time. Database and queues stay open. */
  close(graceMs: number): Promise<void>;
  app: FastifyInstance;
}

/** The operator's API cannot be opened without a token. */
export class OperatorTokenMissing extends Error {
  readonly code = 'operator_token_missing';
  readonly retryable = false;

  constructor() {
    super('an operator token is required: set SLOWWAVE_OPERATOR_TOKEN to 16 characters or more');
    this.name = 'OperatorTokenMissing';
  }
}

/**
 * Everything that puts work in the queue: the ticks and the operator's HTTP service with Bull Board.
 * @throws OperatorTokenMissing
 */
export function createProducer(options: ProducerOptions): Producer {
  const { database, queues, config, logger, now, version } = options;
  const { operatorToken } = config.http;
  if (operatorToken === null || operatorToken === '') throw new OperatorTokenMissing();
  const { tickMs, queueCap } = config.producer;
  const timing: TickTiming = { ...timingFor(tickMs), ...options.timing };
  const dropRepeats = () =>
    database.asDispatcher((tx) => dropExpiredRepeats(tx, { at: now(), limit: REPEATS_DROPPED_MAX }));
  const upkeep = [
    async ({ expiredRepeats }: Upkeep) => expiredRepeats && dropRepeats(),
    async ({ leftHolds }: Upkeep) => leftHolds && wakeLeftHolds({ database, queues }),
  ];
  const ticker = createTicker({ database, queues, logger, now, queueCap, timing, upkeep });
  const metrics = createProducerMetrics(options.registry ?? createRegistry({ process: false }));
  const { lookEveryMs, ...sending } = options.webhooks ?? {};
  const send: SendOptions = { privateAddresses: config.webhooks?.privateAddresses ?? false, ...sending };
  const deliveries = createDeliveries({
    database,
    logger,
    now,
    send,
    onAttempt: (outcome) => metrics.webhookAttempts.inc({ outcome }),
    ...(lookEveryMs ? { lookEveryMs } : {}),
  });
  const stopping = new AbortController();
  const app = createApp({
    database,
    queues,
    logger,
    now,
    version,
    ticker,
    operatorToken,
    allowedHosts: config.http.allowedHosts,
    ratePerMinute: config.http.ratePerMinute,
    bodyMaxBytes: config.http.bodyMaxBytes,
    bodyMs: options.bodyMs,
    mcp: options.mcp,
    trustProxy: config.http.trustProxy,
    maxMemoryChars: config.maxMemoryChars,
    tickMs,
    queueCap,
    overdueMs: config.overdueMs,
    steps: config.steps,
    isJudged: config.judge?.on ?? false,
    metrics,
    webhooks: send,
    workerHealth: options.workerHealth,
    folders: options.folders ?? config.workspaceRoots,
    embedder: options.embedder,
    budget: config.budgets && { limits: config.budgets, prices: config.prices ?? {} },
    stopping: stopping.signal,
  });
  let closing: Promise<void> | null = null;

  async function closeWithin(graceMs: number): Promise<void> {
    stopping.abort();
    const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
    try {
      await Promise.all([ticker.stop(graceMs), deliveries.stop(graceMs), app.close()]);
    } finally {
      clearTimeout(cut);
    }
  }

  return {
    app,
    async listen() {
      const { host, port } = config.http;
      await app.listen({ host, port });
      const address = app.server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      return { url: `http://${nameOf(host)}:${bound}` };
    },
    async startTicks() {
      await ticker.start();
      deliveries.start();
    },
    close(graceMs) {
      closing ??= closeWithin(graceMs);
      return closing;
    },
  };
}

/** A host that a browser on this machine can open. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
