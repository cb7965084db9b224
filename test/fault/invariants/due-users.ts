import { sql } from 'drizzle-orm';
import type { Given, Invariant } from './types.ts';
import { findUnfinished } from './unfinished.ts';

/** Clocks of one machine agree to within this, ms. */
const CLOCK_MS = 2_000;

/** What was written after this instant (epoch ms) is not excused by a flush: it was not in the queue that was lost. */
export function lostBefore({ tally, clockShiftMs = 0 }: Given): number | null {
  return tally.flushedAt === null ? null : tally.flushedAt + CLOCK_MS + clockShiftMs;
}

/**
 * Once the storm is over, nobody who is due is left out: all is done but for those in quarantine or paused and what waits after a failure.
 * Nobody is held, no run is open, no memory is claimed by a fusion that nobody works on.
 */
export const dueUsers: Invariant = async (look, given) => {
  const { rows, mine } = look;
  const flushed = lostBefore(given);
  const lost =
    flushed === null ? sql`'-infinity'::timestamptz` : sql`to_timestamp(${flushed}::float8 / 1000)`;
  const claims = await rows<{ detail: string }>(sql`
    select format('%s/%s: fusion %s is %s and claims %s memories', f.tenant, f.user_id, left(f.key, 12), f.status, count(*)) as detail
    from slowwave.fusions f
    join slowwave.fusion_sources s on s.tenant = f.tenant and s.user_id = f.user_id and s.fusion_key = f.key
    where ${mine('f')} and s.live and f.status <> 'review'
      -- A retry that was lost with the queue is planned again by the next run of its tier.
      and not (f.status in ('planned', 'generated') and f.updated_at <= ${lost})
      and not (f.status in ('planned', 'generated') and exists (
        select 1 from slowwave.user_tiers t
        where t.tenant = f.tenant and t.user_id = f.user_id and (t.quarantined_at is not null
          or (t.tier = f.tier and t.next_attempt_at > clock_timestamp()))))
    group by f.tenant, f.user_id, f.key, f.status`);
  const missing = await rows<{ detail: string }>(sql`
    select format('%s/%s has %s tiers', u.tenant, u.id, count(t.tier)) as detail
    from slowwave.users u left join slowwave.user_tiers t on t.tenant = u.tenant and t.user_id = u.id
    where ${mine('u')} group by u.tenant, u.id having count(t.tier) <> 3`);
  const unfinished = await findUnfinished(look);
  return [...unfinished, ...claims, ...missing].map(({ detail }) => detail);
};
