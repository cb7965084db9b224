import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import { wholeImage } from '../memories/upkeep/cold.ts';
import type { UndoPlan } from './plan.ts';
import { rawRow } from './raw.ts';
import type { Direction, RootSet } from './targets.ts';

/** A change set that is taken back, and the one that does it. */
export interface SetPair {
  /** The one that is taken back: a root, or for a redo the undo of it. */
  target: string;
  /** The one that is written. */
  id: string;
  kind: Direction;
  root: RootSet;
  /** The run, or the change set, that the one that is written is a part of. */
  partOf: string | null;
}

interface JournalInput {
  tenant: string;
  user: string;
  at: number;
  actor: string | null;
  pairs: readonly SetPair[];
  plan: UndoPlan;
  /** Memories that came back from the cold table with those that were asked for, and whose change set they belong to. */
  alsoReturned: readonly { id: string; set: string }[];
}

/**
 * Writes one change set for each that is taken back, before anything is changed. Rows that stay are journalled by the images there
 * are, the other way round; rows that are taken away whole, as they are now, so that a redo brings them back exactly.
 */
export async function journalUndo(tx: Transaction, input: JournalInput): Promise<void> {
  const { tenant, user, plan } = input;
  const idOf = new Map(input.pairs.map(({ target, id }) => [target, id]));
  const opened = input.pairs.map(({ target, id, kind, root, partOf }) => ({
    id,
    kind,
    // An undo always names what it undid, also when it takes back the redo of that.
    undoes: kind === 'undo' ? root.id : target,
    runId: partOf,
    fusionKey: root.fusionKey,
  }));
  const swapped = plan.swapped.map(({ set, position }) => ({ id: idOf.get(set), set, position }));
  const removed = plan.deletes.map(({ table, ids, set }) => ({ id: idOf.get(set), table, key: ids }));
  const returned = input.alsoReturned.map(({ id, set }) => ({ id: idOf.get(set), memory: id }));
  await tx.rows(sql`
    with opened as (
      insert into slowwave.change_sets (tenant, user_id, id, run_id, fusion_key, kind, actor, undoes, created_at)
      select ${tenant}, ${user}, id, "runId", "fusionKey", kind, ${input.actor}::text, undoes, ${instantOf(input.at)}
      from jsonb_to_recordset(${JSON.stringify(opened)}::jsonb) as r(id uuid, kind text, "runId" uuid, "fusionKey" text, undoes uuid)
    ), removed as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(removed)}::jsonb) as r(id uuid, "table" text, key jsonb)
    ), images as (
      select s.id, c.table_name, c.row_key, c.after as before, c.before as after
      from jsonb_to_recordset(${JSON.stringify(swapped)}::jsonb) as s(id uuid, "set" uuid, position integer)
      join slowwave.changes c on ${owned(input, 'c')} and c.change_set_id = s."set" and c.position = s.position
      where c.change_set_id = any(${uuidArray(input.pairs.map(({ target }) => target))})
      union all
      select r.id, r."table", r.key, case r."table"
          when 'memories' then (
            select ${wholeImage('m')} || jsonb_build_object('fusion_sources', (
              select coalesce(jsonb_agg(to_jsonb(p) order by p.fusion_key), '[]') from slowwave.fusion_sources p
              where ${owned(input, 'p')} and p.memory_id = m.id))
            from slowwave.memories m where ${owned(input, 'm')} and m.id = (r.key->>'id')::uuid)
          when 'relations' then (
            select to_jsonb(x) from slowwave.relations x
            where ${owned(input, 'x')} and x.source_id = (r.key->>'source_id')::uuid
              and x.target_id = (r.key->>'target_id')::uuid and x.relation_type = r.key->>'relation_type')
          else (
            select to_jsonb(k) from slowwave.conflicts k where ${owned(input, 'k')} and k.id = (r.key->>'id')::uuid) end, null
      from removed r
      union all
      select a.id, a."table", a.key, null, a.image
      from jsonb_to_recordset(${addedOf(plan, input, idOf)}::jsonb) as a(id uuid, "table" text, key jsonb, image jsonb)
      union all
      select a.id, 'memories', jsonb_build_object('id', m.id), null,
        jsonb_build_object('version', m.version, 'content_hash', m.content_hash)
      from jsonb_to_recordset(${JSON.stringify(returned)}::jsonb) as a(id uuid, memory uuid)
      join slowwave.memories m on ${owned(input, 'm')} and m.id = a.memory
    )
    insert into slowwave.changes (tenant, user_id, change_set_id, position, table_name, row_key, before, after)
    select ${tenant}, ${user}, id, row_number() over (partition by id order by table_name, row_key), table_name, row_key,
      before, after
    from images`);
}

