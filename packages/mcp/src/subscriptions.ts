import { setTimeout as sleep } from 'node:timers/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { type Client, SlowwaveProblem } from '@slowwave/client';
import { userDocuments } from './resources.ts';

/** How often one looks whether a night has passed, ms: nights are long, and each look is a request of the agent's token. */
const LOOK_EVERY_MS = 30_000;
/** More nights do not end between two looks. */
const RUNS_SEEN = 5;
/** Those that change what an agent remembers. Light runs come every few minutes, and say nothing new. */
const NIGHTS = ['deep', 'sleep'] as const;

export interface NightWatch {
  /** Calls the service with the token of the agent that subscribed. */
  client: Client;
  user: string;
  everyMs?: number;
  /** Aborted when no client listens any more. */
  signal: AbortSignal;
  /** A run of deep or sleep has ended: the document at this address reads otherwise. */
  changed(uri: string): void;
}

/**
 * Watches for runs of deep and sleep that end from now on.
 * @returns once it has looked for the first time; `over` when the signal is aborted, or the token is no longer taken
 */
export async function watchNights(watch: NightWatch): Promise<{ over: Promise<void> }> {
  const { client, user, everyMs = LOOK_EVERY_MS, signal } = watch;
  let seen: ReadonlySet<string> | null = null;

  async function look(): Promise<'goes on' | 'refused'> {
    try {
      const ended = await endedNights(client, user);
      const isNew = seen !== null && ended.some((id) => !seen!.has(id));
      seen = new Set(ended);
      if (isNew) for (const uri of userDocuments(user)) watch.changed(uri);
    } catch (error) {
      // A user whose id cannot stand in an address, or a token that was revoked.
      if (!(error instanceof SlowwaveProblem) || [401, 403].includes(error.status)) return 'refused';
      // Of a user without memories each night is new; a service that is away may be back at the next look.
      if (error.code === 'unknown_user') seen ??= new Set();
    }
    return 'goes on';
  }

  async function goOn(first: Awaited<ReturnType<typeof look>>): Promise<void> {
    for (let found = first; found === 'goes on' && !signal.aborted; found = await look()) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  return { over: goOn(await look()) };
}

async function endedNights(client: Client, user: string): Promise<string[]> {
  const pages = await Promise.all(
    NIGHTS.map((tier) => client.listRuns({ user, tier, status: 'completed', limit: RUNS_SEEN })),
  );
  return pages.flatMap(({ runs }) => runs.filter(({ preview }) => !preview).map(({ runId }) => runId));
}

/**
 * Serves `resources/subscribe` of the 2025 handshake, for a server that lasts as long as its connection.
 * @returns tells the client that a document changed, if it asked for that; in the later revision the transport knows who did
 */
export function serveSubscriptions(server: McpServer, era: 'legacy' | 'modern'): (uri: string) => void {
  const asked = new Set<string>();
  if (era === 'legacy') {
    server.server.setRequestHandler('resources/subscribe', ({ params }) => {
      asked.add(params.uri);
      return {};
    });
    server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      asked.delete(params.uri);
      return {};
    });
  }
  return (uri) => {
    if (!server.isConnected() || (era === 'legacy' && !asked.has(uri))) return;
    server.server.sendResourceUpdated({ uri }).catch(() => undefined);
  };
}
