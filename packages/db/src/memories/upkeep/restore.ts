import { sql } from 'drizzle-orm';
import { uuidArray } from '../../arrays.ts';
import type { Transaction } from '../../database.ts';
import { owned } from '../../fusions/scope.ts';
import { type ChangeSetEntry, imageOf, journalled } from '../../journal.ts';
import { MOVED_COLUMNS, memoryColumns, relationColumns, sourceColumns } from './cold.ts';

/**
 * Puts memories back from the cold table exactly as they were, with their part in fusions and their relations to memories that are
 * there. A relation to one that is still cold waits with that one. What superseded a memory comes back with it. A memory stays cold
 * when its successor is gone for good, when it was forgotten, or when another memory has its id or its writer's id by now. Journalled.
 * @param input.at epoch ms
 * @returns how many came back, successors included
 */
export async function restoreMemories(
  tx: Transaction,
  input: { tenant: string; user: string; ids: readonly string[]; at: number },
): Promise<number> {
  const restored = await bringBack(tx, input, { ...input, kind: 'restore', runId: null });
  return restored.length;
}

/** As restoreMemories. @param entry the change set to write; null when the caller journals @returns the ids of what came back */
export async function bringBack(
  tx: Transaction,
  input: { tenant: string; user: string; ids: readonly string[]; at: number },
  entry: ChangeSetEntry | null,
): Promise<string[]> {
  const hot = (id: string) => sql`exists (
    select 1 from slowwave.memories h where ${owned(input, 'h')} and h.id = ${sql.raw(id)})`;
  const [row] = await tx.rows<{ restored: string[] }>(sql`
    with recursive wanted as (
      select c.id, c.memory->>'external_id' as external_id, (c.memory->>'superseded_by')::uuid as successor
      from slowwave.cold_memories c where ${owned(input, 'c')} and c.id = any(${uuidArray(input.ids)})
      union
      select c.id, c.memory->>'external_id', (c.memory->>'superseded_by')::uuid
      from wanted w join slowwave.cold_memories c on ${owned(input, 'c')} and c.id = w.successor
    ), barred as (
      select w.id from wanted w
      where ${hot('w.id')}
        or exists (select 1 from slowwave.tombstones t where ${owned(input, 't')} and t.memory_id = w.id)
        or exists (select 1 from slowwave.memories h where ${owned(input, 'h')} and h.external_id = w.external_id)
        or (w.successor is not null and not ${hot('w.successor')} and not exists (select 1 from wanted o where o.id = w.successor))
      union
      select w.id from barred b join wanted w on w.successor = b.id
    ), coming as materialized (
      select c.* from slowwave.cold_memories c
      where ${owned(input, 'c')} and c.id = any(array(select id from wanted except select id from barred))
      order by c.id
      for update
    ), restored as (
      insert into slowwave.memories (${memoryColumns()})
      select ${memoryColumns('r')} from coming c cross join lateral jsonb_populate_record(null::slowwave.memories, c.memory) r
      returning id, ${imageOf('memories', MOVED_COLUMNS)} as image
    ), links as materialized (
      select distinct on (l.source_id, l.target_id, l.relation_type) l.*
      from coming c cross join lateral jsonb_populate_recordset(null::slowwave.relations, c.relations) l
    ), linked as (
      insert into slowwave.relations (${relationColumns()})
      select ${relationColumns('l')} from links l
      where (l.source_id in (select id from restored) or ${hot('l.source_id')})
        and (l.target_id in (select id from restored) or ${hot('l.target_id')})
      on conflict do nothing
    ), waiting as (
      select e.id, jsonb_agg(to_jsonb(l)) as list
      from links l cross join lateral (values (l.source_id), (l.target_id)) e(id)
      join slowwave.cold_memories c on ${owned(input, 'c')} and c.id = e.id
      where e.id not in (select id from coming)
        -- Both may have been moved together: then the other one has it already.
        and not c.relations @> jsonb_build_array(jsonb_build_object(
          'source_id', l.source_id, 'target_id', l.target_id, 'relation_type', l.relation_type))
      group by e.id
    ), handed as (
      update slowwave.cold_memories c set relations = c.relations || w.list
      from waiting w where ${owned(input, 'c')} and c.id = w.id
    ), parts as (
      insert into slowwave.fusion_sources (${sourceColumns()})
      select ${sourceColumns('s')} from coming c
      cross join lateral jsonb_populate_recordset(null::slowwave.fusion_sources, c.fusion_sources) s
      where exists (select 1 from slowwave.fusions f where ${owned(input, 'f')} and f.key = s.fusion_key)
      on conflict do nothing
    ), emptied as (
      delete from slowwave.cold_memories c using restored r where ${owned(input, 'c')} and c.id = r.id
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, null::jsonb as before, image as after from restored
    )${entry === null ? sql`` : sql`, ${journalled(entry)}`}
    select coalesce(jsonb_agg(id order by id), '[]') as restored from restored`);
  return row!.restored;
}
