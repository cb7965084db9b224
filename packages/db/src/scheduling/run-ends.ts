import type { Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { eventsInserted } from '../webhooks/events.ts';
import type { WebhookEventType } from '../webhooks/types.ts';
import { leaseReleased } from './leases.ts';
import { lockTiers, NEVER_ENDED, quarantineUser, UNENDED_MAX } from './quarantine.ts';
import type { RunOwner, RunReport } from './run-records.ts';

/** Light is not tried again sooner than this after a success, whatever became due. */
export const LIGHT_INTERVAL_MS = 300_000;
/** Failures of a tier in a row, no outage, after which its user goes into quarantine. */
export const QUARANTINE_AFTER = 5;
/** After so many starts in a row without an end the tier is tried again without a wait. */
const UNENDED_TRIED_AT_ONCE = 1;

export type RunEnd =
  /** `nextDueAt`: epoch ms, Infinity for nothing ahead. */
  | { status: 'completed'; nextDueAt: number; report: RunReport }
  /** Tried again later, each time after a longer wait; due since when it was due. */
  | {
      status: 'failed';
      errorCode: string;
      report: RunReport | null;
      /** The failure passes by itself, like an outage: it says nothing against this user. */
      transient: boolean;
      /** Default QUARANTINE_AFTER. */
      quarantineAfter?: number;
    }
  /** Put back unfinished, without counting as a failure. One that somebody cancelled meanwhile ends as cancelled instead. */
  | { status: 'abandoned'; report: RunReport | null }
  /** Somebody asked for that. Counts as nothing, and leaves the due times as they were. */
  | { status: 'cancelled'; report: RunReport | null };

export interface FinishResult {
  /** False, and nothing is written, when the run is not running or the user has been taken over since it began. */
  ended: boolean;
  /** This end was one failure too many: the user is in quarantine now and was not before. */
  quarantined: boolean;
}

/**
 * Ends a running run and stamps its tier. Success moves the due time and clears the failures; what was written while light was
 * running (see markLightDue) stays due, but not within LIGHT_INTERVAL_MS. Any end says that the holder lives, so it clears the
 * starts that never ended. A preview leaves its tier as it was, however it ends: only one that is put back is asked for again.
 * @param input.fence of the hold under which the caller began it: one that somebody else goes on with is not the caller's to end
 * @param input.holder gives the user back as well, whatever comes of the run: together with its fence the hold of the caller
 * @param input.at epoch ms
 */
export async function finishRun(
  tx: Transaction,
  input: RunOwner & { runId: string; fence?: number; holder?: string; at: number } & RunEnd,
): Promise<FinishResult> {
  const errorCode = input.status === 'failed' ? input.errorCode : null;
  const mayQuarantine = input.status === 'failed' && !input.transient;
  const report = input.report === null ? null : JSON.stringify(input.report);
  if (mayQuarantine) await lockTiers(tx, input);
  // Somebody waits for a preview that is put back; in every other way it has ended for good.
  const stamped = input.status === 'abandoned' ? sql`true` : sql`not closed.preview`;
  const overtaken = sql`exists (
          select 1 from slowwave.leases l
          where l.tenant = r.tenant and l.user_id = r.user_id and l.fence > r.fence)`;
  const [row] = await tx.rows<{ faults: number | null }>(sql`
    with released as (${releasedOf(input)}), closed as (
      update slowwave.runs r set status = ${statusOf(input)}, finished_at = ${instantOf(input.at)},
        report = ${report}::jsonb, error_code = ${errorCode}
      where r.tenant = ${input.tenant} and r.user_id = ${input.user} and r.id = ${input.runId}::uuid
        and r.status = 'running' /* guard: finish-once */
        and r.fence = coalesce(${input.fence ?? null}::bigint, r.fence) /* guard: finish-fence */
        and not ${overtaken} /* guard: finish-overtaken */
        -- Locked before the run and its tier, in the order of a start.
        and (select count(*) from released) >= 0
      returning r.id, r.tier, r.why, r.preview, r.status
    ), stamped as (
      update slowwave.user_tiers t set unended = case when closed.preview then t.unended else 0 end, ${stampOf(input, input.at)}
      from closed
      where t.tenant = ${input.tenant} and t.user_id = ${input.user} and t.tier = closed.tier and ${stamped}
      returning t.faults
    ), told as (${eventsInserted(input, toldOf(input, errorCode))})
    select (select faults from stamped) as faults from closed`);
  if (!row) return { ended: false, quarantined: false };
  const { tenant, user, at } = input;
  // guard: quarantine-faults
  if (!mayQuarantine || row.faults === null || row.faults < (input.quarantineAfter ?? QUARANTINE_AFTER)) {
    return { ended: true, quarantined: false };
  }
  return { ended: true, quarantined: await quarantineUser(tx, { tenant, user, at, code: input.errorCode }) };
}

/** What is told of a run that has ended, as rows called e. One that is put back has not finished. */
function toldOf({ tenant, user, runId }: RunOwner & { runId: string }, errorCode: string | null): SQL {
  const type: WebhookEventType = 'run.finished';
  return sql`(
    select ${type}::text as type, jsonb_build_object('tenant', ${tenant}::text, 'user', ${user}::text, 'runId', ${runId}::text,
      'tier', tier, 'preview', preview, 'status', status, 'errorCode', ${errorCode}::text) as data
    from closed where status <> 'abandoned') e`;
}

/** The hold of whoever says who they are. */
function releasedOf({ tenant, user, holder, fence }: RunOwner & { holder?: string; fence?: number }): SQL {
  if (holder === undefined || fence === undefined) return sql`select 1 where false`;
  return leaseReleased({ tenant, user, holder, fence });
}

/** How a run `r` has ended. Nobody goes on with what somebody cancelled. */
function statusOf({ status }: RunEnd): SQL {
  if (status !== 'abandoned') return sql`${status}`;
  return sql`case when r.cancel_requested_at is null then 'abandoned' else 'cancelled' end`;
}

/** What the end of a run does to its tier. */
function stampOf(end: RunEnd, at: number): SQL {
  switch (end.status) {
    case 'completed': {
      const next = instantOf(end.nextDueAt);
      return sql`last_success_at = ${instantOf(at)}, failures = 0, faults = 0,
        next_attempt_at = case when t.tier = 'light' then ${instantOf(at + LIGHT_INTERVAL_MS)} else '-infinity' end,
        due_at = case when t.tier = 'light' and t.due_at > t.last_attempt_at then least(t.due_at, ${next}) else ${next} end`;
    }
    case 'failed':
      return sql`failures = t.failures + 1, faults = t.faults + ${end.transient ? 0 : 1}::int, next_attempt_at = ${retryAfter(at)}`;
    case 'abandoned':
      // Somebody waits for a run that was asked for: it stays found even if its job is lost with the queue.
      return sql`requested_run = case when closed.why in ('adhoc', 'batch') and closed.status = 'abandoned'
        then coalesce(t.requested_run, closed.id) else t.requested_run end`;
    case 'cancelled':
      return sql`requested_run = nullif(t.requested_run, closed.id)`;
  }
}

/** Five minutes, doubled with every earlier failure in a row, six hours at most. */
function retryAfter(at: number): SQL {
  return sql`${instantOf(at)} + least(interval '6 hours', interval '5 minutes' * power(2, least(t.failures, 10)))`;
}

/** A run whose holder ended without a word. */
export interface AbandonedRun {
  runId: string;
  tier: Tier;
  /** This was one too many: the user is in quarantine now and was not before. */
  quarantined: boolean;
}

/**
 * Marks the running runs of earlier holders as abandoned; to be called when a hold was taken over. Each counts as a failure of its
 * tier, so that a user whose runs end their process is tried less and less often, from the second one in a row on; at UNENDED_MAX the
 * user goes into quarantine. One that somebody asked for is requested again, so that it is found even if its job is lost; a preview has
 * failed instead, and counts as nothing. One that somebody cancelled has ended so, whatever it counts as.
 * @param input.fence of the present hold
 * @param input.at epoch ms
 */
export async function abandonRuns(
  tx: Transaction,
  input: RunOwner & { fence: number; at: number },
): Promise<AbandonedRun[]> {
  const { tenant, user, fence, at } = input;
  await lockTiers(tx, input);
  const lost = await tx.rows<{ runId: string; tier: Tier; unended: number }>(sql`
    with lost as (
      update slowwave.runs set finished_at = ${instantOf(at)},
        status = case when cancel_requested_at is not null then 'cancelled' when preview then 'failed' else 'abandoned' end,
        error_code = case when preview and cancel_requested_at is null then ${NEVER_ENDED} else error_code end
      where tenant = ${tenant} and user_id = ${user} and status = 'running'
        and fence < ${fence} /* guard: abandon-earlier */
      returning id, tier, why, preview, status
    ), counted as (
      select tier, count(*)::int as runs,
        (array_agg(id order by id) filter (where why = 'adhoc' and status = 'abandoned'))[1] as asked
      from lost where not preview group by tier
    ), stamped as (
      update slowwave.user_tiers t set ${unendedStamp(sql`counted.runs`, at)},
        requested_run = coalesce(t.requested_run, counted.asked)
      from counted where t.tenant = ${tenant} and t.user_id = ${user} and t.tier = counted.tier
      returning t.tier, t.unended
    )
    select lost.id as "runId", lost.tier, case when lost.preview then 0 else stamped.unended end as unended
    from lost left join stamped on stamped.tier = lost.tier order by lost.id`);
  const tooMany = new Set<Tier>();
  for (const { tier, unended } of lost) {
    if (unended >= UNENDED_MAX) tooMany.add(tier); // guard: quarantine-unended
  }
  const quarantined = tooMany.size > 0 && (await quarantineUser(tx, { tenant, user, at, code: NEVER_ENDED }));
  return lost.map(({ runId, tier }) => ({ runId, tier, quarantined: quarantined && tooMany.has(tier) }));
}

/** What starts without an end do to their tier. A worker that was killed once says nothing about the user: the next one goes on at once. */
const unendedStamp = (starts: SQL, at: number): SQL => sql`
  failures = t.failures + ${starts}, unended = t.unended + ${starts},
  next_attempt_at = case when t.unended + ${starts} < ${UNENDED_TRIED_AT_ONCE + 1} then t.next_attempt_at
    else greatest(t.next_attempt_at, ${retryAfter(at)}) end`;

/**
 * Counts a turn of a tier's work that had no run of its own, as a retried fusion has none, and blocked its worker for longer than its hold
 * lasted: as abandonRuns counts a run without an end, with the same quarantine.
 * @param input.at epoch ms
 */
export async function countUnended(
  tx: Transaction,
  input: RunOwner & { tier: Tier; at: number },
): Promise<{ quarantined: boolean }> {
  const { tenant, user, tier, at } = input;
  await lockTiers(tx, input);
  const [row] = await tx.rows<{ unended: number }>(sql`
    update slowwave.user_tiers t set ${unendedStamp(sql`1`, at)}
    where t.tenant = ${tenant} and t.user_id = ${user} and t.tier = ${tier}
    returning t.unended`);
  const isOneTooMany = row !== undefined && row.unended >= UNENDED_MAX;
  return { quarantined: isOneTooMany && (await quarantineUser(tx, { tenant, user, at, code: NEVER_ENDED })) };
}
