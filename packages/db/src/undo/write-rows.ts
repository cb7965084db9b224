import { getTableColumns, type SQL, sql, type Table } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import { conflictColumns, memoryColumns, relationColumns, sourceColumns } from '../memories/upkeep/cold.ts';
import { moveToCold } from '../memories/upkeep/prune.ts';
import { conflicts } from '../schema/conflicts.ts';
import { memories } from '../schema/memories.ts';
import type { RowAddress, UndoPlan } from './plan.ts';
import { rawRow } from './raw.ts';
import type { JournalledTable } from './touched.ts';

interface Where {
  tenant: string;
  user: string;
  /** Epoch ms. */
  at: number;
}

const part = <Row extends RowAddress>(rows: readonly Row[], table: JournalledTable) =>
  rows.filter((row) => row.table === table);

/** Puts every row of a plan back, in an order in which each finds what it refers to; what leaves the memories is left to removeMemories. */
export async function writeRows(tx: Transaction, of: Where, plan: UndoPlan): Promise<void> {
  await insertMemories(tx, of, part(plan.inserts, 'memories'));
  await updateMemories(tx, of, part(plan.updates, 'memories'));
  await removeLinks(tx, of, part(plan.deletes, 'relations'), part(plan.deletes, 'conflicts'));
  await updateConflicts(tx, of, part(plan.updates, 'conflicts'));
  await insertLinks(tx, of, part(plan.inserts, 'relations'), part(plan.inserts, 'conflicts'));
}

/** Takes away what a plan takes away, once nothing refers to it any more. */
export async function removeMemories(tx: Transaction, of: Where, plan: UndoPlan): Promise<void> {
  const gone = part(plan.deletes, 'memories').map(({ ids }) => ids.id!);
  if (gone.length > 0) {
    await tx.rows(sql`delete from slowwave.memories where ${owned(of)} and id = any(${uuidArray(gone)})`);
  }
  const cold = plan.moves.map(({ ids }) => ids.id!);
  if (cold.length > 0) await moveToCold(tx, of, cold, null);
}

const wholeRows = (of: Where, rows: UndoPlan['inserts'], more: Record<string, string> = {}): string =>
  `[${rows.map(({ ids, row }) => rawRow(row, { tenant: of.tenant, user_id: of.user, ...more, ...ids })).join(',')}]`;

/** With their part in fusions, which no longer claims them. A version more than they had: whoever saw them before sees a difference. */
async function insertMemories(tx: Transaction, of: Where, rows: UndoPlan['inserts']): Promise<void> {
  if (rows.length === 0) return;
  const ids = uuidArray(rows.map((row) => row.ids.id!));
  const sets = uuidArray(rows.map((row) => row.set));
  const whole = wholeRows(of, rows, { updated_at: new Date(of.at).toISOString() });
  await tx.rows(sql`
    with returned as (
      insert into slowwave.memories (${memoryColumns()})
      select ${memoryColumns('r')} from jsonb_populate_recordset(null::slowwave.memories, ${whole}::jsonb) r
      returning id
    )
    insert into slowwave.fusion_sources (${sourceColumns()})
    select ${sourceColumns('s')} from slowwave.changes c
    cross join lateral jsonb_populate_recordset(null::slowwave.fusion_sources,
      coalesce(c.before->'fusion_sources', '[]')) s
    where ${owned(of, 'c')} and c.change_set_id = any(${sets}) and c.table_name = 'memories'
      and (c.row_key->>'id')::uuid = any(${ids}) and c.after is null and (select count(*) from returned) > 0
      and exists (select 1 from slowwave.fusions f where ${owned(of, 'f')} and f.key = s.fusion_key)
    on conflict do nothing`);
  await tx.rows(sql`
    with freed as (
      update slowwave.fusion_sources set live = false where ${owned(of)} and memory_id = any(${ids}) and live
    )
    update slowwave.memories set version = version + 1
    where ${owned(of)} and id = any(${ids})`);
}

