import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import type { WorkspaceKey } from './key.ts';

/** A memory that a run made, as a diary may tell of it. */
export interface NightMemory {
  id: string;
  content: string;
  /** Memories that it was made of; 0 for one that the assistant made by itself. */
  sources: number;
}

/** What one run of a tier did to a user's memories. Texts are of memories that stand, in this workspace or in none. */
export interface Night {
  /** Fusions that were applied. */
  fused: number;
  /** Duplicates that were made one. */
  merged: number;
  /** Pairs that were found to disagree. */
  conflicts: number;
  /** Of them, those that wait for a person. */
  open: number;
  /** Connections between memories that were thought of. */
  connected: number;
  /** Observations of the assistant's own. */
  reflected: number;
  /** What was made by fusion, the most important first. */
  derived: NightMemory[];
  /** What was made by reflection. */
  observations: NightMemory[];
}

/** Of each kind. */
const TEXTS_MAX = 20;

/** What a run did, for the diary of a workspace. One statement. */
export async function readNight(tx: Transaction, key: WorkspaceKey, runId: string): Promise<Night> {
  const [row] = await tx.rows<Night>(sql`
    with applied as materialized (
      select f.kind, f.derived_id as id,
        (select count(*)::int from slowwave.fusion_sources s where ${owned(key, 's')} and s.fusion_key = f.key) as sources
      from slowwave.fusions f where ${owned(key, 'f')} and f.run_id = ${runId}::uuid and f.status = 'applied'
    ), changed as materialized (
      select s.kind, c.table_name, c.row_key->>'id' as id
      from slowwave.change_sets s
      join slowwave.changes c on ${owned(key, 'c')} and c.change_set_id = s.id and c.before is null
      where ${owned(key, 's')} and s.run_id = ${runId}::uuid and s.kind in ('rem', 'reflection') and s.undone_by is null
    ), made as materialized (
      select m.id, m.content, m.importance, t.sources, t.kind
      from (select id::text, sources, 'fusion' as kind from applied where kind = 'fusion'
        union all select id, 0, 'reflection' from changed where kind = 'reflection' and table_name = 'memories') t
      join slowwave.memories m on ${owned(key, 'm')} and m.id = t.id::uuid
      where m.is_latest and m.archived_at is null and (m.workspace is null or m.workspace = ${key.workspace})
    ), ranked as (
      select *, row_number() over (partition by kind order by importance desc, id) as place from made
    )
    select (select count(*)::int from applied where kind = 'fusion') as fused,
      (select count(*)::int from applied where kind = 'merge') as merged,
      (select count(*)::int from slowwave.conflicts c where ${owned(key, 'c')} and c.run_id = ${runId}::uuid) as conflicts,
      (select count(*)::int from slowwave.conflicts c where ${owned(key, 'c')} and c.run_id = ${runId}::uuid and c.status = 'open') as open,
      (select count(*)::int from changed where kind = 'rem' and table_name = 'relations') as connected,
      (select count(*)::int from changed where kind = 'reflection' and table_name = 'memories') as reflected,
      ${told('fusion')} as derived, ${told('reflection')} as observations`);
  return row!;
}

const told = (kind: 'fusion' | 'reflection') => sql`
  (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'content', r.content, 'sources', r.sources) order by r.place), '[]')
    from ranked r where r.kind = ${kind} and r.place <= ${TEXTS_MAX})`;
