import { sql } from 'drizzle-orm';
import type { Look } from './types.ts';

/** A column of a table, as the database knows it. */
export interface Column {
  schema: string;
  table: string;
  column: string;
  /** Name of its type, as in "uuid" or "_text". */
  type: string;
}

/** A table of ours with the columns that say whose its rows are. */
export interface OwnedTable {
  name: string;
  /** The column of the user; null where rows belong to a tenant. */
  userColumn: string | null;
}

/** Types that hold no words, no ids in words, or only what stands in another column as well. */
const WORDLESS = new Set(
  'int2 int4 int8 float4 float8 numeric bool timestamptz timestamp date time interval uuid _uuid vector tsvector oid'.split(
    ' ',
  ),
);

/** Every column of every table of the database, the queue's too. Read once: no table comes or goes while a service runs. */
export function listColumns(look: Look): Promise<Column[]> {
  return look.rows<Column>(sql`
    select n.nspname as schema, c.relname as table, a.attname as column, t.typname as type
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema')
      and n.nspname not like 'pg\\_t%'
    order by 1, 2, a.attnum`);
}

/** Tables of ours whose rows belong to somebody. */
export async function listOwned(look: Look): Promise<OwnedTable[]> {
  const ours = (await look.columns()).filter(({ schema }) => schema === 'slowwave');
  const named = (table: string, name: string) =>
    ours.some((one) => one.table === table && one.column === name);
  return [...new Set(ours.map(({ table }) => table))].flatMap((name): OwnedTable[] => {
    if (!named(name, 'tenant')) return [];
    const userColumn = named(name, 'user_id') ? 'user_id' : name === 'users' ? 'id' : null;
    return [{ name, userColumn }];
  });
}

/** Columns that can hold words. */
export async function listTextColumns(look: Look): Promise<Column[]> {
  return (await look.columns()).filter(({ type }) => !WORDLESS.has(type));
}

/** A column of a table whose rows belong to users, that holds ids or may hold some in its words. */
export interface IdColumn {
  table: string;
  column: string;
  how: 'id' | 'list' | 'words';
  /** The column of the user in this table. */
  userColumn: string;
}

/** Every column with ids, by the catalogue alone: a reference that the schema does not declare is one too. */
export async function listIdColumns(look: Look): Promise<IdColumn[]> {
  const owned = await listOwned(look);
  return (await look.columns()).flatMap(({ schema, table, column, type }): IdColumn[] => {
    const userColumn = owned.find(({ name }) => name === table)?.userColumn;
    const how = howOf({ table, column, type });
    return schema === 'slowwave' && userColumn && how ? [{ table, column, userColumn, how }] : [];
  });
}

function howOf({ table, column, type }: Omit<Column, 'schema'>): IdColumn['how'] | null {
  if (type === 'jsonb') return 'words';
  if (type === '_uuid') return 'list';
  const isKey = column === 'fusion_key' || (table === 'fusions' && column === 'key');
  return type === 'uuid' || isKey ? 'id' : null;
}
