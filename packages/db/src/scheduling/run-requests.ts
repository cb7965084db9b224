import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { instantOf, msOf } from '../instants.ts';
import type { Quarantine } from './quarantine.ts';
import type { RunOwner } from './run-records.ts';

export type RequestResult =
  /** `existing`: somebody asked before and it has not begun: the same run answers both. */
  | { status: 'requested'; runId: string; existing: boolean }
  | { status: 'unknown_user' }
  /** Nothing runs for this user, and nothing was asked for, until somebody releases the user. */
  | ({ status: 'quarantined' } & Quarantine);

/**
 * Asks for a run of one tier, now. It stands in the database before anything is queued, so it is not lost with the queue; asking
 * twice is one run. A wake-up of the schedule that is still in the queue does not hold it back, nor does a pause.
 * @param input.at epoch ms
 */
export async function requestRun(
  tx: Transaction,
  input: RunOwner & { tier: Tier; at: number },
): Promise<RequestResult> {
  const tier = await lockTier(tx, input);
  if (!tier) return { status: 'unknown_user' };
  const { requestedRun, code, since } = tier;
  if (since !== null) return { status: 'quarantined', code, since };
  if (requestedRun) return { status: 'requested', runId: requestedRun, existing: true };
  const runId = newId(input.at);
  await insertRequest(tx, input, runId);
  return { status: 'requested', runId, existing: false };
}

/** Reads who waits for a tier and whether it may run at all, and keeps others who ask for it waiting. */
async function lockTier(
  tx: Transaction,
  input: RunOwner & { tier: Tier },
): Promise<{ requestedRun: string | null; code: string; since: number | null } | undefined> {
  const [row] = await tx.rows<{ requestedRun: string | null; code: string; since: number | null }>(sql`
    select requested_run as "requestedRun", coalesce(quarantine_code, '') as code, ${msOf('quarantined_at')} as since
    from slowwave.user_tiers
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
