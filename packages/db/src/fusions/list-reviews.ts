import type { MemoryCategory, Tier, Visibility } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { msOf } from '../instants.ts';
import { decodeCursor, type ListPage, pageOf } from '../paging.ts';
import { FUSION_MODEL, fusionsBehind } from './list.ts';

export const REVIEWS_PER_LIST_MAX = 200;
const CURSOR = { list: 'reviews', key: { at: 'instant', key: 'text' } } as const;

/** What waits for a person, as people look at it. Instants in epoch ms. */
export interface ReviewView {
  key: string;
  user: string;
  kind: 'fusion' | 'merge';
  tier: Tier;
  runId: string | null;
  /** The model that worded it; 'none' for a merge. */
  model: string;
  proposedAt: number;
  /** Decided by nobody until then, it is taken back. */
  expiresAt: number;
  /** What would be written; null for a merge, of which one memory stays as it is. */
  derived: {
    content: string;
    category: MemoryCategory;
    importance: number;
    confidence: number;
    trust: number;
    visibility: Visibility;
  } | null;
  /** In order of document date. `fate`: what approving does to it. */
  sources: {
    id: string;
    content: string;
    category: MemoryCategory;
    documentDate: number;
    fate: 'superseded' | 'confirmed' | 'kept';
    /** Changed since it was proposed: approving finds the proposal stale. */
    changed: boolean;
  }[];
}

interface ReviewFilter {
  tenant: string;
  /** Absent: everybody of the tenant. */
  user?: string | undefined;
  /** At most REVIEWS_PER_LIST_MAX, a larger one is cut. */
  limit: number;
}

const sizeOf = ({ limit }: ReviewFilter): number =>
  Math.max(1, Math.min(REVIEWS_PER_LIST_MAX, Math.floor(limit)));

/** What waits for a person, newest first. */
export function listReviews(tx: Transaction, filter: ReviewFilter): Promise<ReviewView[]> {
  return selectReviews(tx, filter, { limit: sizeOf(filter), after: null });
}

/** The same page by page. @throws InputError for a cursor of another list */
export async function pageReviews(
  tx: Transaction,
  filter: ReviewFilter & { cursor?: string | undefined },
): Promise<ListPage<ReviewView>> {
  const limit = sizeOf(filter);
  const after = decodeCursor(CURSOR, filter.cursor);
  const rows = await selectReviews(tx, filter, { limit: limit + 1, after });
  return pageOf(CURSOR, rows, limit, ({ proposedAt, key }) => ({ at: proposedAt, key }));
}

function selectReviews(
  tx: Transaction,
  filter: ReviewFilter,
  { limit, after }: { limit: number; after: { at: number; key: string } | null },
): Promise<ReviewView[]> {
  const { tenant } = filter;
  const whose = filter.user === undefined ? sql`true` : sql`f.user_id = ${filter.user}`;
  return tx.rows<ReviewView>(sql`
    with waiting as materialized (
      select f.* from slowwave.fusions f
      where f.tenant = ${tenant} and ${whose} and f.status = 'review'
        and ${after ? fusionsBehind(after) : sql`true`}
      order by f.updated_at desc, f.key
      limit ${limit}
    )
    select f.key, f.user_id as "user", f.kind, f.tier, f.run_id as "runId", ${FUSION_MODEL} as model,
      ${msOf('f.updated_at')} as "proposedAt", ${msOf('f.review_expires_at')} as "expiresAt",
      case when f.kind = 'fusion' then jsonb_build_object('content', f.proposal->'content', 'category', f.proposal->'category',
        'importance', f.proposal->'importance', 'confidence', f.proposal->'confidence', 'trust', f.proposal->'trust',
        'visibility', f.proposal->'visibility') end as derived,
      (select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'content', m.content, 'category', m.category,
          'documentDate', ${msOf('m.document_date')},
          'fate', case when f.kind = 'merge' then case when m.id = (f.proposal->>'keepId')::uuid then 'confirmed' else 'superseded' end
            when f.proposal->'coveredIds' ? m.id::text then 'superseded' else 'kept' end,
          'changed', not (m.is_latest and (f.kind <> 'merge' or m.archived_at is null) and m.version = s.version
            and m.content_hash = s.content_hash))
          order by s.position), '[]')
        from slowwave.fusion_sources s
        join slowwave.memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
        where s.tenant = f.tenant and s.user_id = f.user_id and s.fusion_key = f.key) as sources
    from waiting f
    order by f.updated_at desc, f.key`);
}
