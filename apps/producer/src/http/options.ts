import type { Database } from '@slowwave/db';
import type { Queues } from '@slowwave/queue';
import type { Logger } from 'pino';
import type { Ticker } from '../ticks.ts';

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
  /** Aborted when the process is about to stop: waiting requests answer at once. */
  stopping: AbortSignal;
}
