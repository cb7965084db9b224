import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf, msOf } from '../instants.ts';
import type { Dependent } from './errors.ts';
import type { UndoPlan } from './plan.ts';
import type { RootSet } from './targets.ts';

/** A row that is not as it was left. `columns` null: it is there, or not there. */
export interface Obstacle {
  id: string;
  columns: string[] | null;
  /** The fusion that stands on it, when it is one. */
  fusionKey: string | null;
}

interface Input {
  tenant: string;
  user: string;
  /** What is taken back. */
  targets: readonly string[];
  roots: readonly RootSet[];
  /** Of the fusions that are redone. */
  redone: readonly string[];
}

const CONTENT = ['content', 'content_hash'];

/** Ids of a plan's memories, by what is to happen to them. */
export function memoriesOf(plan: UndoPlan) {
  const ids = (rows: readonly { table: string; ids: Record<string, string> }[]) =>
    rows.flatMap((row) => (row.table === 'memories' ? [row.ids.id!] : []));
  const changed = (column: string) => plan.updates.filter(({ patch }) => patch.has(column));
  return {
    updated: ids(plan.updates),
    inserted: ids(plan.inserts),
    deleted: ids(plan.deletes),
    moved: plan.moves.map((row) => row.ids.id!),
    /** They will have another successor, or none. */
    rewired: ids(changed('superseded_by')),
    /** They will say something else. */
    reworded: ids(plan.updates.filter(({ patch }) => CONTENT.some((column) => patch.has(column)))),
    versioned: ids(plan.updates.filter((row) => row.versioned)),
    /** They will be put away by being superseded or archived. */
    shelved: ids(
      plan.updates.filter(
        ({ patch }) => patch.get('is_latest') === 'false' || (patch.get('archived_at') ?? 'null') !== 'null',
      ),
    ),
  };
}

/** What the rows themselves do not tell: who refers to a memory that would go, and what a row that would come back refers to. */
export async function findObstacles(tx: Transaction, input: Input, plan: UndoPlan): Promise<Obstacle[]> {
  const broken = plan.broken.flatMap(({ table, ids, columns }): Obstacle[] =>
    table === 'relations'
      ? [ids.source_id!, ids.target_id!].map((id) => ({ id, columns: null, fusionKey: null }))
      : [{ id: ids.id!, columns, fusionKey: null }],
  );
  // Where the rows themselves do not fit, there is no plan to look at.
  if (broken.length > 0) return broken;
  const memories = memoriesOf(plan);
  const keys = input.roots.flatMap(({ fusionKey }) => (fusionKey === null ? [] : [fusionKey]));
  const ends = plan.inserts.flatMap(({ table, ids, row }) => {
    if (table === 'relations') return [ids.source_id!, ids.target_id!];
    const names = table === 'conflicts' ? ['a_id', 'b_id'] : ['superseded_by'];
    return names.flatMap((name) => {
      const value: unknown = JSON.parse(row.get(name) ?? 'null');
      return typeof value === 'string' ? [value] : [];
    });
  });
  const involved = [...input.targets, ...input.roots.map(({ id }) => id)];
  const own = sql`${`{${keys.join(',')}}`}::text[]`;
  // Words are changed by edits: what it stood for before that, it stood for with other words.
  const edits = input.roots.filter(({ kind }) => kind === 'edit');
  const since = instantOf(
    Math.min(...(edits.length > 0 ? edits : input.roots).map(({ createdAt }) => createdAt)),
  );
  return tx.rows<Obstacle>(sql`
    -- Others name it as what stands for them.
    select n.id, '["superseded_by"]'::jsonb as columns, null::text as "fusionKey" from slowwave.memories n
    where ${owned(input, 'n')} and n.superseded_by = any(${uuidArray([...memories.deleted, ...memories.moved])})
      and n.id <> all(${uuidArray(memories.rewired)}) and n.id <> all(${uuidArray([...memories.deleted, ...memories.moved])})
    union all
    -- It has no reason any more to go back to the cold table.
    select m.id, '["is_latest"]', null from slowwave.memories m
    where ${owned(input, 'm')} and m.id = any(${uuidArray(memories.moved)}) and m.id <> all(${uuidArray(memories.shelved)})
      and m.is_latest and m.archived_at is null
    union all
    -- A later fusion was made of it.
    select s.memory_id, null, f.key from slowwave.fusion_sources s
    join slowwave.fusions f on ${owned(input, 'f')} and f.key = s.fusion_key
    where ${owned(input, 's')} and s.memory_id = any(${uuidArray(memories.deleted)}) and f.status = 'applied'
      and f.key <> all(${own})
    union all
    -- It came to stand for others as it is now.
    select n.id, '["superseded_by"]', null from slowwave.memories n
    where ${owned(input, 'n')} and n.superseded_by = any(${uuidArray(memories.reworded)})
      and exists (
        select 1 from slowwave.changes c join slowwave.change_sets s on ${owned(input, 's')} and s.id = c.change_set_id
        where ${owned(input, 'c')} and c.table_name = 'memories' and c.row_key->>'id' = n.id::text
          and c.after->>'superseded_by' = n.superseded_by::text and s.undone_by is null and s.kind not in ('undo', 'redo')
          and s.created_at >= ${since} and s.id <> all(${uuidArray(involved)}))
    union all
    -- What would come back refers to something that is not there.
    select e.id, null, null from unnest(${uuidArray(ends)}) e(id)
    where e.id <> all(${uuidArray(memories.inserted)})
      and not exists (select 1 from slowwave.memories m where ${owned(input, 'm')} and m.id = e.id)
    union all
    -- A fusion was made of other words than its sources have now.
    select m.id, '["content"]', null from slowwave.fusion_sources s
    join slowwave.memories m on ${owned(input, 'm')} and m.id = s.memory_id
    where ${owned(input, 's')} and s.fusion_key = any(${`{${input.redone.join(',')}}`}::text[])
      and m.id = any(${uuidArray(memories.rewired)}) and m.id <> all(${uuidArray(memories.reworded)})
      and m.content_hash <> s.content_hash`);
}

