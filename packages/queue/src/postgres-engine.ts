import {
  type BackendFactory,
  type PgPool,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  Queue,
  quoteSchemaName,
  runMigrations,
  Worker,
} from 'bullmq';
import { Pool, type PoolClient } from 'pg';
import {
  addressOf,
  type ConnectOptions,
  connectWithin,
  type Diagnosis,
  type Engine,
  GOODBYE_MS,
  isNetworkCode,
} from './engine.ts';
import { QueueUnavailable, type UnavailableReason } from './errors.ts';
import { DEFAULT_SCHEMA } from './names.ts';
import { errorLabel } from './safe-error.ts';

export interface PostgresConfig {
  kind: 'postgres';
  /** `postgres://` or `postgresql://` */
  url: string;
  /** Schema of the queue's tables; default `bullmq`. Ours stand in one of their own. */
  schema?: string;
  /** Connections for adding and reading jobs; default 4. */
  poolSize?: number;
}

export interface EmbeddedConfig {
  kind: 'embedded';
  /** A pool over the embedded database; see createPglitePool. */
  pool: PgPool;
  /** Nobody has worked on this database since this process opened it: jobs under way are those of one that is gone. Default false. */
  alone?: boolean;
}

/** Longer than any statement of the queue runs. */
const SILENT_MS = 30_000;
/** Until the system asks an idle connection whether it is still there. */
const KEEP_ALIVE_MS = 10_000;
/** One connection listens, the others claim, renew and finish. */
const WORKER_POOL_SIZE = 4;
const DEFAULT_POOL_SIZE = 4;
/** How pg words the end of a statement by `query_timeout`; the error has no code. */
const READ_TIMEOUT = 'Query read timeout';

/**
 * Queues on a PostgreSQL server. The schema is migrated first (under a lock, so that many processes may start at once).
 * @throws QueueUnavailable
 */
export async function openPostgres(
  config: PostgresConfig,
  options: ConnectOptions,
  onError: (error: unknown) => void,
): Promise<Engine> {
  const address = addressOf(config.url, 'postgres', ['postgres:', 'postgresql:']);
  const schema = config.schema ?? DEFAULT_SCHEMA;
  const connection = pinnedTo(config.url, schema);

  /** @param silentMs 0: statements take as long as they take */
  function open(max: number, silentMs = options.silentMs ?? SILENT_MS): Pool {
    const pool = new Pool({
      ...connection,
      max,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      query_timeout: silentMs, // guard: silent-postgres
      connectionTimeoutMillis: options.timeoutMs,
      allowExitOnIdle: false,
    });
    // BullMQ adds a listener per queue and never takes it away; this one is there before the first.
    pool.setMaxListeners(0);
    tellLossAsBullMQKnowsIt(pool); // guard: loss-told
    pool.on('error', onError);
    pool.on('connect', (client) => {
      // The pool does not listen to a connection in use: its loss would end the process. Its user hears of it by the query.
      client.on('error', () => undefined);
      endWhenSilent(client); // guard: silent-listener
    });
    return pool;
  }

  const shared = open(Math.max(2, config.poolSize ?? DEFAULT_POOL_SIZE));
  const facts = { kind: 'postgres' as const, address };
  try {
    await connectWithin(() => shared.query('SELECT 1'), diagnoseConnection, facts, options);
    await connectWithin(() => migrateOn(open(1, 0), schema), diagnoseMigration, facts, options);
  } catch (error) {
    await shared.end();
    throw error;
  }

  const factory = backendFactory(schema);
  return {
    kind: 'postgres',
    address,
    goodbyeMs: GOODBYE_MS,
    createQueue: (name, queueOptions) =>
      asQueue(new Queue(name, { ...queueOptions, connection: shared }, factory)),
    createWorker(name, processor, workerOptions) {
      // A worker listens on a connection for as long as it lives: with a pool of its own none can starve the others.
      const pool = open(WORKER_POOL_SIZE);
      const worker = new Worker(name, processor, { ...workerOptions, connection: pool }, factory);
      return {
        worker: asWorker(worker),
        async ready() {
          await connectWithin(() => worker.waitUntilReady(), diagnoseConnection, facts, options);
        },
        dispose: () => pool.end(),
      };
    },
    async ping() {
      await shared.query('SELECT 1');
    },
    diagnose: diagnoseConnection,
    close: () => shared.end(),
  };
}

/**
 * Queues in the embedded database: the same backend over one session that everybody shares.
 * @throws QueueUnavailable
 */
export async function openEmbedded(
  config: EmbeddedConfig,
  onError: (error: unknown) => void,
): Promise<Engine> {
  const { pool } = config;
  pool.on('error', onError);
  try {
    await migrate(pool, DEFAULT_SCHEMA);
    // One session, so once is enough. Our own tables are always written with their schema.
    await pool.query(`SET search_path TO ${quoteSchemaName(DEFAULT_SCHEMA)}, public`);
    if (config.alone) await freeJobs(pool); // guard: embedded-jobs-freed
  } catch (error) {
    throw new QueueUnavailable({
      kind: 'embedded',
      address: null,
      attempts: 1,
      ...diagnoseMigration(error),
    });
  }
  const factory = backendFactory(DEFAULT_SCHEMA);
  return {
    kind: 'embedded',
    address: null,
    goodbyeMs: null,
    createQueue: (name, queueOptions) =>
      asQueue(new Queue(name, { ...queueOptions, connection: pool }, factory)),
    createWorker(name, processor, workerOptions) {
      const worker = new Worker(name, processor, { ...workerOptions, connection: pool }, factory);
      return {
        worker: asWorker(worker),
        async ready() {
          await worker.waitUntilReady();
        },
        dispose: async () => {},
      };
    },
    async ping() {
      await pool.query('SELECT 1');
    },
    diagnose: diagnoseConnection,
    // The database belongs to the caller.
    close: async () => {},
  };
}

