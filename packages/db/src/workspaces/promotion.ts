import type { MemoryCategory, MemoryType } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { JOIN_SIDES, SIDES_ALIVE } from '../conflicts/columns.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { requireNumber, requireTime } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { prominenceOf } from '../memories/candidates.ts';
import { inWorkspace, type WorkspaceKey } from './key.ts';

/** confirmed: at least once. recalled: on at least 2 UTC days. important: importance of at least 7. One of them is enough. */
export const PROMOTION_GATES = ['confirmed', 'recalled', 'important'] as const;
export type PromotionGate = (typeof PROMOTION_GATES)[number];

export const RECALL_DAYS_MIN = 2;
export const IMPORTANCE_MIN = 7;
const PROMOTED_MAX = 1_000;

export interface Promotable {
  id: string;
  content: string;
  contentHash: string;
  category: MemoryCategory;
  memoryType: MemoryType;
  /** Null: of no workspace. */
  workspace: string | null;
  /** Epoch ms. */
  documentDate: number;
  importance: number;
  confidence: number;
  confirmations: number;
  /** UTC days on which it was recalled. */
  recallDays: number;
  /** At the instant that was asked for. */
  prominence: number;
  /** Those that it passes. */
  gates: PromotionGate[];
  /** Files of this workspace in which it stands in the user's own words, as far as the ledger knows. */
  paths: string[];
}

export interface Promotion {
  /** Memories that were looked at. */
  considered: number;
  /** How many pass each gate; one memory may pass several. */
  gates: Record<PromotionGate, number>;
  /** Passes at least one. */
  passed: number;
  /** Passes none. */
  held: number;
  /** Left out before that, since they are in an open conflict. */
  disputed: number;
  /** Left out before that: what the assistant made of its own words, its reflections among them. */
  thoughts: number;
  /** Those that pass, by prominence × confidence, the highest first; equal ones by id. */
  memories: Promotable[];
}

/**
 * What a projection may promote: latest memories of the workspace's user that are not archived, of this workspace or none, without an open
 * conflict, that pass a gate; never what the assistant thought by itself. One statement.
 * @param options.at epoch ms
 * @param options.limit most memories returned; the counts are of all
 * @throws InputError
 */
export async function promotable(
  tx: Transaction,
  key: WorkspaceKey,
  options: { at: number; limit: number },
): Promise<Promotion> {
  requireTime(options.at, 'at');
  requireNumber(options.limit, 'limit', { min: 0, max: PROMOTED_MAX, whole: true });
  const [row] = await tx.rows<Promotion>(sql`
    with disputed as materialized (
      select s.id from slowwave.conflicts c ${JOIN_SIDES} cross join lateral (values (c.a_id), (c.b_id)) as s(id)
      where ${owned(key, 'c')} and c.status = 'open' and ${SIDES_ALIVE}
    ), alive as materialized (
      select m.*, ${prominenceOf(options.at)} as prominence, m.id in (select id from disputed) as disputed,
        m.learned_from = 'self_reflection' or (m.memory_type = 'derived' and m.origin = 'assistant') as thought
      from slowwave.memories m
      where ${owned(key, 'm')} and m.is_latest and m.archived_at is null and (m.workspace is null or m.workspace = ${key.workspace})
    ), recalled as materialized (
      select h.memory_id as id, count(distinct (e.recalled_at at time zone 'UTC')::date)::int as days
      from slowwave.recall_hits h
      join slowwave.recall_events e on ${owned(key, 'e')} and e.id = h.event_id
      where ${owned(key, 'h')} and e.recalled_at <= ${instantOf(options.at)}
      group by h.memory_id
    ), judged as materialized (
      select a.*, coalesce(r.days, 0) as days, a.confirmations > 0 as confirmed,
        coalesce(r.days, 0) >= ${RECALL_DAYS_MIN} as recalled, a.importance >= ${IMPORTANCE_MIN} as important
      from alive a left join recalled r using (id) where not a.disputed and not a.thought
    ), chosen as (
      select j.* from judged j where j.confirmed or j.recalled or j.important
      order by j.prominence * j.confidence desc, j.id limit ${options.limit}
    )
    select count(*)::int as considered,
      jsonb_build_object('confirmed', count(*) filter (where confirmed), 'recalled', count(*) filter (where recalled),
        'important', count(*) filter (where important)) as gates,
      count(*) filter (where confirmed or recalled or important)::int as passed,
      count(*) filter (where not (confirmed or recalled or important))::int as held,
      (select count(*)::int from alive where disputed) as disputed,
      (select count(*)::int from alive where thought and not disputed) as thoughts,
      (select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'content', m.content, 'contentHash', m.content_hash,
          'category', m.category, 'memoryType', m.memory_type, 'workspace', m.workspace, 'documentDate', ${msOf('m.document_date')},
          'importance', m.importance, 'confidence', m.confidence, 'confirmations', m.confirmations, 'recallDays', m.days,
          'prominence', m.prominence, 'gates', array_remove(array[case when m.confirmed then 'confirmed' end,
            case when m.recalled then 'recalled' end, case when m.important then 'important' end], null),
          'paths', (select coalesce(jsonb_agg(distinct b.path), '[]') from slowwave.import_blocks b
            where ${inWorkspace(key, 'b')} and b.memory_id = m.id and b.state in ('imported', 'known')))
          order by m.prominence * m.confidence desc, m.id), '[]') from chosen m) as memories
    from judged`);
  return row!;
}