/** Change sets that nobody took back and that made the obstacles, newest first. */
export async function findDependents(
  tx: Transaction,
  input: Input,
  obstacles: readonly Obstacle[],
): Promise<Dependent[]> {
  const wanted = obstacles.map(({ id, columns }) => ({ id, columns }));
  const keys = obstacles.flatMap(({ fusionKey }) => (fusionKey === null ? [] : [fusionKey]));
  const found = await tx.rows<Dependent>(sql`
    with wanted as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as r(id text, columns jsonb)
    ), touching as (
      select c.change_set_id, c.row_key->>'id' as id, c.table_name, c.before, c.after from slowwave.changes c
      where ${owned(input, 'c')} and c.row_key->>'id' = any(array(select id from wanted))
        and c.change_set_id <> all(${uuidArray(input.targets)})
    ), blocking as (
      select t.change_set_id, case when t.table_name = 'memories' then t.id end as id
      from touching t join wanted w on w.id = t.id join slowwave.change_sets s on ${owned(input, 's')} and s.id = t.change_set_id
      where s.undone_by is null and s.kind <> 'redo' and (
        (t.after is null and (w.columns is null or w.columns = 'null'))
        or (s.kind <> 'undo' and w.columns is not null and w.columns <> 'null' and exists (
          select 1 from jsonb_array_elements_text(w.columns) k where t.before->k is distinct from t.after->k)))
      union
      select s.id, p.memory_id::text from slowwave.change_sets s
      join slowwave.fusion_sources p on ${owned(input, 'p')} and p.fusion_key = s.fusion_key
      where ${owned(input, 's')} and s.fusion_key = any(${`{${keys.join(',')}}`}::text[]) and s.kind in ('fusion', 'merge')
        and s.undone_by is null and p.memory_id::text = any(array(select id from wanted))
    )
    select s.id as "changeSetId", s.kind, s.fusion_key as "fusionKey", s.run_id as "runId", ${msOf('s.created_at')} as "createdAt",
      coalesce(jsonb_agg(distinct b.id) filter (where b.id is not null), '[]') as "memoryIds"
    from slowwave.change_sets s join blocking b on b.change_set_id = s.id
    where ${owned(input, 's')}
    group by s.id, s.kind, s.fusion_key, s.run_id, s.created_at
    order by s.created_at desc, s.id desc
    limit 100`);
  const since = Math.min(...input.roots.map(({ createdAt }) => createdAt));
  const later = found.filter(({ createdAt }) => createdAt >= since);
  // A clock that was set back must not hide what stands in the way.
  return later.length > 0 ? later : found;
}
