import pg from 'pg';
import { createDatabase, type Database } from './database.ts';
import { DatabaseError, databaseError } from './errors.ts';
import { transactionsOf } from './server-transactions.ts';
import { createStatementNames } from './statement-names.ts';

export interface ServerOptions {
  url: string;
  /** Connections, at least 2. */
  poolSize: number;
  /** Whether connections keep what they were asked often; default true. */
  prepared?: boolean;
  /** How long to keep trying while the server does not answer, in milliseconds. */
  connectTimeoutMs: number;
  /** A statement that has not been answered after so long is given up with its connection, ms; default a little above the server's own limit. */
  answerTimeoutMs?: number;
  /** Told before each further try. */
  onWaiting?: (details: { attempt: number; code: string; retryInMs: number }) => void;
}

const STATEMENT_TIMEOUT_MS = 120_000;
/** The server ends a statement before this, if it still hears us: beyond it, nobody is there any more. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 10_000;
/** How long a server gets to answer the farewells of its connections, ms. */
const GOODBYE_MS = 1_500;

/** Opens a pool on a PostgreSQL server and waits, within the limit, until it answers. */
export async function openServer(options: ServerOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: 'slowwave',
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
    connectionTimeoutMillis: Math.min(10_000, options.connectTimeoutMs),
    keepAlive: true,
  });
  // An idle connection that drops is replaced on next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  // While a transaction holds a connection the pool does not listen for it: its statements report the loss.
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await waitUntilReachable(pool, options);
  } catch (error) {
    await pool.end().catch(() => undefined);
    throw error;
  }
  let closing: Promise<void> | null = null;
  return createDatabase({
    kind: 'server',
    inTransaction: transactionsOf(pool, createStatementNames(options.prepared === false ? { max: 0 } : {})),
    pool,
    pglite: null,
    close: () => {
      closing ??= saidGoodbye(pool);
      return closing;
    },
  });
}

/** A server that is gone without a word is not waited for. */
async function saidGoodbye(pool: pg.Pool): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GOODBYE_MS);
  });
  await Promise.race([
    pool.end(),
    limit, // guard: close-unanswered
  ]).finally(() => clearTimeout(timer));
}

async function waitUntilReachable(pool: pg.Pool, options: ServerOptions): Promise<void> {
  const deadline = Date.now() + options.connectTimeoutMs;
  for (let attempt = 1; ; attempt++) {
    try {
      await pool.query('select 1');
      return;
    } catch (error) {
      const known = databaseError(error);
      const code = known instanceof DatabaseError ? known.code : 'internal';
      const retryInMs = Math.min(2_000, 100 * 2 ** attempt);
      const retryable = known instanceof DatabaseError && known.retryable;
      if (!retryable || Date.now() + retryInMs > deadline) throw unreachable(options, known, retryable);
      options.onWaiting?.({ attempt, code, retryInMs });
      await new Promise((resolve) => setTimeout(resolve, retryInMs));
    }
  }
}

/** Names host and database, never user or password. */
function unreachable(options: ServerOptions, error: Error, retryable: boolean): DatabaseError {
  const url = new URL(options.url);
  const place = `${url.hostname}:${url.port || '5432'}${url.pathname}`;
  const state = error instanceof DatabaseError ? error.sqlState : null;
  const hint = retryable
    ? `gave up after ${Math.round(options.connectTimeoutMs / 1000)} s; is the server running, and is DATABASE_URL right?`
    : state === '28P01' || state === '28000'
      ? 'the login was refused; check user and password in DATABASE_URL'
      : state === '3D000'
        ? 'the database does not exist; create it or correct DATABASE_URL'
        : 'check DATABASE_URL';
  return new DatabaseError('unavailable', `cannot use PostgreSQL at ${place}: ${hint}`, {
    retryable,
    sqlState: state,
  });
}
