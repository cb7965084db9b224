import { sql } from 'drizzle-orm';
import { customType, pgSchema, text, timestamp } from 'drizzle-orm/pg-core';

/** All our tables stand in a schema of their own, apart from the queue's. */
export const slowwave = pgSchema('slowwave');

/** pgvector column without a fixed dimension: one table holds the vectors of several embedding models. */
export const vectorColumn = customType<{ data: string; driverData: string }>({
  dataType: () => 'vector',
});

/** Words of a text, for full text search. */
export const wordsColumn = customType<{ data: string; driverData: string }>({
  dataType: () => 'tsvector',
});

/** Instants are stored with their zone; in queries they travel as epoch milliseconds. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });

export const tenantColumn = () => text('tenant').notNull();
export const userColumn = () => text('user_id').notNull();

/** A closed list as a check, so that the database refuses what the types do not know. */
export const oneOf = (column: string, values: readonly string[]) =>
  sql.raw(`${column} in (${values.map((value) => `'${value}'`).join(', ')})`);
