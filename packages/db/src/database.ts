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

/** What a driver does inside an open transaction. */
export interface OpenTransaction {
  execute(query: SQL): PromiseLike<{ rows: unknown[] }>;
  copyOut?: CopyOut;
}

/** In whose name a transaction works until it ends. */
export interface Entry {
  role: 'slowwave_service' | 'slowwave_dispatcher';
  /** Null: of none, which the dispatcher's role needs not. */
  tenant: string | null;
}

/** Begins, enters (null: as the login itself), works, and commits or rolls back. */
export type InTransaction = <T>(entry: Entry | null, work: (tx: OpenTransaction) => Promise<T>) => Promise<T>;

/** The part of drizzle that an embedded database needs. */
export interface DrizzleLike {
  transaction<T>(work: (tx: OpenTransaction) => Promise<T>): Promise<T>;
}

/** Enters by a statement of its own. */
export function enteringOver(drizzle: DrizzleLike): InTransaction {
  return (entry, work) =>
    drizzle.transaction(async (tx) => {
      if (entry) await tx.execute(entering(entry));
      return work(tx);
    });
}

/** The statement by which a transaction enters; more may follow in its list. */
export function entering({ role, tenant }: Entry): SQL {
  const entered = sql`
    select set_config('role', '${sql.raw(role)}', true) /* guard: tenant-role */`;
  return tenant === null ? entered : sql`${entered}, set_config('slowwave.tenant', ${tenant}, true)`;
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

function transactionOver(tx: OpenTransaction): Transaction {
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

/** Builds the role-keeping surface over the transactions of either driver. */
export function createDatabase(parts: {
  kind: Database['kind'];
  inTransaction: InTransaction;
  pool: Pool | null;
  pglite: PGlite | null;
  close: () => Promise<void>;
  /** Awaited after every transaction. */
  afterTransaction?: () => Promise<void>;
}): Database {
  async function inRole<T>(entry: Entry | null, work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await parts.inTransaction(entry, (tx) => work(transactionOver(tx)));
    } catch (error) {
      // Beginning, entering and committing are the driver's: their failures pass here.
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
    withTenant: (tenant, work) => inRole({ role: 'slowwave_service', tenant }, work),
    asDispatcher: (work) => inRole({ role: 'slowwave_dispatcher', tenant: null }, work),
    asOwner: (work) => inRole(null, work),
  };
}
