import { DrizzleQueryError } from 'drizzle-orm/errors';

export type DatabaseErrorCode =
  | 'unavailable'
  | 'constraint'
  | 'serialization'
  | 'timeout'
  | 'out_of_space'
  | 'permission'
  | 'invalid_text'
  | 'wrong_dimensions'
  | 'folder_in_use'
  | 'folder_lost'
  | 'newer_schema'
  | 'missing_extension'
  | 'internal';

/**
 * What the database refused, classified once. Carries the SQLSTATE and the names of schema objects; never a statement, a
 * parameter or a value, since those are people's memories.
 */
export class DatabaseError extends Error {
  readonly code: DatabaseErrorCode;
  readonly retryable: boolean;
  readonly sqlState: string | null;
  readonly constraint: string | null;

  constructor(
    code: DatabaseErrorCode,
    message: string,
    details: { retryable?: boolean; sqlState?: string | null; constraint?: string | null } = {},
  ) {
    super(message);
    this.name = 'DatabaseError';
    this.code = code;
    this.retryable = details.retryable ?? false;
    this.sqlState = details.sqlState ?? null;
    this.constraint = details.constraint ?? null;
  }
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EPIPE',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENOENT',
]);

/** A statement that a connection kept is gone, or another one bears its name: somebody between us and the server gives us the connections of others. */
const MIXED_UP_STATES: ReadonlySet<string> = new Set(['26000', '42P05']);
/** The same, or a table has changed since a statement was kept, so that its answer would be another: the next connection knows better. */
export const STALE_STATES: ReadonlySet<string> = new Set([...MIXED_UP_STATES, '0A000']);
const POOLER_HINT = '; behind a pooler in transaction mode set SLOWWAVE_DATABASE_PREPARED=off';

interface DriverError {
  code?: unknown;
  constraint?: unknown;
  table?: unknown;
  message?: unknown;
}

/** drizzle wraps the driver's error in one that repeats the statement and its parameters: only the inner one is looked at. */
function driverErrorOf(error: unknown): DriverError {
  const inner = error instanceof DrizzleQueryError ? error.cause : error;
  if (inner instanceof AggregateError && inner.errors[0]) return inner.errors[0] as DriverError;
  return typeof inner === 'object' && inner !== null ? (inner as DriverError) : {};
}

function classOf(sqlState: string): { code: DatabaseErrorCode; retryable: boolean } {
  if (sqlState === '40001' || sqlState === '40P01' || STALE_STATES.has(sqlState))
    return { code: 'serialization', retryable: true };
  if (sqlState === '57014' || sqlState === '55P03') return { code: 'timeout', retryable: true };
  if (sqlState.startsWith('08') || sqlState.startsWith('57P') || sqlState === '53300') {
    return { code: 'unavailable', retryable: true };
  }
  if (sqlState.startsWith('53')) return { code: 'out_of_space', retryable: true };
  if (sqlState.startsWith('23')) return { code: 'constraint', retryable: false };
  if (sqlState === '42501') return { code: 'permission', retryable: false };
  if (sqlState.startsWith('22')) return { code: 'invalid_text', retryable: false };
  return { code: 'internal', retryable: false };
}

/** Turns whatever a driver threw into an error that may be logged. Errors of our own pass unchanged. */
export function databaseError(error: unknown): Error {
  if (error instanceof DatabaseError) return error;
  const driver = driverErrorOf(error);
  if (driver instanceof DatabaseError) return driver;
  const state = typeof driver.code === 'string' ? driver.code : null;
  const constraint = typeof driver.constraint === 'string' ? driver.constraint : null;
  if (state && NETWORK_CODES.has(state)) {
    return new DatabaseError('unavailable', `the database cannot be reached (${state})`, { retryable: true });
  }
  if (state && /^[0-9A-Z]{5}$/.test(state)) {
    const { code, retryable } = classOf(state);
    const where = constraint ? `, constraint ${constraint}` : '';
    const hint = MIXED_UP_STATES.has(state) ? POOLER_HINT : '';
    return new DatabaseError(
      code,
      // guard: database-error-text
      `the database refused a statement (SQLSTATE ${state}${where})${hint}`,
      { retryable, sqlState: state, constraint },
    );
  }
  if (isConnectionLoss(driver)) {
    return new DatabaseError('unavailable', 'the connection to the database was lost', { retryable: true });
  }
  if (error instanceof DrizzleQueryError) return new DatabaseError('internal', 'the database driver failed');
  return error instanceof Error ? error : new DatabaseError('internal', 'the database driver failed');
}

/** Drivers give a lost or closed connection no code; these are their fixed sentences, which hold no data. */
function isConnectionLoss(driver: DriverError): boolean {
  const message = typeof driver.message === 'string' ? driver.message : '';
  return /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end|PGlite is clos)/.test(
    message,
  );
}
