import { type SQL, sql } from 'drizzle-orm';

/**
 * How many rows a statement wants at most, as part of its text: a plan that serves all values alike would else be made for a tenth of the
 * table. For limits that are always the same.
 */
export function fixedLimit(rows: number): SQL {
  if (!Number.isSafeInteger(rows) || rows < 0) throw new RangeError('a limit is a whole number, not below 0');
  return sql.raw(String(rows));
}
