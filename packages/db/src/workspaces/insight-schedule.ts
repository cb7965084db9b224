import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { requireNumber, requireTime } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { allRows, ask, type Question } from '../questions.ts';
import type { Owner, WorkspaceKey } from './key.ts';

/** Why insights are not extracted now. */
export type InsightsRefusal = 'unknown_workspace' | 'disabled' | 'empty' | 'too_soon' | 'too_small';

export type InsightsClaim =
  | {
      claimed: true;
      /** What stood there before, for whoever has to give the claim back. */
      lastRunAt: number | null;
      lastSize: number | null;
    }
  | { claimed: false; reason: InsightsRefusal };

interface Claim {
  /** Epoch ms. */
  at: number;
  /** Characters of the working memory. */
  size: number;
  /** Asked for by hand: neither the schedule's switch nor interval nor growth count; an empty memory and a workspace without memory do. */
  force?: boolean | undefined;
}

/**
 * Takes the right to extract insights now, in one conditional statement: of several that ask at once one gets it. A claim counts as the
 * last run from here on.
 * @throws InputError
 */
export async function claimInsights(
  tx: Transaction,
  key: WorkspaceKey,
  claim: Claim,
): Promise<InsightsClaim> {
  requireTime(claim.at, 'at');
  requireNumber(claim.size, 'size', { min: 0, max: 2 ** 31 - 1, whole: true });
  const at = instantOf(claim.at);
  const force = claim.force ?? false;
  const reason = sql`case
    when not w.memory_enabled or not (w.insights_enabled or ${force}) then 'disabled'
    when ${claim.size}::int = 0 then 'empty'
    when ${force} or w.insights_last_run_at is null then null
    when ${at} < w.insights_last_run_at + w.insights_min_interval_ms * interval '1 millisecond' then 'too_soon'
    when ${claim.size}::int - w.insights_last_size < w.insights_min_growth then 'too_small' end`;
  const [row] = await tx.rows<{
    reason: InsightsRefusal | null;
    last: number | null;
    size: number | null;
  }>(sql`
    with found as (
      -- Judged under the lock, on what whoever was there before left.
      select w.id, ${reason} as reason, w.insights_last_run_at as last, w.insights_last_size as size
      from slowwave.workspaces w where ${owned(key, 'w')} and w.id = ${key.workspace}
      for no key update
    ), claimed as (
      update slowwave.workspaces w set insights_last_run_at = ${at}, insights_last_size = ${claim.size}::int
      from found f where ${owned(key, 'w')} and w.id = f.id and f.reason is null
    )
    select reason, ${msOf('last')} as last, size from found`);
  if (!row) return { claimed: false, reason: 'unknown_workspace' };
  if (row.reason !== null) return { claimed: false, reason: row.reason };
  return { claimed: true, lastRunAt: row.last, lastSize: row.size };
}

/** Gives a claim back whose work failed, unless somebody has claimed since. @param claim.at of the claim, epoch ms */
export async function releaseInsights(
  tx: Transaction,
  key: WorkspaceKey,
  claim: { at: number; lastRunAt: number | null; lastSize: number | null },
): Promise<boolean> {
  const rows = await tx.rows(sql`
    update slowwave.workspaces w set insights_last_run_at = ${instantOf(claim.lastRunAt)}, insights_last_size = ${claim.lastSize}::int
    where ${owned(key, 'w')} and w.id = ${key.workspace} and w.insights_last_run_at = ${instantOf(claim.at)}
    returning 1`);
  return rows.length === 1;
}

/** A workspace whose insights are due, or of which nobody has said yet when they are. */
export interface DueInsights extends WorkspaceKey {
  schedule: string;
  /** An IANA name: the workspace's, else the user's. */
  timezone: string;
  /** Epoch ms; null: give it a due time, and do nothing else yet. */
  dueAt: number | null;
}

/** Of one user, by name. Those that are switched off are never among them. @param at epoch ms */
export function dueInsights(tx: Transaction, of: Owner, at: number): Promise<DueInsights[]> {
  return ask(tx, askDueInsights(of, at));
}

/** As dueInsights. */
export function askDueInsights(of: Owner, at: number): Question<DueInsights[]> {
  return allRows(sql`
    select w.tenant, w.user_id as user, w.id as workspace, w.insights_schedule as schedule,
      coalesce(w.insights_timezone, u.timezone) as timezone, ${msOf('w.insights_due_at')} as "dueAt"
    from slowwave.workspaces w join slowwave.users u on u.tenant = w.tenant and u.id = w.user_id
    where ${owned(of, 'w')} and w.insights_enabled and w.memory_enabled
      and (w.insights_due_at is null or w.insights_due_at <= ${instantOf(at)})
    order by w.id`);
}

/**
 * Says when insights are due next; null: not planned.
 * @param due.size characters that count as those of the last run from now on, where its pruning made the working memory smaller
 * @returns false when there is no such workspace
 */
export async function setInsightsDue(
  tx: Transaction,
  key: WorkspaceKey,
  due: { dueAt: number | null; size?: number | undefined },
): Promise<boolean> {
  requireTime(due.dueAt, 'dueAt');
  const rows = await tx.rows(sql`
    update slowwave.workspaces w set insights_due_at = case when w.insights_enabled then ${instantOf(due.dueAt)} end,
      insights_last_size = coalesce(${due.size ?? null}::int, w.insights_last_size)
    where ${owned(key, 'w')} and w.id = ${key.workspace}
    returning 1`);
  return rows.length === 1;
}
