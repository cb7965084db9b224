import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '@slowwave/config';
import type { Logger } from 'pino';
import type { Remote } from './remote.ts';
import type { Service } from './service.ts';
import { UsageError } from './usage-error.ts';

/** The service that the tools of one process call. */
export interface McpConnection {
  /** As the client calls it: finds the service, or starts it, before the first call and after one that did not arrive. */
  fetch: typeof globalThis.fetch;
  /** Ends the service, where this process started it. */
  close(): Promise<void>;
}

/** Its path and query alone matter: where the service is, is found out for each call. */
export const ANY_SERVICE = 'http://slowwave.invalid';

/** How long a command that works on the folder, and serves nothing, is waited for. */
const BUSY_MS = 60_000;
const POLL_MS = 200;

/**
 * Reaches the service that was named, or the one that owns the embedded folder. Where none does, this process becomes it: several agents
 * on one machine then share the first one's, and the next takes over when that ends.
 * @throws UsageError without an embedded folder, where no service was named
 */
export function connectMcp({
  config,
  logger,
  remote,
}: {
  config: Config;
  logger: Logger;
  remote: Remote | null;
}): McpConnection {
  const { database } = config;
  if (remote === null && database.kind !== 'embedded') {
    throw new UsageError('with DATABASE_URL, say where the service runs: SLOWWAVE_URL and SLOWWAVE_TOKEN');
  }
  let own: Promise<Service> | null = null;
  let found: Promise<Remote> | null = remote && Promise.resolve(remote);

  async function start(): Promise<Service> {
    const http = { ...config.http, port: 0 };
    // Not loaded while a host only asks for the list of tools.
    const { startService } = await import('./service.ts');
    return startService({ config: { ...config, http }, logger, serve: true });
  }

  async function find(dataDir: string): Promise<Remote> {
    const { DatabaseError, folderOwner } = await import('@slowwave/db');
    for (const until = Date.now() + BUSY_MS; ; ) {
      const owner = await folderOwner(dataDir);
      if (owner?.url && owner.token) return { url: owner.url, token: owner.token };
      try {
        if (owner === null) {
          own = start();
          return (await own).http!;
        }
      } catch (error) {
        own = null;
        const isTaken = error instanceof DatabaseError && error.code === 'folder_in_use';
        if (!isTaken || Date.now() > until) throw error;
      }
      if (Date.now() > until) {
        throw new UsageError(
          `process ${owner?.pid} works on the data folder and serves nothing; try again later`,
        );
      }
      await sleep(POLL_MS);
    }
  }

  return {
    async fetch(input, init) {
      if (found === null) {
        found = find((database as Extract<typeof database, { kind: 'embedded' }>).dataDir);
        found.catch(() => {
          found = null;
        });
      }
      const { url, token } = await found;
      const { pathname, search } = new URL(String(input));
      const headers = new Headers(init?.headers);
      headers.set('authorization', `Bearer ${token}`);
      try {
        return await fetch(`${url}${pathname}${search}`, { ...init, headers });
      } catch (error) {
        // The process that served may have ended: the client tries again, and another one serves then.
        if (remote === null) found = null;
        throw error;
      }
    },
    async close() {
      const service = await own?.catch(() => null);
      await service?.close();
    },
  };
}
