import { type BudgetsConfig, budgetsOf } from './budgets.ts';
import { type EmbedderConfig, embedderOf, type LocalModelsConfig, localModelsOf } from './embedder.ts';
import { type ModelPrice, pricesOf, tracingOf } from './operating.ts';
import { trustProxyOf } from './proxies.ts';
import { ConfigError, type Environment, type RawConfig, readSettings } from './read.ts';
import { type ConfiguredStep, type StepConfig, stepsOf } from './steps.ts';
import { days, number, optional, seconds, text } from './values.ts';

export type QueueConfig =
  | { kind: 'redis'; url: string; prefix: string }
  | { kind: 'postgres'; url: string }
  | { kind: 'embedded' };

export type ProviderConfig =
  | { provider: 'none' }
  | { provider: 'offline' }
  | { provider: 'anthropic'; apiKey: string; model: string; baseUrl?: string; timeoutMs: number }
  | {
      provider: 'openai';
      baseUrl: string;
      apiKey?: string;
      model: string;
      timeoutMs: number;
      maxTokensField: 'max_tokens' | 'max_completion_tokens';
      omitTemperature: boolean;
      structuredOutput: 'json_schema' | 'json_object' | 'none';
    };

/** The whole configuration of any process. Times end in their unit. */
export interface Config {
  database:
    | { kind: 'server'; url: string; poolSize: number; prepared: boolean }
    | { kind: 'embedded'; dataDir: string };
  queue: QueueConfig;
  connectTimeoutMs: number;
  model: ProviderConfig;
  embedder: EmbedderConfig;
  /** What the local embedder runs, or would run where another embedder is chosen. */
  localModels: LocalModelsConfig;
  http: {
    host: string;
    port: number;
    allowedHosts: string[];
    operatorToken: string | null;
    /** Proxies whose word on a caller's address is taken: how many, or which. */
    trustProxy: false | number | string[];
    /** For each caller; 0: no limit. */
    ratePerMinute: number;
    bodyMaxBytes: number;
  };
  worker: {
    concurrency: number;
    healthHost: string;
    healthPort: number;
    leaseMs: number;
    /** A worker process whose main thread has not turned for so long ends itself; 0: never. */
    stuckMs: number;
    fusionAttempts: number;
  };
  producer: { tickMs: number; queueCap: number };
  /** Whom each step asks, and what it may spend in one run. */
  steps: Record<ConfiguredStep, StepConfig>;
  /** What models may take of tokens and money. */
  budgets: BudgetsConfig;
  /** Questions of the night that are asked together. */
  batch: {
    /** Whether new ones are. */
    collect: boolean;
    minCalls: number;
    waitMs: number;
    deadlineMs: number;
  };
  /** Superseded and archived memories older than this move to the cold table; null: never. */
  retentionMs: number | null;
  /** How long a fusion that waits for a person waits. */
  reviewMs: number;
  /** How long the journal keeps the images that an undo needs; null: for ever. */
  journalRetentionMs: number | null;
  /** Records of ended runs are kept this long. */
  runRetentionMs: number;
  /** A user who has been due for longer counts as overdue. */
  overdueMs: number;
  /** Failed runs in a row, outages apart, after which a user goes into quarantine. */
  quarantineAfter: number;
  maxMemoryChars: number;
  /** Folders below which a worker may work on workspaces; the embedded service is not bound to them. */
  workspaceRoots: string[];
  /** Where spans are sent; null: none are made. */
  tracing: { url: string } | null;
  /** Who judges statements; null: clusters are asked for summaries, since no language model is there. */
  judge: { on: boolean; model?: string } | null;
  /** What models cost, by name. */
  prices: Record<string, ModelPrice>;
  webhooks: { privateAddresses: boolean };
  shutdownGraceMs: number;
  logLevel: string;
}

