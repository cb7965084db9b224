import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { requireWord } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { ScheduleError } from './errors.ts';
import type { Quarantine } from './quarantine.ts';
import type { RunOwner } from './run-records.ts';
import { USERS_PER_CALL_MAX, type UserMode } from './users.ts';

export type RequestResult =
  /** `existing`: somebody asked before and it has not begun: the same run answers both. */
  | { status: 'requested'; runId: string; existing: boolean }
  | { status: 'unknown_user' }
  /** A run that was asked for waits while a preview is wanted, or a preview while a run is: `runId` has not begun yet. */
  | { status: 'busy'; runId: string }
  /** A preview for a user whose memories are not fused at all. */
  | { status: 'mode_off' }
  /** The last one that called a model began less than REQUEST_GAP_MS ago. @field againAt epoch ms */
  | { status: 'too_soon'; againAt: number }
  /** Nothing runs for this user, and nothing was asked for, until an operator releases the user. */
  | ({ status: 'quarantined' } & Quarantine);

/** Runs of one tier of one user that are asked for and call a model begin at least so far apart. */
export const REQUEST_GAP_MS = 60_000;

/** The tiers that fuse: the others have nothing to show before it happens. */
export const PREVIEWED_TIERS = ['deep', 'sleep'] as const satisfies readonly Tier[];

export interface RunRequest extends RunOwner {
  tier: Tier;
  /** Epoch ms. */
  at: number;
  /** Everything up to the commit, and nothing after it. For PREVIEWED_TIERS. */
  preview?: boolean | undefined;
  /** batch: nobody waits for it. It counts as put in the queue, since whoever asks puts it there. Default adhoc. */
  why?: 'adhoc' | 'batch';
  /** Whether REQUEST_GAP_MS is kept; default false: an operator, and the service itself, ask as often as they like. */
  isSpaced?: boolean | undefined;
}

/** The same of several users of a tenant. */
export interface RunsRequest extends Omit<RunRequest, 'user'> {
  /** At most USERS_PER_CALL_MAX. */
  users: readonly string[];
}

/**
 * Asks for a run of one tier, now. It stands in the database before anything is queued, so it is not lost with the queue; asking
 * twice is one run. A wake-up of the schedule that is still in the queue does not hold it back, nor does a pause. A preview and a run
 * are not one: neither answers the other, so the later one of the two is busy until the earlier one has begun.
 * @throws InputError `not_allowed`: a preview of another tier
 */
export async function requestRun(tx: Transaction, input: RunRequest): Promise<RequestResult> {
  const { user, ...request } = input;
  const asked = await requestRuns(tx, { ...request, users: [user] });
  return asked.get(user)!;
}

/**
 * Asks for a run of one tier of each of several users, as requestRun does, in as many statements as for one.
 * @returns what became of each
 * @throws InputError `not_allowed`: a preview of another tier
 * @throws ScheduleError `too_many_users`
 */
export async function requestRuns(tx: Transaction, input: RunsRequest): Promise<Map<string, RequestResult>> {
  const { tenant, tier, preview = false } = input;
  if (preview) requireWord<Tier>(tier, 'tier', PREVIEWED_TIERS);
  const users = [...new Set(input.users)];
  if (users.length > USERS_PER_CALL_MAX)
    throw new ScheduleError('too_many_users', `at most ${USERS_PER_CALL_MAX} users in one call`);
  const tiers = users.length > 0 ? await insertRequests(tx, { ...input, users }) : [];
  // Read only now, under the lock: whoever was faster may have written them while we waited.
  const waiting = tiers.filter(({ requestedRun }) => requestedRun !== null);
  const previews = waiting.length > 0 ? await listPreviews(tx, { tenant, runs: waiting }) : new Set<string>();
  const found = new Map(tiers.map((row) => [row.user, resultOf(row, preview, previews)]));
  return new Map(users.map((user) => [user, found.get(user) ?? { status: 'unknown_user' }]));
}

