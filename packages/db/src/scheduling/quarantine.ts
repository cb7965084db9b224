import { TIERS } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import type { RunOwner } from './run-records.ts';

/** So many starts of a tier in a row whose holder ended without a word put its user in quarantine. */
export const UNENDED_MAX = 3;
/** Code of a quarantine for that reason; any other code is that of the last failure. */
export const NEVER_ENDED = 'never_ended';
export const QUARANTINE_LIST_MAX = 1_000;

/** Why nothing runs for a user. */
export interface Quarantine {
  /** NEVER_ENDED, or the code of the failure that was one too many. */
  code: string;
  /** Epoch ms. */
  since: number;
}

export interface QuarantinedUser extends Quarantine {
  user: string;
  /** The most of any tier: starts that never ended, failures that no outage explains, failures of any kind; each in a row. */
  unended: number;
  faults: number;
  failures: number;
  /** When any tier was last tried, epoch ms. */
  lastAttemptAt: number | null;
}

/**
 * Locks a user's tiers, in the order in which everybody locks several of them, so that nobody waits in a circle. To be called before
 * a statement that may be followed by one over all tiers.
 */
export async function lockTiers(tx: Transaction, of: RunOwner): Promise<void> {
  await tx.rows(sql`
    select 1 from slowwave.user_tiers where tenant = ${of.tenant} and user_id = ${of.user} order by tier for update`);
}

/**
 * Puts a user in quarantine, with all tiers: whatever kills one of them is a danger to the workers of everybody. Expects the tiers
 * to be locked.
 * @param input.at epoch ms
 * @returns false when the user was there already, for the reason of that time
 */
export async function quarantineUser(
  tx: Transaction,
  input: RunOwner & { code: string; at: number },
): Promise<boolean> {
  const rows = await tx.rows(sql`
    update slowwave.user_tiers set quarantined_at = ${instantOf(input.at)}, quarantine_code = ${input.code}
    where tenant = ${input.tenant} and user_id = ${input.user} and quarantined_at is null
    returning 1`);
  return rows.length > 0;
}

/** Why nothing runs for a user, or null when nothing holds them. */
export async function readQuarantine(tx: Transaction, of: RunOwner): Promise<Quarantine | null> {
  const [row] = await tx.rows<Quarantine>(sql`
    select coalesce(quarantine_code, '') as code, ${msOf('quarantined_at')} as since from slowwave.user_tiers
    where tenant = ${of.tenant} and user_id = ${of.user} and quarantined_at is not null
    limit 1`);
  return row ?? null;
}

export type ReleaseResult =
  | ({ status: 'released' } & Quarantine)
  | { status: 'not_quarantined' }
  | { status: 'unknown_user' };

/**
 * Lets a user out of quarantine: nothing counts any more of what led there, and what is due or requested is found by the next tick.
 * A user who is not in quarantine stays as they are.
 */
export async function releaseUser(tx: Transaction, of: RunOwner): Promise<ReleaseResult> {
  const rows = await tx.rows<{ code: string | null; since: number | null }>(sql`
    with held as materialized (
      select tier, quarantine_code, quarantined_at from slowwave.user_tiers
      where tenant = ${of.tenant} and user_id = ${of.user}
      order by tier for update
    ), released as (
      update slowwave.user_tiers t set quarantined_at = null, quarantine_code = null, unended = 0, faults = 0, failures = 0,
        next_attempt_at = '-infinity', enqueued_at = null
      from held
      where t.tenant = ${of.tenant} and t.user_id = ${of.user} and t.tier = held.tier and held.quarantined_at is not null
    )
    select quarantine_code as code, ${msOf('quarantined_at')} as since from held order by quarantined_at nulls last`);
  const [first] = rows;
  if (!first) return { status: 'unknown_user' };
  if (first.since === null) return { status: 'not_quarantined' };
  return { status: 'released', code: first.code ?? '', since: first.since };
}

/** A tenant's users in quarantine, the latest first. @param input.limit at most QUARANTINE_LIST_MAX, a larger one is cut */
export function listQuarantined(
  tx: Transaction,
  input: { tenant: string; limit: number },
): Promise<QuarantinedUser[]> {
  const limit = Math.max(1, Math.min(QUARANTINE_LIST_MAX, Math.floor(input.limit)));
  // A user is in quarantine with all tiers, so one of them finds each user once.
  return tx.rows<QuarantinedUser>(sql`
    select q.user_id as "user", coalesce(q.quarantine_code, '') as code, ${msOf('q.quarantined_at')} as since,
      counted.unended, counted.faults, counted.failures, ${msOf('counted.tried')} as "lastAttemptAt"
    from slowwave.user_tiers q cross join lateral (
      select max(t.unended) as unended, max(t.faults) as faults, max(t.failures) as failures, max(t.last_attempt_at) as tried
      from slowwave.user_tiers t where t.tenant = q.tenant and t.user_id = q.user_id) as counted
    where q.tenant = ${input.tenant} and q.tier = ${TIERS[0]} and q.quarantined_at is not null
    order by q.quarantined_at desc, q.user_id
    limit ${limit}`);
}
