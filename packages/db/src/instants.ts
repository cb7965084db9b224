import { type SQL, sql } from 'drizzle-orm';

/** Epoch milliseconds as a timestamptz parameter; null stays null. */
export function instantOf(ms: number | null): SQL {
  return ms === null ? sql`null::timestamptz` : sql`to_timestamp(${ms}::float8 / 1000)`;
}

/** A timestamptz column as epoch milliseconds (float8, exact to the millisecond; ±Infinity for infinity). */
export function msOf(column: string): SQL {
  return sql.raw(`round(date_part('epoch', ${column}) * 1000)`);
}
