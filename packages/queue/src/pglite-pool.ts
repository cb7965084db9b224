import { EventEmitter } from 'node:events';
import type { PgPool, PgPoolClient, PgQueryResult } from 'bullmq';
import { channelName, readCommand, type SessionCommand } from './pglite-sql.ts';
import { PARSERS, toParameter } from './pglite-values.ts';

interface PgliteResult {
  rows: unknown[];
  rowCount?: number;
  command?: string;
}

interface PgliteOptions {
  parsers?: Record<number, (text: string) => unknown>;
  serializers?: Record<number, (value: unknown) => string>;
}

interface PgliteQueries {
  query(text: string, params?: unknown[], options?: PgliteOptions): Promise<PgliteResult>;
  exec(text: string, options?: PgliteOptions): Promise<PgliteResult[]>;
}

interface PgliteTransaction extends PgliteQueries {
  rollback(): Promise<void>;
  listen(channel: string, onPayload: (payload: string) => void): Promise<() => Promise<void>>;
}

/** What the adapter uses of the embedded database. */
export interface PgliteLike extends PgliteQueries {
  transaction<T>(work: (tx: PgliteTransaction) => Promise<T>): Promise<T>;
  listen(channel: string, onPayload: (payload: string) => void): Promise<() => Promise<void>>;
}

/**
 * A pool in node-postgres's shape over one embedded database. All clients share one session, so:
 * - from BEGIN to COMMIT or ROLLBACK a client has the database to itself; every other statement, and a transaction of the
 *   application, waits. A client released in between is rolled back. Never await anything else of the same database while
 *   a transaction is open: it would wait for itself;
 * - LISTEN goes through the database's own listener, and a client's channels end with its release;
 * - text without parameters may hold many statements, and the last one's result is returned.
 * Values go in and out as with node-postgres. The database stays the caller's: `end` does not close it.
 */
export function createPglitePool(pglite: PgliteLike): PgPool {
  const emitter = new EventEmitter().setMaxListeners(0);
  const clients = new Set<SharedClient>();
  let ended = false;

  function refuseIfEnded(): void {
    // BullMQ knows a closed pool by these words of node-postgres.
    if (ended) throw new Error('Cannot use a pool after calling end on the pool');
  }

  const pool: PgPool = {
    async query<R>(text: string, params?: readonly unknown[]) {
      refuseIfEnded();
      if (readCommand(text).kind !== 'other') {
        throw new Error('a transaction or a subscription needs a client of its own: connect first');
      }
      return run<R>(pglite, text, params);
    },
    async connect() {
      refuseIfEnded();
      const shared = createClient(pglite, () => clients.delete(shared));
      clients.add(shared);
      emitter.emit('connect', shared.client);
      return shared.client;
    },
    async end() {
      ended = true;
      await Promise.all([...clients].map((shared) => shared.dispose()));
    },
    on(event: string, listener: (value: never) => void) {
      emitter.on(event, listener as (value: unknown) => void);
      return pool;
    },
    removeAllListeners(event?: string) {
      emitter.removeAllListeners(event);
      return pool;
    },
  };
  // BullMQ trusts a long silent wait only on a connection that would notice its own end. This one has no wire to lose.
  return Object.assign(pool, { options: { keepAlive: true } });
}

interface SharedClient {
  client: PgPoolClient;
  dispose(): Promise<void>;
}

interface OpenTransaction {
  tx: PgliteTransaction;
  /** Lets the database's own transaction come to its end. */
  end(): void;
  ended: Promise<void>;
}

function createClient(pglite: PgliteLike, onDispose: () => void): SharedClient {
  const emitter = new EventEmitter().setMaxListeners(0);
  const channels = new Map<string, () => Promise<void>>();
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
    if (open === null) return;
    const { tx, end, ended } = open;
    open = null;
    try {
      if (how === 'rollback') await tx.rollback();
    } finally {
      end();
      await ended;
    }
  }

  async function listen(channel: string): Promise<void> {
    const name = channelName(channel);
    if (channels.has(name)) return;
    const notify = (payload: string) =>
      emitter.emit('notification', { channel: name, payload, processId: 0 });
    channels.set(name, await (open?.tx ?? pglite).listen(channel, notify));
  }

  async function unlisten(channel: string | null): Promise<void> {
    const names = channel === null ? [...channels.keys()] : [channelName(channel)];
    for (const name of names) {
      const stop = channels.get(name);
      channels.delete(name);
      await stop?.();
    }
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
        await listen(command.channel);
        return nothing<R>('LISTEN');
      case 'unlisten':
        await unlisten(command.channel);
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
        await unlisten(null);
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
    on(event: string, listener: (value: never) => void) {
      emitter.on(event, listener as (value: unknown) => void);
      return client;
    },
    removeListener(event: string, listener: (value: never) => void) {
      emitter.removeListener(event, listener as (value: unknown) => void);
      return client;
    },
    removeAllListeners(event?: string) {
      emitter.removeAllListeners(event);
      return client;
    },
  };
  return { client, dispose };
}

/** Opens one of the database's own transactions and holds it open: that is what keeps everybody else waiting. */
async function begin(pglite: PgliteLike, modes: string): Promise<OpenTransaction> {
  const { promise: started, resolve: start, reject: fail } = deferred<PgliteTransaction>();
  const { promise: over, resolve: end } = deferred<void>();
  const ended = pglite.transaction(async (tx) => {
    start(tx);
    await over;
  });
  ended.catch(fail);
  const tx = await started;
  const open = { tx, end: () => end(), ended };
  if (modes === '') return open;
  try {
    await run(tx, `SET TRANSACTION ${modes}`);
  } catch (error) {
    await tx.rollback();
    end();
    throw error;
  }
  return open;
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

// Parameters are text already; the database's own serializers would refuse some of it.
const AS_TEXT: Record<number, (value: unknown) => string> = new Proxy({}, { get: () => String });

async function run<R>(
  session: PgliteQueries,
  text: string,
  params?: readonly unknown[],
): Promise<PgQueryResult<R>> {
  try {
    if (params !== undefined && params.length > 0) {
      const values = params.map(toParameter);
      return toResult<R>(await session.query(text, values, { parsers: PARSERS, serializers: AS_TEXT }));
    }
    const results = await session.exec(text, { parsers: PARSERS });
    return toResult<R>(results.at(-1) ?? { rows: [] });
  } catch (error) {
    throw withoutParameters(error);
  }
}

function toResult<R>(result: PgliteResult): PgQueryResult<R> & { command: string } {
  return { rows: result.rows as R[], rowCount: result.rowCount ?? null, command: result.command ?? '' };
}

function nothing<R>(command: string): PgQueryResult<R> & { command: string } {
  return { rows: [], rowCount: null, command };
}

/** The embedded database hangs statement and parameters onto its errors, where they would end up in logs. */
function withoutParameters(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) {
    for (const name of ['query', 'params', 'queryOptions']) Reflect.deleteProperty(error, name);
  }
  return error;
}
