import type { RunStatus, Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import { anyRow, type Question } from '../questions.ts';

export const RUNS_PER_LIST_MAX = 200;

export interface RunOwner {
  tenant: string;
  user: string;
}

/** batch: answers of a batch have come. */
export type RunWhy = 'schedule' | 'adhoc' | 'sweep' | 'retry' | 'batch';

/** Whether a run has ended for good. An abandoned one has not: somebody else goes on with it. */
export function isFinished(run: { status: RunStatus }): boolean {
  return run.status === 'completed' || run.status === 'failed' || run.status === 'cancelled';
}

/** Counts and codes of a run, step by step; JSON, and never the text of a memory. */
export type RunReport = Record<string, unknown>;

/** One tier for one user, once. Instants in epoch ms. */
export interface Run {
  tenant: string;
  user: string;
  id: string;
  tier: Tier;
  why: RunWhy;
  status: RunStatus;
  /** Of the hold under which it was last started. */
  fence: number | null;
  requestedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  report: RunReport | null;
  errorCode: string | null;
  /** Everything up to the commit, and nothing after it. */
  preview: boolean;
  /** When somebody asked for it to stop; null while nobody has. */
  cancelRequestedAt: number | null;
}

/** Of a row of runs. */
export const RUN_COLUMNS: SQL = sql`tenant, user_id as "user", id, tier, why, status, fence::float8 as fence,
  ${msOf('requested_at')} as "requestedAt", ${msOf('started_at')} as "startedAt", ${msOf('finished_at')} as "finishedAt",
  report, error_code as "errorCode", preview,
  ${msOf('cancel_requested_at')} as "cancelRequestedAt"`;

/** One run by its id, or null. An id that is no UUID is a DatabaseError `invalid_text`. */
export async function getRun(
  tx: Transaction,
  input: { tenant: string; user: string; runId: string },
): Promise<Run | null> {
  const [run] = await tx.rows<Run>(sql`
    select ${RUN_COLUMNS} from slowwave.runs
    where tenant = ${input.tenant} and user_id = ${input.user} and id = ${input.runId}::uuid`);
  return run ?? null;
}

/** A user's runs, newest first. @param input.limit at most RUNS_PER_LIST_MAX, a larger one is cut */
export function listRuns(
  tx: Transaction,
  input: { tenant: string; user: string; limit: number },
): Promise<Run[]> {
  const limit = Math.max(1, Math.min(RUNS_PER_LIST_MAX, Math.floor(input.limit)));
  return tx.rows<Run>(sql`
    select ${RUN_COLUMNS} from slowwave.runs
    where tenant = ${input.tenant} and user_id = ${input.user}
    order by slowwave.runs.requested_at desc, slowwave.runs.id desc
    limit ${limit}`);
}

/** A run r that ended before an instant (epoch ms) and that nobody waits for. */
function isOld({ tenant, user, before }: RunOwner & { before: number }): SQL {
  const instant = instantOf(before);
  // What ended before was requested before: that is what the index knows.
  return sql`r.tenant = ${tenant} and r.user_id = ${user} and r.requested_at < ${instant} and r.finished_at < ${instant}
    and r.status in ('completed', 'failed', 'abandoned', 'cancelled')
    and not exists (
      select 1 from slowwave.user_tiers t
      where t.tenant = r.tenant and t.user_id = r.user_id and t.requested_run = r.id)`;
}

/** Whether pruneRuns would remove something. */
export function askOldRuns(input: RunOwner & { before: number }): Question<boolean> {
  return anyRow(sql`select 1 from slowwave.runs r where ${isOld(input)}`);
}

/**
 * Removes the records of runs that ended before an instant, the oldest first. A run that is requested or under way stays, and one
 * that somebody still waits for.
 * @param input.before epoch ms
 * @param input.limit most records to remove at once
 * @returns how many were removed
 */
export async function pruneRuns(
  tx: Transaction,
  input: RunOwner & { before: number; limit: number },
): Promise<number> {
  const { tenant, user } = input;
  const rows = await tx.rows(sql`
    delete from slowwave.runs where tenant = ${tenant} and user_id = ${user} and id in (
      select r.id from slowwave.runs r
      where ${isOld(input)}
      order by r.requested_at
      limit ${Math.max(0, Math.floor(input.limit))})
    returning 1`);
  return rows.length;
}