function queueOf(raw: RawConfig): QueueConfig {
  const url = text(raw.QUEUE_URL) ?? (raw.DATABASE_URL ? 'redis://127.0.0.1:6379' : undefined);
  if (!url) return { kind: 'embedded' };
  if (url.startsWith('redis'))
    return { kind: 'redis', url, prefix: text(raw.SLOWWAVE_QUEUE_PREFIX) ?? 'slowwave' };
  return { kind: 'postgres', url };
}

function providerOf(raw: RawConfig, mistakes: string[]): ProviderConfig {
  const provider = raw.SLOWWAVE_MODEL_PROVIDER;
  if (provider !== 'anthropic' && provider !== 'openai')
    return { provider: provider === 'offline' ? 'offline' : 'none' };
  const model = text(raw.SLOWWAVE_MODEL) ?? '';
  const timeoutMs = seconds(raw.SLOWWAVE_MODEL_TIMEOUT_SECONDS);
  if (!model) mistakes.push(`SLOWWAVE_MODEL: required when SLOWWAVE_MODEL_PROVIDER is ${provider}`);
  if (provider === 'anthropic') {
    const apiKey = text(raw.ANTHROPIC_API_KEY) ?? '';
    if (!apiKey) mistakes.push('ANTHROPIC_API_KEY: required when SLOWWAVE_MODEL_PROVIDER is anthropic');
    return { provider, apiKey, model, timeoutMs, ...optional('baseUrl', text(raw.ANTHROPIC_BASE_URL)) };
  }
  const baseUrl = text(raw.OPENAI_BASE_URL) ?? '';
  if (!baseUrl) mistakes.push('OPENAI_BASE_URL: required when SLOWWAVE_MODEL_PROVIDER is openai');
  return {
    provider,
    baseUrl,
    model,
    timeoutMs,
    maxTokensField:
      raw.SLOWWAVE_MODEL_MAX_TOKENS_FIELD === 'max_tokens' ? 'max_tokens' : 'max_completion_tokens',
    omitTemperature: raw.SLOWWAVE_MODEL_TEMPERATURE === 'omit',
    structuredOutput: raw.SLOWWAVE_MODEL_STRUCTURED_OUTPUT as 'json_schema' | 'json_object' | 'none',
    ...optional('apiKey', text(raw.OPENAI_API_KEY)),
  };
}

