import { type SQL, sql } from 'drizzle-orm';
import { uuidArray } from '../../arrays.ts';
import type { Transaction } from '../../database.ts';
import { owned } from '../../fusions/scope.ts';
import { instantOf } from '../../instants.ts';
import { type ChangeSetEntry, imageOf, journalled } from '../../journal.ts';
import { anyRow, type Question } from '../../questions.ts';
import { utilityOf } from './archive.ts';
import { MOVED_COLUMNS, wholeImage } from './cold.ts';

export interface PruneInput {
  tenant: string;
  user: string;
  /** Epoch ms. */
  at: number;
  runId: string | null;
  /** Superseded or archived for longer than this. */
  retentionMs: number;
  /** Most memories moved. */
  limit: number;
}

export interface PruneCounts {
  /** Superseded or archived for longer than the retention. */
  eligible: number;
  /** Of these: still named by a row that stays, part of an open fusion, or restored within the retention. */
  held: number;
  pruned: number;
}

/**
 * Moves what was superseded or archived long ago to the cold table, with its relations and its part in fusions; embeddings, neighbours
 * and what refers to it otherwise go with the row. Nothing is lost: see restoreMemories. A memory that another row names as its
 * successor moves after that row, in the same call. Journalled.
 */
export async function pruneMemories(tx: Transaction, input: PruneInput): Promise<PruneCounts> {
  const counts: PruneCounts = { eligible: 0, held: 0, pruned: 0 };
  for (;;) {
    const page = await pickMovable(tx, input, input.limit - counts.pruned);
    if (counts.pruned === 0) counts.eligible = page.eligible;
    counts.held = page.held;
    if (page.ids.length > 0) await moveToCold(tx, input, page.ids, { ...input, kind: 'prune' });
    counts.pruned += page.ids.length;
    // What has moved may have been all that held its successor back.
    if (!page.freeing || counts.pruned >= input.limit) return counts;
  }
}

/** Whether pruneMemories has anything to look at. */
export function askPrunable(input: Omit<PruneInput, 'runId' | 'limit'>): Question<boolean> {
  return anyRow(sql`select 1 from slowwave.memories m where ${eligibleOf(input)}`);
}

/** Superseded or archived for longer than the retention. */
function eligibleOf(input: Omit<PruneInput, 'runId' | 'limit'>): SQL {
  const before = instantOf(input.at - input.retentionMs);
  return sql`${owned(input, 'm')}
    and ((m.memory_type = 'superseded' and m.updated_at < ${before}) or m.archived_at < ${before})`;
}

/** Fusions that wait for an answer, a commit or a person need their sources where they are. */
function inOpenFusion(input: PruneInput): SQL {
  return sql`
    select s.memory_id from slowwave.fusion_sources s where ${owned(input, 's')} and s.live
    union all
    select s.memory_id from slowwave.fusions f
    join slowwave.fusion_sources s on ${owned(input, 's')} and s.fusion_key = f.key
    where ${owned(input, 'f')} and f.status = 'review'`;
}

/** Somebody brought it back for a reason, by restoring it or by undoing its move: it gets the whole retention again. */
function restoredLately(input: PruneInput): SQL {
  return sql`
    select (c.row_key->>'id')::uuid from slowwave.change_sets s
    join slowwave.changes c on ${owned(input, 'c')} and c.change_set_id = s.id
    where ${owned(input, 's')} and s.kind in ('restore', 'undo') and s.created_at >= ${instantOf(input.at - input.retentionMs)}
      and c.table_name = 'memories' and c.before is null`;
}

/** Finds what may move and locks it, so that nothing new refers to it until it is gone; the longest out of use first. */
async function pickMovable(
  tx: Transaction,
  input: PruneInput,
  limit: number,
): Promise<{ eligible: number; held: number; ids: string[]; freeing: boolean }> {
  const eligible = eligibleOf(input);
  const [row] = await tx.rows<{ eligible: number; free: number; ids: string[]; freeing: boolean }>(sql`
    with eligible as materialized (
      select m.id, m.superseded_by, least(m.archived_at, case when m.memory_type = 'superseded' then m.updated_at end) as since
      from slowwave.memories m where ${eligible}
    ), free as materialized (
      -- Lists without nulls, so that they are hashed whatever the planner guesses.
      select e.* from eligible e
      where not exists (select 1 from slowwave.memories n where ${owned(input, 'n')} and n.superseded_by = e.id)
        and not exists (select 1 from slowwave.cold_memories c where ${owned(input, 'c')} and c.id = e.id)
        and e.id not in (${inOpenFusion(input)}) and e.id not in (${restoredLately(input)})
    ), picked as (
      select m.id, m.superseded_by from slowwave.memories m
      where ${eligible} and m.id = any(array(select id from free order by since, id limit ${limit}))
      order by m.id
      for update
    )
    select (select count(*)::int from eligible) as eligible, (select count(*)::int from free) as free,
      coalesce(jsonb_agg(id order by id), '[]') as ids,
      coalesce(bool_or(superseded_by in (select id from eligible)), false) as freeing
    from picked`);
  const { free, ...page } = row!;
  return { ...page, held: page.eligible - free };
}

/**
 * Copies rows that are locked, with what hangs on them, and removes them; one statement whatever their number. Conflicts have no place
 * in the cold table: the journal keeps them.
 * @param entry the change set to write; null when the caller journals
 */
export async function moveToCold(
  tx: Transaction,
  input: { tenant: string; user: string; at: number },
  moving: readonly string[],
  entry: ChangeSetEntry | null,
): Promise<void> {
  const ids = uuidArray(moving);
  await tx.rows(sql`
    with leaving as materialized (
      select m.id, ${wholeImage('m')} as memory, ${utilityOf(input.at)} as utility, ${imageOf('m', MOVED_COLUMNS)} as image
      from slowwave.memories m where ${owned(input, 'm')} and m.id = any(${ids})
    ), ends as (
      select r.source_id as id, to_jsonb(r) as relation from slowwave.relations r
      where ${owned(input, 'r')} and r.source_id = any(${ids})
      union all
      select r.target_id, to_jsonb(r) from slowwave.relations r where ${owned(input, 'r')} and r.target_id = any(${ids})
    ), links as (
      select id, jsonb_agg(relation) as list from ends group by id
    ), parts as (
      select s.memory_id as id, jsonb_agg(to_jsonb(s)) as list from slowwave.fusion_sources s
      where ${owned(input, 's')} and s.memory_id = any(${ids}) group by s.memory_id
    ), kept as (
      insert into slowwave.cold_memories (tenant, user_id, id, memory, relations, fusion_sources, utility, pruned_at)
      select ${input.tenant}, ${input.user}, l.id, l.memory, coalesce(links.list, '[]'), coalesce(parts.list, '[]'), l.utility,
        ${instantOf(input.at)}
      from leaving l left join links using (id) left join parts using (id)
    ), removed as (
      delete from slowwave.memories m where ${owned(input, 'm')} and m.id = any(${ids})
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, image as before, null::jsonb as after from leaving
      union all
      select 'conflicts', jsonb_build_object('id', k.id), to_jsonb(k), null from slowwave.conflicts k
      where ${owned(input, 'k')} and (k.a_id = any(${ids}) or k.b_id = any(${ids}))
    )${entry === null ? sql`` : sql`, ${journalled(entry)}`}
    select 1`);
}