// BullMQ names the backend in the types of its queues; everything used here is the same for all of them.
function asQueue(queue: Pick<Queue, 'name'>): Queue {
  return queue as Queue;
}

function asWorker(worker: Pick<Worker, 'name'>): Worker {
  return worker as Worker;
}

/**
 * BullMQ takes a schema only with a configuration from which it makes the pool itself, loading pg in a way that fails in
 * bundles; given a pool it checks its default schema. So the connection is told which schema the pool is pinned to.
 */
function backendFactory(schema: string): BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> {
  return (name, options, { withBlockingConnection = false } = {}) => {
    const connection = new PostgresConnection(options.connection);
    Object.defineProperty(connection, 'schema', { value: schema });
    lookAgainAfterFailure(connection);
    const listener = withBlockingConnection ? name : undefined;
    return lookAgainAfterFailure(new PostgresQueueBackend(connection, name, options, true, listener));
  };
}

/** By this code BullMQ knows that its server is away: it waits, and says what it had to say again. */
const LOST = 'ECONNREFUSED';

/**
 * BullMQ knows one sort of a lost connection alone, that of a server which takes none. Any other one while it writes down that a job is done
 * would count as the job's own failure: it would use an attempt, and be done again.
 */
function tellLossAsBullMQKnowsIt(pool: Pool): void {
  const ask = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>;
  const query = (...given: unknown[]) =>
    ask(...given).catch((error: unknown) => {
      if (diagnoseConnection(error).reason !== 'unreachable') throw error;
      throw Object.assign(new Error('the connection was lost', { cause: error }), { code: LOST });
    });
  Object.assign(pool, { query });
}

/**
 * A statement that ran out of time is no event of its connection: BullMQ would go on listening on a connection that is gone, and the pool
 * would lend it again. So the connection ends with it, which both of them hear.
 */
function endWhenSilent(client: PoolClient): void {
  const ask = client.query.bind(client) as (...given: unknown[]) => unknown;
  const query = (...given: unknown[]) => {
    const answer = ask(...given);
    if (answer instanceof Promise) {
      answer.catch((error: Error) => {
        if (error.message === READ_TIMEOUT) client.connection.stream.destroy();
      });
    }
    return answer;
  };
  Object.assign(client, { query });
}

/**
 * BullMQ looks once whether its tables are there, and remembers a failure for good: a server that is away in that moment would leave a queue
 * behind that never works again.
 */
function lookAgainAfterFailure<T extends { waitUntilReady(): Promise<void> }>(made: T): T {
  const look = made.waitUntilReady.bind(made);
  const waitUntilReady = async () => {
    try {
      await look();
    } catch (error) {
      Object.assign(made, { readyPromise: undefined }); // guard: postgres-look-again
      throw error;
    }
  };
  return Object.assign(made, { waitUntilReady });
}

/** Pins the search path of every connection; options already in the URL are kept. */
function pinnedTo(url: string, schema: string): { connectionString: string; options: string } {
  const parsed = new URL(url);
  const given = parsed.searchParams.get('options');
  parsed.searchParams.delete('options');
  const searchPath = `-c search_path=${quoteSchemaName(schema)}`;
  return given === null
    ? { connectionString: url, options: searchPath }
    : { connectionString: parsed.toString(), options: `${given} ${searchPath}` };
}

/** On connections of its own: another process may be at it, and is waited for. */
async function migrateOn(pool: Pool, schema: string): Promise<void> {
  try {
    await migrate(pool, schema);
  } finally {
    await pool.end();
  }
}

async function migrate(pool: PgPool, schema: string): Promise<void> {
  const client = await pool.connect();
  try {
    await runMigrations(client, schema);
  } finally {
    client.release();
  }
}

/**
 * Jobs under way become stalled jobs, which the first check of a worker puts back: their locks would otherwise outlast the process
 * that died with them. Only the marks that the check itself goes by are set.
 */
async function freeJobs(pool: PgPool): Promise<void> {
  const schema = quoteSchemaName(DEFAULT_SCHEMA);
  await pool.query(
    `UPDATE ${schema}.job SET locked_until_ms = 0, stalled_marked = true WHERE state = 'active'`,
  );
  await pool.query(`DELETE FROM ${schema}.meta WHERE field = 'stalled-check'`);
}

const SQL_REASONS: Record<string, UnavailableReason> = {
  '28P01': 'refused_login',
  '28000': 'refused_login',
  '3D000': 'no_database',
  '57P01': 'unreachable',
  '57P02': 'unreachable',
  '57P03': 'unreachable',
  '53300': 'unreachable',
};

function diagnoseConnection(error: unknown): Diagnosis {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && SQL_REASONS[code] !== undefined) {
    return { reason: SQL_REASONS[code], detail: code };
  }
  // Without a code of SQL no server has answered: refused, reset, timed out.
  const known = isNetworkCode(code) || typeof code !== 'string';
  return { reason: known ? 'unreachable' : 'error', detail: isNetworkCode(code) ? code : errorLabel(error) };
}

function diagnoseMigration(error: unknown): Diagnosis {
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === 'SchemaVersionMismatchError') return { reason: 'too_new', detail: null };
  if (error instanceof Error && error.constructor.name === 'UnsupportedPostgresVersionError') {
    return { reason: 'too_old', detail: null };
  }
  if (typeof code === 'string' && SQL_REASONS[code] === undefined && !isNetworkCode(code)) {
    return { reason: 'error', detail: errorLabel(error) };
  }
  return diagnoseConnection(error);
}