/**
 * Journals the relations and conflicts that go with memories, each once and whole, once everything else is as it shall be and right before
 * they go. Relations of a memory that moves to the cold table move along; conflicts have no place there.
 * @returns how many
 */
export async function journalHanging(
  tx: Transaction,
  input: JournalInput,
): Promise<{ relations: number; conflicts: number }> {
  const idOf = new Map(input.pairs.map(({ target, id }) => [target, id]));
  const deleted = input.plan.deletes.filter(({ table }) => table === 'memories');
  const leaving = [...deleted, ...input.plan.moves].map(({ ids, set }) => ({
    id: idOf.get(set),
    memory: ids.id!,
  }));
  if (leaving.length === 0) return { relations: 0, conflicts: 0 };
  const gone = uuidArray(deleted.map(({ ids }) => ids.id!));
  const all = uuidArray(leaving.map(({ memory }) => memory));
  const [row] = await tx.rows<{ relations: number; conflicts: number }>(sql`
    with leaving as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(leaving)}::jsonb) as r(id uuid, memory uuid)
    ), hanging as (
      select 'relations' as table_name, jsonb_build_object('source_id', r.source_id, 'target_id', r.target_id,
        'relation_type', r.relation_type) as row_key, to_jsonb(r) as image, r.source_id as one, r.target_id as other
      from slowwave.relations r
      where ${owned(input, 'r')} and (r.source_id = any(${gone}) or r.target_id = any(${gone}))
      union all
      select 'conflicts', jsonb_build_object('id', k.id), to_jsonb(k), k.a_id, k.b_id
      from slowwave.conflicts k where ${owned(input, 'k')} and (k.a_id = any(${all}) or k.b_id = any(${all}))
    ), going as (
      select distinct on (h.table_name, h.row_key) l.id, h.table_name, h.row_key, h.image
      from hanging h join leaving l on l.memory in (h.one, h.other)
      order by h.table_name, h.row_key, l.id
    ), journalled as (
      insert into slowwave.changes (tenant, user_id, change_set_id, position, table_name, row_key, before)
      select ${input.tenant}, ${input.user}, g.id, row_number() over (partition by g.id order by g.table_name, g.row_key) + (
          select coalesce(max(c.position), 0) from slowwave.changes c where ${owned(input, 'c')} and c.change_set_id = g.id),
        g.table_name, g.row_key, g.image
      from going g
    )
    select count(*) filter (where table_name = 'relations')::int as relations,
      count(*) filter (where table_name = 'conflicts')::int as conflicts
    from going`);
  return row!;
}

/** Rows that come back, as one JSON text. */
function addedOf(plan: UndoPlan, of: { tenant: string; user: string }, idOf: Map<string, string>): string {
  const rows = plan.inserts.map(({ table, ids, set, row }) => {
    const head = JSON.stringify({ id: idOf.get(set), table, key: ids });
    return `${head.slice(0, -1)},"image":${rawRow(row, { tenant: of.tenant, user_id: of.user, ...ids })}}`;
  });
  return `[${rows.join(',')}]`;
}