/** `column = r.column` of all columns that a change may write. */
function assignments(table: Table, left: readonly string[]): SQL {
  const names = Object.values(getTableColumns(table))
    .filter((column) => column.generated === undefined && !left.includes(column.name))
    .map((column) => column.name);
  return sql.raw(names.map((name) => `${name} = r.${name}`).join(', '));
}

const KEPT = ['tenant', 'user_id', 'id'];

async function updateMemories(tx: Transaction, of: Where, rows: UndoPlan['updates']): Promise<void> {
  if (rows.length === 0) return;
  const ids = uuidArray(rows.map((row) => row.ids.id!));
  await tx.rows(sql`
    with restored as (
      update slowwave.memories m set ${assignments(memories, [...KEPT, 'origin', 'version', 'updated_at'])},
        version = r.version + (case when p.versioned then 1 else 0 end), updated_at = ${instantOf(of.at)}
      from jsonb_to_recordset(${patches(rows)}::jsonb) as p(id uuid, patch jsonb, versioned boolean)
      join slowwave.memories o on ${owned(of, 'o')} and o.id = p.id and o.id = any(${ids})
      cross join lateral jsonb_populate_record(o, p.patch) r
      where ${owned(of, 'm')} and m.id = p.id and m.id = any(${ids})
      returning m.id, m.content_hash
    )
    -- A vector of other words must not be compared with anything: the next tick makes a new one.
    delete from slowwave.embeddings e using restored r
    where ${owned(of, 'e')} and e.memory_id = r.id and e.content_hash <> r.content_hash`);
}

async function updateConflicts(tx: Transaction, of: Where, rows: UndoPlan['updates']): Promise<void> {
  if (rows.length === 0) return;
  const ids = uuidArray(rows.map((row) => row.ids.id!));
  await tx.rows(sql`
    update slowwave.conflicts k set ${assignments(conflicts, KEPT)}
    from jsonb_to_recordset(${patches(rows)}::jsonb) as p(id uuid, patch jsonb, versioned boolean)
    join slowwave.conflicts o on ${owned(of, 'o')} and o.id = p.id and o.id = any(${ids})
    cross join lateral jsonb_populate_record(o, p.patch) r
    where ${owned(of, 'k')} and k.id = p.id and k.id = any(${ids})`);
}

function patches(rows: UndoPlan['updates']): string {
  const parts = rows.map(({ ids, patch, versioned }) => {
    const head = JSON.stringify({ id: ids.id, versioned });
    return `${head.slice(0, -1)},"patch":${rawRow(patch)}}`;
  });
  return `[${parts.join(',')}]`;
}

async function removeLinks(
  tx: Transaction,
  of: Where,
  relations: readonly RowAddress[],
  conflictRows: readonly RowAddress[],
): Promise<void> {
  if (relations.length + conflictRows.length === 0) return;
  const sources = uuidArray(relations.map(({ ids }) => ids.source_id!));
  await tx.rows(sql`
    with settled as (
      delete from slowwave.conflicts k
      where ${owned(of, 'k')} and k.id = any(${uuidArray(conflictRows.map(({ ids }) => ids.id!))})
    )
    delete from slowwave.relations r
    using jsonb_to_recordset(${JSON.stringify(relations.map(({ ids }) => ids))}::jsonb)
      as g(source_id uuid, target_id uuid, relation_type text)
    where ${owned(of, 'r')} and r.source_id = any(${sources}) and r.source_id = g.source_id and r.target_id = g.target_id
      and r.relation_type = g.relation_type`);
}

async function insertLinks(
  tx: Transaction,
  of: Where,
  relations: UndoPlan['inserts'],
  conflictRows: UndoPlan['inserts'],
): Promise<void> {
  if (relations.length + conflictRows.length === 0) return;
  await tx.rows(sql`
    with linked as (
      insert into slowwave.relations (${relationColumns()})
      select ${relationColumns('r')} from jsonb_populate_recordset(null::slowwave.relations, ${wholeRows(of, relations)}::jsonb) r
    )
    insert into slowwave.conflicts (${conflictColumns()})
    select ${conflictColumns('k')} from jsonb_populate_recordset(null::slowwave.conflicts, ${wholeRows(of, conflictRows)}::jsonb) k`);
}
