import { sql } from 'drizzle-orm';
import { type Column, listColumns } from './catalogue.ts';
import type { InvariantsDeps, Look } from './types.ts';

/** Broken things that one invariant tells of at most; how many more there are is told as well. */
const TOLD_MAX = 10;

export function createLook(deps: InvariantsDeps): Look {
  const tenants = JSON.stringify(deps.tenants);
  let columns: Promise<Column[]> | null = null;
  const look: Look = {
    ...deps,
    columns() {
      // What could not be read is asked for again.
      columns ??= listColumns(look).catch((error: unknown) => {
        columns = null;
        throw error;
      });
      return columns;
    },
    rows: (query) =>
      deps.database.asOwner(async (tx) => {
        // A policy that hid rows from us would be an error instead. Statements over many tables are not worth compiling.
        await tx.rows(sql`select set_config('row_security', 'off', true), set_config('jit', 'off', true)`);
        return tx.rows(query);
      }),
    mine: (alias) =>
      sql`${sql.raw(`${alias}.tenant`)} = any(array(select jsonb_array_elements_text(${tenants}::jsonb)))`,
  };
  return look;
}

/** The first of many, and how many more there are. */
export function toldOf(details: readonly string[]): string[] {
  if (details.length <= TOLD_MAX) return [...details];
  return [...details.slice(0, TOLD_MAX), `and ${details.length - TOLD_MAX} more`];
}
