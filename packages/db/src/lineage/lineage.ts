import type { LearnedFrom, MemoryType, Origin } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { msOf } from '../instants.ts';
import { addressed } from '../memories/addressed.ts';
import type { FusionKind } from '../schema/ledger.ts';
import { LINEAGE_DEPTH_MAX } from '../words.ts';

export { LINEAGE_DEPTH_MAX };

/** Memories that one answer goes through in all. */
export const LINEAGE_NODES_MAX = 500;

/** A fusion or merge. */
export interface LineageFusion {
  key: string;
  kind: FusionKind;
  /** applied, undone, forgotten, … */
  status: string;
  runId: string | null;
  /** When it last changed, epoch ms. */
  at: number;
}

/** A memory within a lineage. What is null of a memory that is gone is not known any more. */
export interface LineageNode {
  id: string;
  /** here; cold: moved to the cold table; forgotten: removed on request; gone: taken away, by an undo or otherwise. */
  state: 'here' | 'cold' | 'forgotten' | 'gone';
  content: string | null;
  memoryType: MemoryType | null;
  isLatest: boolean;
  origin: Origin | null;
  learnedFrom: LearnedFrom | null;
  /** 0 to 1; of a derived memory at most the least of what it was made of. */
  trust: number | null;
  createdAt: number | null;
  supersededBy: string | null;
  /** What made it; for a memory that a merge kept, that merge. */
  fusion: LineageFusion | null;
  /** What was made of it, undone ones and refused ones included. */
  parts: (LineageFusion & { superseded: boolean })[];
  /** Conversations that it rests on. */
  sessions: string[];
}

/** derives: fused from it; updates: superseded it otherwise; edited: a person made it from it. */
export type LineageLink = 'derives' | 'updates' | 'edited';

/** A memory with what it is made of, or with what was made of it, step by step. */
export interface LineageBranch extends LineageNode {
  how: LineageLink;
  next: LineageBranch[];
}

export interface Lineage extends LineageNode {
  madeOf: LineageBranch[];
  madeInto: LineageBranch[];
  /** There is more than was gone through. */
  truncated: boolean;
}

interface Step {
  id: string;
  parent: string;
  how: LineageLink;
  depth: number;
}

interface Owner {
  tenant: string;
  user: string;
}

/**
 * What a memory is made of and what was made of it, in one statement.
 * @param input.id our id, or the writer's own
 * @param input.depth steps in either direction, at most LINEAGE_DEPTH_MAX
 * @returns null when there is no such memory
 */
export async function lineageOf(
  tx: Transaction,
  input: Owner & { id: string; depth?: number | undefined },
): Promise<Lineage | null> {
  const depth = Math.max(0, Math.min(LINEAGE_DEPTH_MAX, Math.floor(input.depth ?? LINEAGE_DEPTH_MAX)));
  const [row] = await tx.rows<{ start: string | null; down: Step[]; up: Step[]; nodes: LineageNode[] }>(sql`
    with recursive start as materialized (
      select ${addressed(input)} as id
    ), down as (${walk('down', depth, sources(input))}
    ), up as (${walk('up', depth, successors(input))}
    ), steps as materialized (
      select d.*, true as downward from (select * from down limit ${LINEAGE_NODES_MAX + 1}) d
      union all
      select u.*, false from (select * from up limit ${LINEAGE_NODES_MAX + 1}) u
    ), ids as materialized (
      select distinct id from steps where id is not null
    ), makers as materialized (
      select f.* from slowwave.fusions f
      where ${owned(input, 'f')} and f.status = 'applied' and f.derived_id = any(array(select id from ids))
    )
    select (select id from start) as start,
      (select coalesce(jsonb_agg(to_jsonb(s) - 'path' order by s.depth, s.id) filter (where s.depth > 0), '[]')
        from steps s where s.downward) as down,
      (select coalesce(jsonb_agg(to_jsonb(s) - 'path' order by s.depth, s.id) filter (where s.depth > 0), '[]')
        from steps s where not s.downward) as up,
      (select coalesce(jsonb_agg(${nodeOf(input)}), '[]') from ids i
        left join slowwave.memories m on ${owned(input, 'm')} and m.id = i.id
        left join slowwave.cold_memories c on ${owned(input, 'c')} and c.id = i.id) as nodes`);
  if (!row?.start) return null;
  return assemble(row.start, row);
}

/** A walk that never comes back to where it was. */
function walk(name: 'down' | 'up', depth: number, edges: SQL): SQL {
  return sql`
      select s.id, null::uuid as parent, null::text as how, 0 as depth, array[s.id] as path from start s
      union all
      select e.id, w.id, e.how, w.depth + 1, w.path || e.id
      from ${sql.raw(name)} w cross join lateral (${edges}) e
      where w.depth < ${depth} and e.id is not null and e.id <> all(w.path)`;
}

