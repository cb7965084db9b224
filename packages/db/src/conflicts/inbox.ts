import type { ConflictType, LearnedFrom, MemoryCategory, MemoryType, Origin } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { requireNumber } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { decodeCursor, type ListPage, pageOf } from '../paging.ts';
import { CONFLICT_LIST_MAX } from '../words.ts';
import {
  type ConflictSettler,
  type ConflictSource,
  type ConflictStatus,
  JOIN_SIDES,
  type Owner,
  SIDES_ALIVE,
} from './columns.ts';
import { requireUuid } from './require-uuid.ts';

export { CONFLICT_LIST_MAX };

const CURSOR = { list: 'conflicts', key: { at: 'instant', id: 'uuid' } } as const;

/** One of the two, with what a person needs to decide. Times in epoch ms. */
export interface ConflictSideView {
  id: string;
  externalId: string | null;
  content: string;
  category: MemoryCategory;
  memoryType: MemoryType;
  /** Who said it, where, and how it came to be known. */
  origin: Origin;
  session: string | null;
  learnedFrom: LearnedFrom;
  trust: number;
  confirmations: number;
  /** When it was said; and when it is true. */
  documentDate: number;
  eventDate: number | null;
  validFrom: number | null;
  validTo: number | null;
  isLatest: boolean;
}

/** A conflict as people look at it. Times in epoch ms. */
export interface ConflictView {
  id: string;
  user: string;
  status: ConflictStatus;
  /** Null until it is labelled. */
  type: ConflictType | null;
  source: ConflictSource;
  /** The question that both answer, and why they disagree: a model's words. */
  slot: string | null;
  description: string | null;
  confidence: number | null;
  /** The side that alone stays out of fusion, being less trusted; null: both. */
  accuser: string | null;
  winner: string | null;
  resolution: string | null;
  resolvedBy: ConflictSettler | null;
  actor: string | null;
  detectedAt: number;
  resolvedAt: number | null;
  /** One of the two was superseded or says something else by now. */
  stale: boolean;
  a: ConflictSideView;
  b: ConflictSideView;
}

function sideView(alias: 'a' | 'b'): SQL {
  const m = (column: string): SQL => sql.raw(`${alias}.${column}`);
  const at = (column: string): SQL => msOf(`${alias}.${column}`);
  return sql`jsonb_build_object('id', ${m('id')}, 'externalId', ${m('external_id')}, 'content', ${m('content')},
    'category', ${m('category')}, 'memoryType', ${m('memory_type')}, 'origin', ${m('origin')}, 'session', ${m('session')},
    'learnedFrom', ${m('learned_from')}, 'trust', ${m('trust')}, 'confirmations', ${m('confirmations')},
    'documentDate', ${at('document_date')}, 'eventDate', ${at('event_date')}, 'validFrom', ${at('valid_from')},
    'validTo', ${at('valid_to')}, 'isLatest', ${m('is_latest')})`;
}

const VIEW: SQL = sql`c.id, c.user_id as "user", c.status, c.type, c.source, c.slot, c.description, c.confidence, c.accuser, c.winner,
  c.resolution, c.resolved_by as "resolvedBy", c.actor, ${msOf('c.detected_at')} as "detectedAt",
  ${msOf('c.resolved_at')} as "resolvedAt", not ${SIDES_ALIVE} as stale, ${sideView('a')} as a, ${sideView('b')} as b`;

interface ConflictFilter {
  tenant: string;
  /** Absent: everybody of the tenant. */
  user?: string | undefined;
  /** Absent: all of them. */
  status?: ConflictStatus | undefined;
  /** At most CONFLICT_LIST_MAX. */
  limit: number;
}

/** Conflicts with both texts, the newest first. @throws InputError `out_of_range` for a limit above CONFLICT_LIST_MAX */
export function listConflicts(tx: Transaction, of: ConflictFilter): Promise<ConflictView[]> {
  requireNumber(of.limit, 'limit', { min: 1, max: CONFLICT_LIST_MAX, whole: true });
  return selectConflicts(tx, of, { limit: of.limit, after: null });
}

/** The same page by page. @throws InputError for a cursor of another list, and as listConflicts */
export async function pageConflicts(
  tx: Transaction,
  of: ConflictFilter & { cursor?: string | undefined },
): Promise<ListPage<ConflictView>> {
  requireNumber(of.limit, 'limit', { min: 1, max: CONFLICT_LIST_MAX, whole: true });
  const after = decodeCursor(CURSOR, of.cursor);
  const rows = await selectConflicts(tx, of, { limit: of.limit + 1, after });
  return pageOf(CURSOR, rows, of.limit, ({ detectedAt, id }) => ({ at: detectedAt, id }));
}

function selectConflicts(
  tx: Transaction,
  of: ConflictFilter,
  { limit, after }: { limit: number; after: { at: number; id: string } | null },
): Promise<ConflictView[]> {
  const whose = of.user === undefined ? sql`true` : sql`c.user_id = ${of.user}`;
  const which = of.status === undefined ? sql`true` : sql`c.status = ${of.status}`;
  const behind = after ? sql`(c.detected_at, c.id) < (${instantOf(after.at)}, ${after.id}::uuid)` : sql`true`;
  return tx.rows(sql`
    select ${VIEW} from slowwave.conflicts c ${JOIN_SIDES}
    where c.tenant = ${of.tenant} and ${whose} and ${which} and ${behind}
    order by c.detected_at desc, c.id desc
    limit ${limit}`);
}

/** One conflict, or null. @throws InputError when the id is no UUID */
export async function getConflict(tx: Transaction, of: Owner & { id: string }): Promise<ConflictView | null> {
  requireUuid(of.id, 'id');
  const [row] = await tx.rows<ConflictView>(sql`
    select ${VIEW} from slowwave.conflicts c ${JOIN_SIDES} where ${owned(of, 'c')} and c.id = ${of.id}::uuid`);
  return row ?? null;
}

/** How many conflicts of a user wait: for a label, and for a person. */
export async function countConflicts(
  tx: Transaction,
  of: Owner,
): Promise<{ reported: number; open: number }> {
  const [row] = await tx.rows<{ reported: number; open: number }>(sql`
    select count(*) filter (where status = 'reported')::int as reported, count(*) filter (where status = 'open')::int as open
    from slowwave.conflicts where ${owned(of)} and status <> 'resolved'`);
  return row!;
}
