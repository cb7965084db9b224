import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';

/** What a column of an exported table may hold. */
export type ColumnShape = 'instant' | 'text' | 'number' | 'boolean' | 'json';

/** One column and the field of a line that carries it. */
export interface ExportColumn {
  column: string;
  field: string;
  shape: ColumnShape;
  required: boolean;
}

/** The columns that every line names by itself: whose it is. */
const OWNER = new Set(['tenant', 'user_id']);

/** Every line says of which kind it is itself. */
const fieldOf = (name: string): string =>
  name === 'kind' ? 'type' : name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());

function shapeOf(sqlType: string): ColumnShape {
  if (sqlType.startsWith('timestamp')) return 'instant';
  if (sqlType === 'jsonb') return 'json';
  if (sqlType === 'boolean') return 'boolean';
  return sqlType === 'text' || sqlType === 'uuid' ? 'text' : 'number';
}

/** What a table holds beside its owner, without what the database computes and what is left out on purpose. */
export function columnsOf(table: PgTable, leftOut: readonly string[] = []): ExportColumn[] {
  return getTableConfig(table)
    .columns.filter(({ name, generated }) => !generated && !OWNER.has(name) && !leftOut.includes(name))
    .map((column) => ({
      column: column.name,
      field: fieldOf(column.name),
      shape: shapeOf(column.getSQLType()),
      required: column.notNull,
    }));
}

/** The columns of the primary key beside its owner, each with whether it holds text: texts are ordered by their bytes. */
export function keyOf(table: PgTable): { column: string; text: boolean }[] {
  const { primaryKeys, columns } = getTableConfig(table);
  // The key's own columns know their names only.
  const names = primaryKeys[0]?.columns.map(({ name }) => name) ?? [];
  const isText = (name: string) => columns.find((column) => column.name === name)?.getSQLType() === 'text';
  return names.filter((name) => !OWNER.has(name)).map((column) => ({ column, text: isText(column) }));
}

export const nameOf = (table: PgTable): string => getTableConfig(table).name;
