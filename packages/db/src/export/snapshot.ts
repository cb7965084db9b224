import { sql } from 'drizzle-orm';
import { type Database, entering, type Transaction } from '../database.ts';

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
      sql`${entering({ role: 'slowwave_service', tenant })}, set_config('timezone', 'UTC', true)`,
    );
    return work(tx);
  });
}