/** Lineage relations; what metadata tells where the row that the relation led to has gone; and whatever else it superseded. */
function sources(of: Owner): SQL {
  return sql`
      select distinct on (x.id) x.id, x.how from (
        select r.target_id as id, 'derives' as how, 0 as rank from slowwave.relations r
        where ${owned(of, 'r')} and r.source_id = w.id and r.relation_type = 'DERIVES'
        union all
        select k.id::uuid, 'derives', 1 from slowwave.memories m
        cross join lateral jsonb_array_elements_text(
          case when jsonb_typeof(m.metadata->'sourceIds') = 'array' then m.metadata->'sourceIds' else '[]' end) k(id)
        where ${owned(of, 'm')} and m.id = w.id and m.memory_type in ('derived', 'superseded') and k.id ~ '^[0-9a-f-]{36}$'
        union all
        select n.id, 'updates', 2 from slowwave.memories n where ${owned(of, 'n')} and n.superseded_by = w.id
        union all
        select k.id::uuid, 'edited', 3 from slowwave.memories m
        cross join lateral jsonb_array_elements_text(case when jsonb_typeof(m.metadata#>'{editedFrom,sources}') = 'array'
          then m.metadata#>'{editedFrom,sources}' else '[]' end) k(id)
        where ${owned(of, 'm')} and m.id = w.id and k.id ~ '^[0-9a-f-]{36}$'
      ) x order by x.id, x.rank`;
}

function successors(of: Owner): SQL {
  return sql`
      select distinct on (x.id) x.id, x.how from (
        select r.source_id as id, 'derives' as how, 0 as rank from slowwave.relations r
        where ${owned(of, 'r')} and r.target_id = w.id and r.relation_type = 'DERIVES'
        union all
        select n.superseded_by, 'updates', 1 from slowwave.memories n where ${owned(of, 'n')} and n.id = w.id
      ) x order by x.id, x.rank`;
}

function nodeOf(of: Owner): SQL {
  const fusion = sql`jsonb_build_object('key', f.key, 'kind', f.kind, 'status', f.status, 'runId', f.run_id,
    'at', ${msOf('f.updated_at')})`;
  return sql`jsonb_build_object('id', i.id,
    'state', case when m.id is not null then 'here' when c.id is not null then 'cold'
      when exists (select 1 from slowwave.tombstones t where ${owned(of, 't')} and t.memory_id = i.id) then 'forgotten' else 'gone' end,
    'content', coalesce(m.content, c.memory->>'content'), 'memoryType', coalesce(m.memory_type, c.memory->>'memory_type'),
    'isLatest', coalesce(m.is_latest, false), 'origin', coalesce(m.origin, c.memory->>'origin'),
    'learnedFrom', coalesce(m.learned_from, c.memory->>'learned_from'),
    'trust', coalesce(m.trust, (c.memory->>'trust')::float8),
    'createdAt', coalesce(${msOf('m.created_at')}, ${msOf("(c.memory->>'created_at')::timestamptz")}),
    'supersededBy', coalesce(m.superseded_by, (c.memory->>'superseded_by')::uuid),
    'fusion', (select ${fusion} from makers f where f.derived_id = i.id
      order by f.kind, f.updated_at desc limit 1),
    'parts', (select coalesce(jsonb_agg(${fusion} || jsonb_build_object('superseded', s.superseded) order by f.created_at, f.key), '[]')
      from slowwave.fusion_sources s join slowwave.fusions f on ${owned(of, 'f')} and f.key = s.fusion_key
      where ${owned(of, 's')} and s.memory_id = i.id),
    'sessions', case when jsonb_typeof(m.metadata->'sessionIds') = 'array' then m.metadata->'sessionIds' else '[]' end)`;
}

function assemble(start: string, found: { down: Step[]; up: Step[]; nodes: LineageNode[] }): Lineage {
  const nodes = new Map(found.nodes.map((node) => [node.id, node]));
  const budget = { left: LINEAGE_NODES_MAX };
  const madeOf = branches(start, found.down, nodes, budget, 1);
  const madeInto = branches(start, found.up, nodes, budget, 1);
  const truncated = budget.left < 0 || found.down.length + found.up.length > LINEAGE_NODES_MAX;
  return { ...nodes.get(start)!, madeOf, madeInto, truncated };
}

function branches(
  parent: string,
  steps: readonly Step[],
  nodes: ReadonlyMap<string, LineageNode>,
  budget: { left: number },
  depth: number,
): LineageBranch[] {
  const out: LineageBranch[] = [];
  for (const step of steps) {
    if (step.parent !== parent || step.depth !== depth) continue;
    if (--budget.left < 0) return out;
    const node = nodes.get(step.id)!;
    out.push({ ...node, how: step.how, next: branches(step.id, steps, nodes, budget, depth + 1) });
  }
  return out;
}