function resultOf(row: TierRequest, preview: boolean, previews: ReadonlySet<string>): RequestResult {
  const { made, requestedRun, code, since, againAt } = row;
  if (made !== null) return { status: 'requested', runId: made, existing: false };
  if (since !== null) return { status: 'quarantined', code, since };
  if (preview && row.mode === 'off') return { status: 'mode_off' };
  // No run waits, and none was made.
  if (requestedRun === null) return { status: 'too_soon', againAt: againAt! };
  return previews.has(requestedRun) === preview
    ? { status: 'requested', runId: requestedRun, existing: true }
    : { status: 'busy', runId: requestedRun };
}

interface TierRequest {
  user: string;
  /** The run that was made now; null where somebody waits already, or nothing may be asked for. */
  made: string | null;
  requestedRun: string | null;
  mode: UserMode;
  code: string;
  since: number | null;
  /** From when on one may be asked for; null: now. */
  againAt: number | null;
}

/**
 * Looks who waits for a tier and whether it may run at all, keeps others who ask for it waiting, writes a run for each user for whom
 * nothing is in its way, and points the tier at it. Rows are locked in the order of the users, so that nobody waits in a circle.
 */
function insertRequests(tx: Transaction, input: RunsRequest): Promise<TierRequest[]> {
  const { tenant, tier, at, preview = false, why = 'adhoc', isSpaced = false } = input;
  const gap = sql`${REQUEST_GAP_MS}::float8 * interval '1 ms'`;
  const ids = JSON.stringify(input.users.map((user) => ({ user, id: newId(at) })));
  return tx.rows<TierRequest>(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${ids}::jsonb) as g("user" text, id uuid)
    ), held as materialized (
      select t.user_id, t.requested_run, t.quarantine_code, t.quarantined_at, u.mode
      from slowwave.user_tiers t join slowwave.users u on u.tenant = t.tenant and u.id = t.user_id
      where t.tenant = ${tenant} and t.user_id = any(array(select g."user" from given g)) and t.tier = ${tier}
      order by t.user_id
      for update of t /* guard: request-lock */
    ), spaced as materialized (
      select r.user_id, max(r.started_at) + ${gap} as again_at
      from held h join slowwave.runs r on r.tenant = ${tenant} and r.user_id = h.user_id and r.tier = ${tier} and r.why = 'adhoc'
        and r.started_at > ${instantOf(at)} - ${gap}
      where ${isSpaced}::boolean and exists (select 1 from slowwave.model_calls c where c.tenant = ${tenant} and c.user_id = r.user_id
        and c.run_id = r.id and c.state <> 'released' and c.step <> 'embed')
      group by r.user_id
    ), requested as (
      insert into slowwave.runs (tenant, user_id, id, tier, why, status, requested_at, preview)
      select ${tenant}, h.user_id, g.id, ${tier}, ${why}, 'requested', ${instantOf(at)}, ${preview}
      from held h join given g on g."user" = h.user_id
      where (h.mode <> 'off' or not ${preview}::boolean)
        and h.requested_run is null /* guard: request-once */
        and h.quarantined_at is null /* guard: request-quarantine */
        and not exists (select 1 from spaced s where s.user_id = h.user_id) /* guard: request-gap */
      returning user_id, id
    ), pointed as (
      update slowwave.user_tiers t set requested_run = r.id, enqueued_at = ${why === 'batch' ? instantOf(at) : sql`null`}
      from requested r
      where t.tenant = ${tenant} and t.user_id = r.user_id and t.tier = ${tier}
    )
    select h.user_id as "user", r.id as made, h.requested_run as "requestedRun", h.mode,
      coalesce(h.quarantine_code, '') as code, ${msOf('h.quarantined_at')} as since, ${msOf('s.again_at')} as "againAt"
    from held h left join requested r on r.user_id = h.user_id left join spaced s on s.user_id = h.user_id`);
}

/** Which of these runs are previews. */
async function listPreviews(
  tx: Transaction,
  { tenant, runs }: { tenant: string; runs: readonly TierRequest[] },
): Promise<Set<string>> {
  const given = JSON.stringify(runs.map(({ user, requestedRun }) => ({ user, id: requestedRun })));
  const rows = await tx.rows<{ id: string }>(sql`
    select g.id from jsonb_to_recordset(${given}::jsonb) as g("user" text, id uuid), lateral (
      select r.preview from slowwave.runs r where r.tenant = ${tenant} and r.user_id = g."user" and r.id = g.id limit 1) as found
    where found.preview`);
  return new Set(rows.map(({ id }) => id));
}
