import type { Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { instantOf, msOf } from '../instants.ts';
import type { RunReport, RunWhy } from './run-records.ts';
import type { UserSettings } from './users.ts';

/** Light is not tried again sooner than this after a success, whatever became due. */
export const LIGHT_INTERVAL_MS = 300_000;

export interface RunOwner {
  tenant: string;
  user: string;
}

export type RequestResult =
  /** `existing`: somebody asked before and it has not begun: the same run answers both. */
  { status: 'requested'; runId: string; existing: boolean } | { status: 'unknown_user' };

/**
 * Asks for a run of one tier, now. It stands in the database before anything is queued, so it is not lost with the queue; asking
 * twice is one run. A wake-up of the schedule that is still in the queue does not hold it back.
 * @param input.at epoch ms
 */
export async function requestRun(
  tx: Transaction,
  input: RunOwner & { tier: Tier; at: number },
): Promise<RequestResult> {
  const tier = await lockTier(tx, input);
  if (!tier) return { status: 'unknown_user' };
  if (tier.requestedRun) return { status: 'requested', runId: tier.requestedRun, existing: true };
  const runId = newId(input.at);
  await insertRequest(tx, input, runId);
  return { status: 'requested', runId, existing: false };
}

/** Reads who waits for a tier and keeps others who ask for it waiting. */
async function lockTier(
  tx: Transaction,
  input: RunOwner & { tier: Tier },
): Promise<{ requestedRun: string | null } | undefined> {
  const [row] = await tx.rows<{ requestedRun: string | null }>(sql`
    select requested_run as "requestedRun" from slowwave.user_tiers
    where tenant = ${input.tenant} and user_id = ${input.user} and tier = ${input.tier}
    for update`);
  return row;
}

/** Writes a requested run and points its tier at it. */
async function insertRequest(
  tx: Transaction,
  input: RunOwner & { tier: Tier; at: number },
  runId: string,
): Promise<void> {
  await tx.rows(sql`
    with requested as (
      insert into slowwave.runs (tenant, user_id, id, tier, why, status, requested_at)
      values (${input.tenant}, ${input.user}, ${runId}::uuid, ${input.tier}, 'adhoc', 'requested', ${instantOf(input.at)})
      returning id
    )
    update slowwave.user_tiers t set requested_run = requested.id, enqueued_at = null from requested
    where t.tenant = ${input.tenant} and t.user_id = ${input.user} and t.tier = ${input.tier}`);
}

export interface StartInput extends RunOwner {
  tier: Tier;
  why: RunWhy;
  /** A run that was requested, or that an earlier holder left behind; without one a new run begins. */
  runId?: string | undefined;
  fence: number;
  /** Epoch ms. */
  at: number;
}

/** A run that has begun, and what its holder needs to know to end it. Instants in epoch ms. */
export interface StartedRun extends UserSettings {
  status: 'started';
  runId: string;
  dueAt: number;
  lastSuccessAt: number | null;
  failures: number;
}

/**
 * Begins a run under a hold on the user: a new one, or the named one if it is requested or was left behind under this or an
 * earlier fence. Its tier is then no longer waiting in the queue, nor requested by it.
 * @returns `closed` when the named run has ended, belongs to a later hold or is not there: nothing is to be done
 */
export async function startRun(
  tx: Transaction,
  input: StartInput,
): Promise<StartedRun | { status: 'closed' }> {
  const opened = input.runId === undefined ? insertRunning(input) : resumeRun(input, input.runId);
  const [row] = await tx.rows<Omit<StartedRun, 'status'>>(sql`
    with opened as (${opened}), touched as (
      update slowwave.user_tiers t set enqueued_at = null, last_attempt_at = ${instantOf(input.at)},
        requested_run = nullif(t.requested_run, opened.id)
      from opened, slowwave.users u
      where t.tenant = ${input.tenant} and t.user_id = ${input.user} and t.tier = ${input.tier}
        and u.tenant = t.tenant and u.id = t.user_id
      returning opened.id, t.due_at, t.last_success_at, t.failures, u.timezone, u.quiet_start, u.quiet_end, u.mode
    )
    select id as "runId", ${msOf('due_at')} as "dueAt", ${msOf('last_success_at')} as "lastSuccessAt", failures, timezone,
      quiet_start as "quietStart", quiet_end as "quietEnd", mode
    from touched`);
  return row ? { status: 'started', ...row } : { status: 'closed' };
}

function insertRunning(input: StartInput): SQL {
  const at = instantOf(input.at);
  return sql`
    insert into slowwave.runs (tenant, user_id, id, tier, why, status, fence, requested_at, started_at)
    values (${input.tenant}, ${input.user}, ${newId(input.at)}::uuid, ${input.tier}, ${input.why}, 'running',
      ${input.fence}::bigint, ${at}, ${at})
    returning id`;
}

function resumeRun(input: StartInput, runId: string): SQL {
  return sql`
    update slowwave.runs set status = 'running', fence = ${input.fence}::bigint, started_at = ${instantOf(input.at)},
      finished_at = null, error_code = null
    where tenant = ${input.tenant} and user_id = ${input.user} and id = ${runId}::uuid and tier = ${input.tier}
      and (status = 'requested' or (status in ('running', 'abandoned') and fence <= ${input.fence}::bigint))
    returning id`;
}

export type RunEnd =
  /** `nextDueAt`: epoch ms, Infinity for nothing ahead. */
  | { status: 'completed'; nextDueAt: number; report: RunReport }
  /** Tried again later, each time after a longer wait; due since when it was due. */
  | { status: 'failed'; errorCode: string; report: RunReport | null }
  /** Put back unfinished, without counting as a failure. */
  | { status: 'abandoned'; report: RunReport | null };

/**
 * Ends a running run and stamps its tier, in one statement. Success moves the due time and clears the failures; what was written
 * while light was running (see markLightDue) stays due, but not within LIGHT_INTERVAL_MS.
 * @param input.at epoch ms
 * @returns false, and nothing is written, when the run is not running or the user has been taken over since it began
 */
export async function finishRun(
  tx: Transaction,
  input: RunOwner & { runId: string; at: number } & RunEnd,
): Promise<boolean> {
  const errorCode = input.status === 'failed' ? input.errorCode : null;
  const report = input.report === null ? null : JSON.stringify(input.report);
  const rows = await tx.rows(sql`
    with closed as (
      update slowwave.runs r set status = ${input.status}, finished_at = ${instantOf(input.at)},
        report = ${report}::jsonb, error_code = ${errorCode}
      where r.tenant = ${input.tenant} and r.user_id = ${input.user} and r.id = ${input.runId}::uuid and r.status = 'running'
        and not exists (
          select 1 from slowwave.leases l
          where l.tenant = r.tenant and l.user_id = r.user_id and l.fence > r.fence)
      returning r.id, r.tier, r.why
    ), stamped as (
      update slowwave.user_tiers t set ${stampOf(input, input.at)} from closed
      where t.tenant = ${input.tenant} and t.user_id = ${input.user} and t.tier = closed.tier
    )
    select tier from closed`);
  return rows.length === 1;
}

/** What the end of a run does to its tier. */
function stampOf(end: RunEnd, at: number): SQL {
  switch (end.status) {
    case 'completed': {
      const next = instantOf(end.nextDueAt);
      return sql`last_success_at = ${instantOf(at)}, failures = 0,
        next_attempt_at = case when t.tier = 'light' then ${instantOf(at + LIGHT_INTERVAL_MS)} else '-infinity' end,
        due_at = case when t.tier = 'light' and t.due_at > t.last_attempt_at then least(t.due_at, ${next}) else ${next} end`;
    }
    case 'failed':
      return sql`failures = t.failures + 1, next_attempt_at = ${retryAfter(at)}`;
    case 'abandoned':
      // Somebody waits for a run that was asked for: it stays found even if its job is lost with the queue.
      return sql`requested_run = case when closed.why = 'adhoc' then coalesce(t.requested_run, closed.id) else t.requested_run end`;
  }
}

/** Five minutes, doubled with every earlier failure in a row, six hours at most. */
function retryAfter(at: number): SQL {
  return sql`${instantOf(at)} + least(interval '6 hours', interval '5 minutes' * power(2, least(t.failures, 10)))`;
}

/**
 * Marks the running runs of earlier holders as abandoned; to be called when a hold was taken over. Each counts as a failure of its
 * tier, so that a user whose runs end their process is tried less and less often.
 * @param input.fence of the present hold
 * @param input.at epoch ms
 */
export function abandonRuns(
  tx: Transaction,
  input: RunOwner & { fence: number; at: number },
): Promise<{ runId: string; tier: Tier }[]> {
  return tx.rows(sql`
    with lost as (
      update slowwave.runs set status = 'abandoned', finished_at = ${instantOf(input.at)}
      where tenant = ${input.tenant} and user_id = ${input.user} and status = 'running' and fence < ${input.fence}
      returning id, tier
    ), counted as (
      select tier, count(*)::int as runs from lost group by tier
    ), stamped as (
      update slowwave.user_tiers t set failures = t.failures + counted.runs,
        next_attempt_at = greatest(t.next_attempt_at, ${retryAfter(input.at)})
      from counted where t.tenant = ${input.tenant} and t.user_id = ${input.user} and t.tier = counted.tier
    )
    select id as "runId", tier from lost order by id`);
}
