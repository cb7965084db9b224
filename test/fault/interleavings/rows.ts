import { newId } from '@slowwave/db';
import type { Pool } from 'pg';

type Row = Record<string, unknown>;

/** All rows of one user, by table. */
export type Rows = ReadonlyMap<string, readonly Row[]>;

/** The rows of one user as they were, written down beside the tables. */
export interface KeptRows {
  before: Rows;
  /** As they are now. */
  read(): Promise<Rows>;
  /** Puts those of the given tables back as they were. */
  restore(tables: Iterable<string>): Promise<void>;
  tables: readonly string[];
}

interface TableShape {
  name: string;
  columns: string[];
}

/** Tables with rows of users, and the columns that are not computed. */
async function listTables(pool: Pool): Promise<TableShape[]> {
  const { rows } = await pool.query<TableShape>(`
    select c.relname as name, jsonb_agg(quote_ident(a.attname) order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'slowwave'::regnamespace and c.relkind = 'r'
    group by c.relname
    having bool_or(a.attname = 'user_id')
    order by c.relname`);
  return rows;
}

/**
 * Writes down the rows of a user, so that each order begins with the same ones: the same ids, and so the same keys and the same order of
 * locks. In functions of the server, which plans their statements once.
 * @param pool one connection that may set foreign keys aside: what is put back is put back together
 */
export async function keepRows(pool: Pool, user: string): Promise<KeptRows> {
  const shapes = await listTables(pool);
  const keep = `keep_${newId(0).replaceAll('-', '')}`;
  const list = (table: TableShape) => table.columns.join(', ');
  const made = shapes.map(
    (table) => `
    create table ${keep}.${table.name} as select ${list(table)} from slowwave.${table.name} where false;
    insert into ${keep}.${table.name} select ${list(table)} from slowwave.${table.name} where user_id = current_setting('keep.whose');
    create function ${keep}.restore_${table.name}(whose text) returns void language plpgsql as $restore$ begin
      delete from slowwave.${table.name} where user_id = whose;
      insert into slowwave.${table.name} (${list(table)}) select ${list(table)} from ${keep}.${table.name};
    end $restore$;`,
  );
  const images = shapes.map(
    (
      table,
    ) => `jsonb_build_object('name', '${table.name}', 'rows', (select coalesce(jsonb_agg(to_jsonb(t)), '[]')
      from (select ${list(table)} from slowwave.${table.name} where user_id = whose) t))`,
  );
  await pool.query(`select set_config('keep.whose', $1, false)`, [user]);
  await pool.query(`create schema ${keep}; ${made.join('\n')}
    create function ${keep}.look(whose text) returns jsonb language plpgsql as $look$ begin
      return jsonb_build_array(${images.join(', ')});
    end $look$;
    set session_replication_role = replica`);

  async function read(): Promise<Rows> {
    const { rows } = await pool.query<{ look: { name: string; rows: Row[] }[] }>(`select ${keep}.look($1)`, [
      user,
    ]);
    return new Map(rows[0]!.look.map(({ name, rows: list }) => [name, list]));
  }
  return {
    before: await read(),
    read,
    tables: shapes.map(({ name }) => name),
    async restore(tables) {
      const wanted = new Set(tables);
      const calls = shapes.flatMap(({ name }) => (wanted.has(name) ? [`${keep}.restore_${name}($1)`] : []));
      if (calls.length > 0) await pool.query(`select ${calls.join(', ')}`, [user]);
    },
  };
}
