import type { Database } from '@slowwave/db';
import type { LLMProvider } from '@slowwave/fusion';
import type { Queues } from '@slowwave/queue';
import type { Logger } from 'pino';
import type { Ticker } from '../ticks.ts';
import type { AllowedFolders } from '../workspaces/folders.ts';

/** Whether workers can do their work, and in words why not. Nothing of any memory. */
export type WorkerHealthCheck = () => Promise<{ ok: boolean; reasons: string[] }>;

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
  maxMemoryChars: number;
  tickMs: number;
  queueCap: number;
  /** A user who is due for longer than this counts as overdue, ms. */
  overdueMs: number;
  /** Below which folders workspaces may be read and written from here; absent: none. */
  folders?: AllowedFolders | undefined;
  /** Who draws insights from the memory of a workspace that somebody asks for; absent where workers alone have models. */
  provider?: LLMProvider | null | undefined;
  /** How the workers inside this process are; absent where they are processes of their own. */
  workerHealth?: WorkerHealthCheck | undefined;
  /** Aborted when the process is about to stop: waiting requests answer at once. */
  stopping: AbortSignal;
}
