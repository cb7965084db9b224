import type { PGlite } from '@electric-sql/pglite';

/** Transactions between two looks. */
const EVERY = 64;

/** Tables that hold twice as many pages as when their rows were last counted, or were never counted. */
const GROWN = `
  select format('%I.%I', n.nspname, c.relname) as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('slowwave', 'bullmq') and c.relkind = 'r'
    and pg_relation_size(c.oid) > 2 * greatest(c.relpages, 0) * current_setting('block_size')::int
  order by 1`;

/**
 * Gathers the planner's statistics of an embedded database, which has no process that does so beside the one that works: without them
 * the planner takes every table for a handful of rows, and compares all rows of one with all rows of another. A table is counted when it
 * has doubled, so that what this takes stays small beside what was written.
 * @returns to be awaited after every transaction; never rejects, since what was committed is done whatever becomes of statistics
 */
export function keepStatistics(pglite: Pick<PGlite, 'query' | 'exec'>): () => Promise<void> {
  let transactions = 0;
  return async () => {
    transactions += 1;
    if (transactions % EVERY !== 0) return;
    try {
      const { rows } = await pglite.query<{ name: string }>(GROWN);
      if (rows.length > 0) await pglite.exec(`analyze ${rows.map(({ name }) => name).join(', ')}`);
    } catch {
      // A folder that was lost, or a database that is being closed: the next transaction says so.
    }
  };
}
