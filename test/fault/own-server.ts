import { type Keeper, startKeeper } from './server-scripts.ts';

/** What the servers of this suite have in common. */
export interface OwnServer {
  url: string;
  port: number;
  /** Such as "PostgreSQL 16.4, pgvector 0.8.0, from /usr/lib/postgresql/16/bin". */
  description: string;
  /** Where it keeps what it has. */
  folder: string;
  isRunning(): Promise<boolean>;
  /** As an operator does it: everybody is sent away, nothing is lost. */
  stop(): Promise<void>;
  /** Ends it for good and removes what it leaves. */
  dispose(): Promise<void>;
}

/** One after the other: the first one may have to install what the next one needs too. */
let lastStart: Promise<unknown> = Promise.resolve();

export function startInTurn<Started>(name: string, options: object): Promise<Keeper<Started>> {
  const started = lastStart.then(() => startKeeper<Started>(name, options));
  lastStart = started.catch(() => {});
  return started;
}

/** What the process that owns a server says of it. */
export interface Started {
  url: string;
  port: number;
  description: string;
  folder: string;
  hasDisk?: boolean;
}
