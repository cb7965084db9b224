import type { Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { instantOf, msOf } from '../instants.ts';
import type { RunOwner, RunWhy } from './run-records.ts';
import type { UserSettings } from './users.ts';

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
  /** As it was asked for, whatever woke it. */
  why: RunWhy;
  /** Everything up to the commit, and nothing after it. */
  preview: boolean;
  dueAt: number;
  lastSuccessAt: number | null;
  failures: number;
}

/** Why there is nothing to do: a wake-up is a hint, and the database has the last word. */
export type ClosedReason =
  /** The named run has ended, belongs to a later hold or is not there; or somebody took the user over. */
  | 'ended'
  | 'quarantined'
  /** The user, the tenant or the tier. */
  | 'paused'
  /** After a failure; not to be tried yet. */
  | 'backing_off'
  /** The wake-up was doubled, or overtaken by a run that has ended since. */
  | 'not_due';

export interface ClosedRun {
  status: 'closed';
  reason: ClosedReason;
}

/**
 * Begins a run under a hold on the user: a new one, or the named one if it is requested or was left behind under this or an
 * earlier fence. What the schedule woke must still be due and not be held back; what somebody asked for, or what is resumed, is held
 * back by quarantine alone. Nothing begins under a hold that was overtaken. Either way the tier no longer waits in the queue; a run that
 * begins is no longer requested. A preview is no try of the tier.
 */
export async function startRun(tx: Transaction, input: StartInput): Promise<StartedRun | ClosedRun> {
  const [row] = await tx.rows<StartRow>(sql`
    with gate as materialized (
      select ${closedBecause(input)} as reason from slowwave.user_tiers t
      where t.tenant = ${input.tenant} and t.user_id = ${input.user} and t.tier = ${input.tier}
    ), ${startedParts(input)}
    select * from started`);
  return startedOf(row);
}

/** What came of the attempt to begin a run. */
export type StartRow = Omit<StartedRun, 'status' | 'runId'> & {
  runId: string | null;
  reason: ClosedReason | null;
};

/**
 * Parts of a WITH list that begin a run: `started` is one StartRow, none for a tier that is not there. Before them stands `gate`, with the
 * reason why nothing begins, or null; where it has no row nothing is touched.
 */
export function startedParts(input: FencedInput): SQL {
  const at = instantOf(input.at);
  const opened = input.runId === undefined ? insertRunning(input) : resumeRun(input, input.runId);
  return sql`opened as (${opened}), touched as (
      update slowwave.user_tiers t set
        enqueued_at = null, /* guard: start-unmarks */
        last_attempt_at = case when opened.id is null or opened.preview then t.last_attempt_at else ${at} end,
        requested_run = nullif(t.requested_run, opened.id)
      from gate left join opened on true, slowwave.users u
      where t.tenant = ${input.tenant} and t.user_id = ${input.user} and t.tier = ${input.tier}
        and u.tenant = t.tenant and u.id = t.user_id
      returning gate.reason, opened.id, opened.preview, opened.why, t.due_at, t.last_success_at, t.failures, u.timezone, u.quiet_start, u.quiet_end, u.mode
    ), started as (
      select reason, id as "runId", preview, why, ${msOf('due_at')} as "dueAt", ${msOf('last_success_at')} as "lastSuccessAt", failures,
        timezone, quiet_start as "quietStart", quiet_end as "quietEnd", mode
      from touched
    )`;
}

export function startedOf(row: StartRow | undefined): StartedRun | ClosedRun {
  if (!row || row.runId === null) return { status: 'closed', reason: row?.reason ?? 'ended' };
  const { reason: _open, runId, ...facts } = row;
  return { status: 'started', runId, ...facts };
}

/** A start under a hold whose fence the statement itself may tell. */
export type FencedInput = Omit<StartInput, 'fence'> & { fence: number | SQL };

/** The first reason against a run of tier `t`, or null. Keeps the user from being taken over until the transaction ends. */
function closedBecause(input: StartInput): SQL {
  const { fence } = input;
  // Whoever took over has looked for runs that were left behind: one that began afterwards would be left to count against the user.
  const overtaken = sql`when (
        select held.fence from (
          select l.fence from slowwave.leases l where l.tenant = t.tenant and l.user_id = t.user_id for share) as held
      ) > ${fence}::bigint then 'ended'`;
  return sql`case
      ${overtaken} /* guard: start-overtaken */
      ${heldBack(input)} end`;
}

/** What holds back a run of tier `t`, as parts of a CASE. */
export function heldBack({ why, runId, at }: Pick<StartInput, 'why' | 'runId' | 'at'>): SQL {
  const quarantined = sql`
      when t.quarantined_at is not null /* guard: start-quarantine */
        then 'quarantined'`;
  if (runId !== undefined || !(why === 'schedule' || why === 'sweep')) return quarantined;
  return sql`${quarantined}
      when t.paused or t.tenant_paused or exists (select 1 from slowwave.tier_pauses p where p.tier = t.tier) then 'paused'
      when t.next_attempt_at > ${instantOf(at)} then 'backing_off' /* guard: start-backing-off */
      when t.due_at > ${instantOf(at)} then 'not_due' /* guard: start-due */`;
}

function insertRunning(input: FencedInput): SQL {
  const at = instantOf(input.at);
  return sql`
    insert into slowwave.runs (tenant, user_id, id, tier, why, status, fence, requested_at, started_at)
    select ${input.tenant}, ${input.user}, ${newId(input.at)}::uuid, ${input.tier}, ${input.why}, 'running',
      ${input.fence}::bigint, ${at}, ${at}
    from gate where reason is null
    returning id, preview, why`;
}

function resumeRun(input: FencedInput, runId: string): SQL {
  const isOpen = sql`(status = 'requested' or (
        status in ('running', 'abandoned')
        and fence <= ${input.fence}::bigint /* guard: resume-fence */
      ))`;
  return sql`
    update slowwave.runs set status = 'running', fence = ${input.fence}::bigint, started_at = ${instantOf(input.at)},
      finished_at = null, error_code = null
    where tenant = ${input.tenant} and user_id = ${input.user} and id = ${runId}::uuid and tier = ${input.tier}
      and ${isOpen} /* guard: resume-status */
      and exists (select 1 from gate where reason is null)
    returning id, preview, why`;
}
