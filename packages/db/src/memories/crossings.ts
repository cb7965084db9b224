import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import { imageOf, journalled } from '../journal.ts';
import { anyRow, ask, type Question, theRow } from '../questions.ts';

/** How many memories crossed each threshold in a span of time, and when the next one will. */
export interface CrossingReport {
  below080: number;
  below050: number;
  below010: number;
  below005: number;
  /** Epoch ms of the next crossing or expiry, null when none lies ahead. */
  nextAt: number | null;
}

/** Reads what time did, without writing anything: `since` exclusive, `at` inclusive (epoch ms). */
export function readCrossings(
  tx: Transaction,
  input: { tenant: string; user: string; since: number; at: number },
): Promise<CrossingReport> {
  return ask(tx, askCrossings(input));
}

/** As readCrossings. */
export function askCrossings(input: {
  tenant: string;
  user: string;
  since: number;
  at: number;
}): Question<CrossingReport> {
  const crossed = (column: string) =>
    sql`count(*) filter (where ${sql.raw(column)} > ${instantOf(input.since)} and ${sql.raw(column)} <= ${instantOf(input.at)})::int`;
  const ahead = (column: string) =>
    sql`min(${sql.raw(column)}) filter (where ${sql.raw(column)} > ${instantOf(input.at)} and isfinite(${sql.raw(column)}))`;
  return theRow(sql`
    select
      ${crossed('crosses_080_at')} as "below080", ${crossed('crosses_050_at')} as "below050",
      ${crossed('crosses_010_at')} as "below010", ${crossed('crosses_005_at')} as "below005",
      round(date_part('epoch', least(
        ${ahead('crosses_080_at')}, ${ahead('crosses_050_at')}, ${ahead('crosses_010_at')}, ${ahead('crosses_005_at')},
        ${ahead('expires_at')})) * 1000) as "nextAt"
    from slowwave.memories
    where tenant = ${input.tenant} and user_id = ${input.user} and is_latest and archived_at is null`);
}

export interface BandCounts {
  total: number;
  latest: number;
  active: number;
  dormant: number;
  archived: number;
  superseded: number;
  derived: number;
}

/** A user's memories by band of prominence at an instant. */
export function countBands(
  tx: Transaction,
  input: { tenant: string; user: string; at: number },
): Promise<BandCounts> {
  return ask(tx, askBands(input));
}

/** As countBands. */
export function askBands(input: { tenant: string; user: string; at: number }): Question<BandCounts> {
  const at = instantOf(input.at);
  return theRow(sql`
    select count(*)::int as total,
      count(*) filter (where is_latest)::int as latest,
      count(*) filter (where is_latest and crosses_050_at >= ${at})::int as active,
      count(*) filter (where is_latest and crosses_050_at < ${at} and crosses_010_at >= ${at})::int as dormant,
      count(*) filter (where is_latest and crosses_010_at < ${at})::int as archived,
      count(*) filter (where memory_type = 'superseded')::int as superseded,
      count(*) filter (where memory_type = 'derived')::int as derived
    from slowwave.memories where tenant = ${input.tenant} and user_id = ${input.user}`);
}

/** Latest memories that are past their expiry and not archived yet. */
function expiredOf(input: { tenant: string; user: string; at: number }): SQL {
  return sql`m.tenant = ${input.tenant} and m.user_id = ${input.user} and m.is_latest and m.archived_at is null
    and m.expires_at <= ${instantOf(input.at)}`;
}

/** Whether archiveExpired would archive something. */
export function askExpired(input: { tenant: string; user: string; at: number }): Question<boolean> {
  return anyRow(sql`select 1 from slowwave.memories m where ${expiredOf(input)}`);
}

/** Latest memories past their expiry become archived, journalled; the rows stay. @returns how many */
export async function archiveExpired(
  tx: Transaction,
  input: { tenant: string; user: string; at: number; runId: string | null; limit: number },
): Promise<number> {
  const at = instantOf(input.at);
  const mine = sql`m.tenant = ${input.tenant} and m.user_id = ${input.user}`;
  const columns = ['archived_at', 'updated_at'];
  const [row] = await tx.rows<{ archived: number }>(sql`
    with picked as (
      select m.id, ${imageOf('m', columns)} as image from slowwave.memories m
      where ${expiredOf(input)}
      order by m.expires_at, m.id limit ${input.limit}
      for no key update
    ), archived as (
      update slowwave.memories m set archived_at = ${at}, updated_at = ${at}
      from picked where ${mine} and m.id = picked.id
      returning m.id, picked.image as before, ${imageOf('m', columns)} as after
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, before, after from archived
    ), ${journalled({ ...input, kind: 'archive' })}
    select count(*)::int as archived from archived`);
  return row!.archived;
}

/** One memory as people look at it. */
export interface MemoryView {
  id: string;
  externalId: string | null;
  content: string;
  category: string;
  memoryType: string;
  isLatest: boolean;
  prominence: number;
  documentDate: number;
  supersededBy: string | null;
}

/** A user's memories, newest first. */
export function listMemories(
  tx: Transaction,
  input: { tenant: string; user: string; at: number; latestOnly: boolean; limit: number },
): Promise<MemoryView[]> {
  return tx.rows(sql`
    select m.id, m.external_id as "externalId", m.content, m.category, m.memory_type as "memoryType", m.is_latest as "isLatest",
      slowwave.prominence(m.category, m.memory_type, m.importance, m.confirmations, m.peak, m.anchor_at, m.demotion,
        ${instantOf(input.at)}) as prominence,
      ${msOf('m.document_date')} as "documentDate", m.superseded_by as "supersededBy"
    from slowwave.memories m
    where m.tenant = ${input.tenant} and m.user_id = ${input.user} and (m.is_latest or not ${input.latestOnly})
    order by m.document_date desc, m.id desc
    limit ${input.limit}`);
}
