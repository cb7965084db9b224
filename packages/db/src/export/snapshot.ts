import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../database.ts';

/**
 * Everything that `work` reads is of one instant. The level has to be set before the first statement, so the transaction begins as
 * the login's own and takes the role and the tenant right after; it can write nothing.
 */
export function inSnapshot<T>(
  database: Database,
  tenant: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return database.asOwner(async (tx) => {
    await tx.rows(sql`set transaction isolation level repeatable read, read only`);
    await tx.rows(
      sql`select set_config('role', 'slowwave_service', true), set_config('slowwave.tenant', ${tenant}, true),
        set_config('timezone', 'UTC', true)`,
    );
    return work(tx);
  });
}
