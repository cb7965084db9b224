import { getTableColumns, type SQL, sql, type Table } from 'drizzle-orm';
import { conflicts } from '../../schema/conflicts.ts';
import { fusionSources } from '../../schema/ledger.ts';
import { memories, relations } from '../../schema/memories.ts';

/** What a table's rows consist of, without what the database computes by itself. */
function storedColumns(table: Table): string[] {
  return Object.values(getTableColumns(table))
    .filter((column) => column.generated === undefined)
    .map((column) => column.name);
}

function generatedColumns(table: Table): string[] {
  return Object.values(getTableColumns(table))
    .filter((column) => column.generated !== undefined)
    .map((column) => column.name);
}

/** The columns of each table that has a part in a cold memory, for an INSERT and, with the row's name before each, for its SELECT. */
function columnList(table: Table): (alias?: string) => SQL {
  const names = storedColumns(table);
  return (alias) => sql.raw(names.map((name) => (alias ? `${alias}.${name}` : name)).join(', '));
}

export const memoryColumns = columnList(memories);
export const relationColumns = columnList(relations);
export const sourceColumns = columnList(fusionSources);
export const conflictColumns = columnList(conflicts);

/** A memory's row as jsonb, without generated columns. `alias` is the row's name in the statement. */
export function wholeImage(alias: string): SQL {
  return sql.raw(`(to_jsonb(${alias}) - '{${generatedColumns(memories).join(',')}}'::text[])`);
}

/** What the journal keeps of a memory that moves: enough to tell which one it was. The whole row stands in the cold table. */
export const MOVED_COLUMNS = ['version', 'content_hash'];
