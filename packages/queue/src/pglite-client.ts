import { EventEmitter } from 'node:events';
import type { PgPoolClient } from 'bullmq';
import { nothing, type PgliteLike, type PgliteListener, run } from './pglite-session.ts';
import { channelName, readCommand, type SessionCommand } from './pglite-sql.ts';
import { begin, type OpenTransaction } from './pglite-transaction.ts';

/** A client among others on the one session. */
export interface SharedClient {
  client: PgPoolClient;
  dispose(): Promise<void>;
}

export function createClient(pglite: PgliteLike, onDispose: () => void): SharedClient {
  const emitter = new EventEmitter().setMaxListeners(0);
  const channels = createChannels((channel, payload) =>
    emitter.emit('notification', { channel, payload, processId: 0 }),
  );
  let open: OpenTransaction | null = null;
  let released = false;
  let disposal: Promise<void> | null = null;
  // Statements of one client run one after the other, also when the caller does not wait.
  let tail: Promise<unknown> = Promise.resolve();

  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = tail.then(work);
    tail = done.catch(() => {});
    return done;
  }

  async function finish(how: 'commit' | 'rollback'): Promise<void> {
    const transaction = open;
    open = null;
    await transaction?.finish(how);
  }

  async function perform<R>(command: SessionCommand, text: string, params?: readonly unknown[]) {
    switch (command.kind) {
      case 'begin':
        if (open !== null) return run<R>(open.tx, text);
        open = await begin(pglite, command.modes);
        return nothing<R>('BEGIN');
      case 'commit':
      case 'rollback':
        await finish(command.kind);
        return nothing<R>(command.kind.toUpperCase());
      case 'listen':
        await channels.listen(open?.tx ?? pglite, command.channel);
        return nothing<R>('LISTEN');
      case 'unlisten':
        await channels.unlisten(command.channel);
        return nothing<R>('UNLISTEN');
      case 'other':
        return run<R>(open?.tx ?? pglite, text, params);
    }
  }

  function dispose(): Promise<void> {
    released = true;
    disposal ??= enqueue(async () => {
      try {
        await finish('rollback');
        await channels.unlisten(null);
      } finally {
        emitter.removeAllListeners();
        onDispose();
      }
    });
    return disposal;
  }

  const client: PgPoolClient = {
    async query<R>(text: string, params?: readonly unknown[]) {
      if (released) throw new Error('the client was released');
      const command = readCommand(text);
      return enqueue(() => perform<R>(command, text, params));
    },
    release() {
      // Nobody waits for a release; a database that is closing anyway may refuse it.
      dispose().catch(() => {});
    },
    ...subscriptions(emitter, () => client),
  };
  return { client, dispose };
}

/** The channels of one client. */
function createChannels(notify: (channel: string, payload: string) => void) {
  const open = new Map<string, () => Promise<void>>();
  return {
    async listen(session: PgliteListener, channel: string): Promise<void> {
      const name = channelName(channel);
      if (!open.has(name)) open.set(name, await session.listen(channel, (payload) => notify(name, payload)));
    },
    /** Null means all. */
    async unlisten(channel: string | null): Promise<void> {
      for (const name of channel === null ? [...open.keys()] : [channelName(channel)]) {
        const stop = open.get(name);
        open.delete(name);
        await stop?.();
      }
    },
  };
}

/** Subscribing to an emitter in node-postgres's chaining manner. */
export function subscriptions<T>(emitter: EventEmitter, self: () => T) {
  return {
    on(event: string, listener: (value: never) => void): T {
      emitter.on(event, listener as (value: unknown) => void);
      return self();
    },
    removeListener(event: string, listener: (value: never) => void): T {
      emitter.removeListener(event, listener as (value: unknown) => void);
      return self();
    },
    removeAllListeners(event?: string): T {
      emitter.removeAllListeners(event);
      return self();
    },
  };
}