/** Without a language model there is nobody to judge, and nothing that would have to be judged. */
function judgeOf(raw: RawConfig, mistakes: string[]): Config['judge'] {
  const provider = raw.SLOWWAVE_MODEL_PROVIDER;
  const model = text(raw.SLOWWAVE_JUDGE_MODEL);
  const hasModels = provider === 'anthropic' || provider === 'openai';
  if (!hasModels && model !== undefined)
    mistakes.push('SLOWWAVE_JUDGE_MODEL: needs anthropic or openai as SLOWWAVE_MODEL_PROVIDER');
  return hasModels ? { on: raw.SLOWWAVE_JUDGE !== 'off', ...optional('model', model) } : null;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Reads the whole configuration from an environment.
 * @throws {ConfigError} naming every mistake with the expected form; no value is repeated in it.
 */
export function readConfig(env: Environment): Config {
  const { values: raw, mistakes } = readSettings(env);
  const url = text(raw.DATABASE_URL);
  const host = text(raw.SLOWWAVE_HTTP_HOST) ?? '127.0.0.1';
  const queue = queueOf(raw);
  if (!url && queue.kind !== 'embedded') {
    mistakes.push('QUEUE_URL: needs DATABASE_URL; the embedded database carries its own queue');
  }
  if (!url && !isLoopback(host)) {
    mistakes.push(
      'SLOWWAVE_HTTP_HOST: expected a loopback address (127.0.0.1, ::1, localhost) with the embedded database',
    );
  }
  const model = providerOf(raw, mistakes);
  if (raw.SLOWWAVE_BATCH === 'sleep' && model.provider !== 'anthropic') {
    mistakes.push('SLOWWAVE_BATCH: sleep needs SLOWWAVE_MODEL_PROVIDER=anthropic; others have no batches');
  }
  const localModels = localModelsOf(raw);
  const embedder = embedderOf(raw, localModels, mistakes);
  const steps = stepsOf(raw, mistakes);
  const prices = pricesOf(raw, mistakes);
  const judge = judgeOf(raw, mistakes);
  const trustProxy = trustProxyOf(raw, mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return {
    database: url
      ? {
          kind: 'server',
          url,
          poolSize: number(raw.SLOWWAVE_DATABASE_POOL_SIZE),
          prepared: raw.SLOWWAVE_DATABASE_PREPARED !== 'off',
        }
      : { kind: 'embedded', dataDir: text(raw.SLOWWAVE_DATA_DIR) ?? '.slowwave' },
    queue,
    connectTimeoutMs: seconds(raw.SLOWWAVE_CONNECT_TIMEOUT_SECONDS),
    model,
    embedder,
    localModels,
    http: {
      host,
      port: number(raw.SLOWWAVE_HTTP_PORT),
      allowedHosts: (raw.SLOWWAVE_HTTP_ALLOWED_HOSTS as string[] | undefined) ?? [],
      operatorToken: text(raw.SLOWWAVE_OPERATOR_TOKEN) ?? null,
      trustProxy,
      ratePerMinute: number(raw.SLOWWAVE_HTTP_RATE_PER_MINUTE),
      bodyMaxBytes: 1024 * number(raw.SLOWWAVE_HTTP_BODY_MAX_KB),
    },
    worker: {
      concurrency: number(raw.SLOWWAVE_WORKER_CONCURRENCY),
      healthHost: text(raw.SLOWWAVE_WORKER_HEALTH_HOST) ?? '127.0.0.1',
      healthPort: number(raw.SLOWWAVE_WORKER_HEALTH_PORT),
      leaseMs: seconds(raw.SLOWWAVE_LEASE_SECONDS),
      stuckMs: seconds(raw.SLOWWAVE_STUCK_SECONDS),
      fusionAttempts: number(raw.SLOWWAVE_FUSION_ATTEMPTS),
    },
    producer: { tickMs: seconds(raw.SLOWWAVE_TICK_SECONDS), queueCap: number(raw.SLOWWAVE_QUEUE_CAP) },
    steps,
    judge,
    budgets: budgetsOf(raw),
    batch: {
      collect: raw.SLOWWAVE_BATCH === 'sleep',
      minCalls: number(raw.SLOWWAVE_BATCH_MIN_CALLS),
      waitMs: seconds(raw.SLOWWAVE_BATCH_WAIT_SECONDS),
      deadlineMs: seconds(raw.SLOWWAVE_BATCH_DEADLINE_HOURS) * 3600,
    },
    retentionMs: raw.SLOWWAVE_RETENTION_DAYS === undefined ? null : days(raw.SLOWWAVE_RETENTION_DAYS),
    reviewMs: days(raw.SLOWWAVE_REVIEW_DAYS),
    journalRetentionMs: days(raw.SLOWWAVE_JOURNAL_RETENTION_DAYS) || null,
    runRetentionMs: days(raw.SLOWWAVE_RUN_RETENTION_DAYS),
    overdueMs: seconds(raw.SLOWWAVE_OVERDUE_SECONDS),
    quarantineAfter: number(raw.SLOWWAVE_QUARANTINE_AFTER),
    maxMemoryChars: number(raw.SLOWWAVE_MAX_MEMORY_CHARS),
    workspaceRoots: (raw.SLOWWAVE_WORKSPACE_ROOTS as string[] | undefined) ?? [],
    tracing: tracingOf(raw),
    prices,
    webhooks: { privateAddresses: raw.SLOWWAVE_WEBHOOK_PRIVATE_ADDRESSES === 'allow' },
    shutdownGraceMs: seconds(raw.SLOWWAVE_SHUTDOWN_GRACE_SECONDS),
    logLevel: text(raw.SLOWWAVE_LOG_LEVEL) ?? 'info',
  };
}
