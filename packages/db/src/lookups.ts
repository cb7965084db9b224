import { type SQL, sql } from 'drizzle-orm';

/*
 * Plans that hold without statistics, which a new database has not gathered yet: the planner then takes every set for one row, and would
 * compare all of a user's rows with all of another table.
 */

/**
 * CROSS JOIN LATERAL with rows that are found by a key, once for each row before them: OFFSET keeps the planner from any other join.
 * @param query a SELECT that names columns of what stands before it
 */
export const lookup = (query: SQL): SQL => sql`cross join lateral (${query} offset 0)`;

/**
 * Whether a column is in a set, by a hash of the set: IS TRUE keeps the planner from a join.
 * @param ids a SELECT of one column
 */
export const isAmong = (column: SQL, ids: SQL): SQL => sql`(${column} in (${ids})) is true`;
