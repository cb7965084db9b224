import { type SQL, sql } from 'drizzle-orm';

/**
 * Ids as one parameter, for `id = any(…)`. An array is looked up by index or by hash, whatever the planner guesses of tables that
 * have just been filled; a join with a list of unknown length is not.
 */
export function uuidArray(ids: readonly string[]): SQL {
  return sql`${`{${ids.join(',')}}`}::uuid[]`;
}
