import type { PGlite } from '@electric-sql/pglite';
import { type SQL, sql } from 'drizzle-orm';
import type { Pool } from 'pg';
import { databaseError } from './errors.ts';

type CopyOut = (text: string, take: (piece: Buffer) => void) => Promise<void>;

/** One open transaction. Rows come as the SQL names them; instants as epoch milliseconds where the SQL says so. */
export interface Transaction {
  rows<Row extends object>(query: SQL): Promise<Row[]>;
  /**
   * Hands out what a `copy … to stdout` answers; a piece is written over as soon as it was taken. The text takes no parameters, and must
   * hold nothing that anybody gave. Absent on the embedded database.
   */
  copyOut?: CopyOut;
}

/** The part of drizzle that both drivers share. */
export interface DrizzleLike {
  execute(query: SQL): PromiseLike<{ rows: unknown[] }>;
  transaction<T>(work: (tx: DrizzleLike) => Promise<T>): Promise<T>;
  copyOut?: CopyOut;
}

/** The one way to the data: always inside a transaction, always in a role that owns nothing. */
export interface Database {
  kind: 'server' | 'embedded';
  /** All access to memories: the role and the tenant hold until the transaction ends. */
  withTenant<T>(tenant: string, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Across tenants, but users, their due times and leases only. */
  asDispatcher<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** As the login itself: migrations and health checks. */
  asOwner<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** The connection pool of a server, for a queue on the same database. */
  pool: Pool | null;
  /** The embedded database itself, for a queue inside it. */
  pglite: PGlite | null;
  close(): Promise<void>;
}

function transactionOver(tx: DrizzleLike): Transaction {
  const { copyOut } = tx;
  return {
    ...(copyOut && {
      copyOut: (text: string, take: (piece: Buffer) => void) =>
        copyOut(text, take).catch((error) => {
          throw databaseError(error);
        }),
    }),
    async rows<Row extends object>(query: SQL): Promise<Row[]> {
      try {
        return (await tx.execute(query)).rows as Row[];
      } catch (error) {
        throw databaseError(error);
      }
    },
  };
}

/** Builds the role-keeping surface over a drizzle instance of either driver. */
export function createDatabase(parts: {
  kind: Database['kind'];
  drizzle: DrizzleLike;
  pool: Pool | null;
  pglite: PGlite | null;
  close: () => Promise<void>;
  /** Awaited after every transaction. */
  afterTransaction?: () => Promise<void>;
}): Database {
  async function inRole<T>(enter: SQL | null, work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await parts.drizzle.transaction(async (tx) => {
        const transaction = transactionOver(tx);
        if (enter) await transaction.rows(enter);
        return work(transaction);
      });
    } catch (error) {
      // BEGIN and COMMIT are issued by the driver: their failures pass here.
      throw databaseError(error);
    } finally {
      await parts.afterTransaction?.();
    }
  }
  return {
    kind: parts.kind,
    pool: parts.pool,
    pglite: parts.pglite,
    close: parts.close,
    withTenant: (tenant, work) =>
      inRole(
        sql`select set_config('role', 'slowwave_service', true), set_config('slowwave.tenant', ${tenant}, true)`,
        work,
      ),
    asDispatcher: (work) => inRole(sql`select set_config('role', 'slowwave_dispatcher', true)`, work),
    asOwner: (work) => inRole(null, work),
  };
}
