import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { msOf } from '../instants.ts';

/**
 * The next instant (epoch ms) at which anybody may run each tier; tiers with nothing ahead are left out. It looks at every row: for a
 * clock that jumps from one event to the next, not for a service. For the dispatcher's role.
 */
export async function upcoming(tx: Transaction): Promise<Partial<Record<Tier, number>>> {
  const rows = await tx.rows<{ tier: Tier; at: number }>(sql`
    select tier, ${msOf('min(greatest(due_at, next_attempt_at))')} as at from slowwave.user_tiers
    where not paused and not tenant_paused and quarantined_at is null and isfinite(due_at)
      and tier not in (select p.tier from slowwave.tier_pauses p)
    group by tier`);
  return Object.fromEntries(rows.map(({ tier, at }) => [tier, at]));
}
