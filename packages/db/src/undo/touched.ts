import { type SQL, sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import type { JOURNALLED_TABLES } from '../schema/ledger.ts';

export type JournalledTable = (typeof JOURNALLED_TABLES)[number];

/**
 * A column of a row: its name, and its value before the change, after it, and now. Values are JSON texts as the database writes them,
 * so that nothing is rounded on its way through here; null means that there was no such row.
 */
export type TouchedColumn = [name: string, before: string | null, after: string | null, now: string | null];

/** One row of one change set that is to be taken back, beside the row as it is now. */
export interface TouchedRow {
  set: string;
  position: number;
  table: JournalledTable;
  /** The row's key as the database writes it, the same for the same row. */
  key: string;
  /** The values of the key. */
  ids: Record<string, string>;
  existed: boolean;
  exists: boolean;
  /** The row went to the cold table, or came from there: the image tells only which one it was. */
  moved: boolean;
  /** There is such a row now. */
  present: boolean;
  /** For memories: whether it is latest now. */
  latest: boolean;
  /** The change counted as a new version. */
  versioned: boolean;
  /** Without those that were and are the same. */
  columns: TouchedColumn[];
  /** Only how the row must be; the change set does not restore it. */
  context: boolean;
}

/** Keys of the row, what the database computes, and bookkeeping that only grows. */
const NOT_COMPARED = [
  'tenant',
  'user_id',
  'id',
  'source_id',
  'target_id',
  'relation_type',
  'words',
  'crosses_080_at',
  'crosses_050_at',
  'crosses_010_at',
  'crosses_005_at',
  'updated_at',
  // Rides along in the image of a memory that was taken away; no column of its own.
  'fusion_sources',
];

interface Owner {
  tenant: string;
  user: string;
}

/** An image of the given name as the database would write the row today: the same value is the same text, whatever session wrote it. */
function normalised(name: 'before' | 'after'): SQL {
  const image = sql.raw(`c.${name}`);
  return sql`case when ${image} is null then null
    when c.table_name = 'memories' then to_jsonb(jsonb_populate_record(null::slowwave.memories, ${image}))
    when c.table_name = 'relations' then to_jsonb(jsonb_populate_record(null::slowwave.relations, ${image}))
    else to_jsonb(jsonb_populate_record(null::slowwave.conflicts, ${image})) end`;
}

function presentRow(of: Owner): SQL {
  return sql`case c.table_name
    when 'memories' then (
      select to_jsonb(m) from slowwave.memories m where ${owned(of, 'm')} and m.id = (c.row_key->>'id')::uuid)
    when 'relations' then (
      select to_jsonb(r) from slowwave.relations r
      where ${owned(of, 'r')} and r.source_id = (c.row_key->>'source_id')::uuid
        and r.target_id = (c.row_key->>'target_id')::uuid and r.relation_type = c.row_key->>'relation_type')
    else (
      select to_jsonb(k) from slowwave.conflicts k where ${owned(of, 'k')} and k.id = (c.row_key->>'id')::uuid) end`;
}

/**
 * Every row that the given change sets touched, with its images and as it is now, in one statement.
 * @param input.roots for a redo: the change sets that were undone. Rows that they made and that the undo left standing must still be
 * as they were made.
 */
export function loadTouched(
  tx: Transaction,
  input: Owner & { sets: readonly string[]; roots: readonly string[] },
): Promise<TouchedRow[]> {
  const sets = uuidArray(input.sets);
  const skipped = sql.raw(`'{${NOT_COMPARED.join(',')}}'::text[]`);
  return tx.rows<TouchedRow>(sql`
    with chosen as (
      select c.change_set_id, c.position, c.table_name, c.row_key, c.before, c.after, false as context
      from slowwave.changes c where ${owned(input, 'c')} and c.change_set_id = any(${sets})
      union all
      select c.change_set_id, c.position, c.table_name, c.row_key, c.after, c.after, true
      from slowwave.changes c
      where ${owned(input, 'c')} and c.change_set_id = any(${uuidArray(input.roots)}) and c.before is null
        and c.table_name = 'memories' and c.after ? 'content'
        and not exists (
          select 1 from slowwave.changes u
          where ${owned(input, 'u')} and u.change_set_id = any(${sets}) and u.table_name = 'memories'
            and u.row_key->>'id' = c.row_key->>'id')
    ), compared as (
      select c.*, ${normalised('before')} as b, ${normalised('after')} as a, ${presentRow(input)} as n from chosen c
    )
    select c.change_set_id as "set", c.position, c.table_name as "table", c.row_key::text as key, c.row_key as ids,
      c.before is not null as existed, c.after is not null as exists, c.n is not null as present, c.context,
      c.table_name = 'memories' and not coalesce(c.before, c.after) ? 'content' and (c.before is null or c.after is null) as moved,
      coalesce((c.n->>'is_latest')::boolean, false) as latest,
      coalesce(c.before->'version' <> c.after->'version', false) as versioned,
      (select coalesce(jsonb_agg(jsonb_build_array(
           k.name, (c.b->k.name)::text, (c.a->k.name)::text, (c.n->k.name)::text) order by k.name), '[]')
         from jsonb_object_keys(coalesce(c.before, '{}') || coalesce(c.after, '{}')) k(name)
         where k.name <> all(${skipped})
           and not (c.b->k.name is not distinct from c.a->k.name and c.a->k.name is not distinct from c.n->k.name)) as columns
    from compared c
    order by c.change_set_id, c.position`);
}
