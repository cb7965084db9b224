import type { Config } from '@slowwave/config';
import type { Database } from '@slowwave/db';
import type { Embedder } from '@slowwave/fusion';
import type { createMcpServer } from '@slowwave/mcp';
import type { Queues } from '@slowwave/queue';
import type { Logger } from 'pino';
import type { ProducerMetrics } from '../metrics.ts';
import type { RecallBudget } from '../recall-ledger.ts';
import type { Ticker } from '../ticks.ts';
import type { SendOptions } from '../webhooks/send.ts';
import type { AllowedFolders } from '../workspaces/folders.ts';

/** Whether workers can do their work, and in words why not. Nothing of any memory. */
export type WorkerHealthCheck = () => Promise<{ ok: boolean; reasons: string[] }>;

/** How MCP is served. */
export interface McpOptions {
  /** What answers a request; default the tools, resources and prompts of Slowwave. */
  createServer?: typeof createMcpServer;
  /** How often a subscription looks for nights that ended, ms. */
  lookEveryMs?: number;
}

/** What the HTTP service is made of. */
export interface AppOptions {
  database: Database;
  queues: Queues;
  logger: Logger;
  /** Epoch ms. */
  now: () => number;
  version: string;
  ticker: Pick<Ticker, 'late'>;
  operatorToken: string;
  allowedHosts: readonly string[];
  /** Requests of one caller; 0: no limit. */
  ratePerMinute: number;
  bodyMaxBytes: number;
  /** How long a body may take, imports and documents apart, ms; absent: the usual. */
  bodyMs?: number | undefined;
  /** Proxies whose word on the caller's address is taken, as a number of hops or by address; absent: none. */
  trustProxy?: Config['http']['trustProxy'] | undefined;
  maxMemoryChars: number;
  tickMs: number;
  queueCap: number;
  /** A user who is due for longer than this counts as overdue, ms. */
  overdueMs: number;
  /** Below which folders workspaces may be read and written from here; absent: none. */
  folders?: AllowedFolders | undefined;
  /** The numbers of this process. */
  metrics: ProducerMetrics;
  /** Where webhooks may go. */
  webhooks: SendOptions;
  /** What a night asks about at most, by step; absent: the usual. */
  steps?: Config['steps'] | undefined;
  /** Whether a language model judges statements; it does when absent. */
  isJudged?: boolean | undefined;
  /** Who embeds questions, the same as the workers'; absent: nothing can be recalled here. */
  embedder?: Embedder | undefined;
  /** What embedding questions may cost; absent: no ledger counts it. */
  budget?: RecallBudget | undefined;
  /** How the workers inside this process are; absent where they are processes of their own. */
  workerHealth?: WorkerHealthCheck | undefined;
  mcp?: McpOptions | undefined;
  /** Aborted when the process is about to stop: waiting requests answer at once. */
  stopping: AbortSignal;
}
