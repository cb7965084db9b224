import type { PgQueryResult } from 'bullmq';
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

/** Where statements go: the database itself, or one of its transactions. */
export interface PgliteQueries {
  query(text: string, params?: unknown[], options?: PgliteOptions): Promise<PgliteResult>;
  exec(text: string, options?: PgliteOptions): Promise<PgliteResult[]>;
}

export interface PgliteListener {
  listen(channel: string, onPayload: (payload: string) => void): Promise<() => Promise<void>>;
}

export interface PgliteTransaction extends PgliteQueries, PgliteListener {
  rollback(): Promise<void>;
}

/** What the adapter uses of the embedded database. */
export interface PgliteLike extends PgliteQueries, PgliteListener {
  transaction<T>(work: (tx: PgliteTransaction) => Promise<T>): Promise<T>;
}

// Parameters are text already; the database's own serializers would refuse some of it.
const AS_TEXT: Record<number, (value: unknown) => string> = new Proxy({}, { get: () => String });

/** Runs a text: with parameters one statement, without them any number, of which the last one's result counts. */
export async function run<R>(
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

/** The result of a command that returns nothing. */
export function nothing<R>(command: string): PgQueryResult<R> & { command: string } {
  return { rows: [], rowCount: null, command };
}

/** The embedded database hangs statement and parameters onto its errors, where they would end up in logs. */
function withoutParameters(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) {
    for (const name of ['query', 'params', 'queryOptions']) Reflect.deleteProperty(error, name);
  }
  return error;
}
