import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { uuidOrNull } from './addressed.ts';
import { MemoryRefused } from './refused.ts';

/**
 * Whose memory is meant. Every user of the tenant costs two look-ups by key, never a walk over the tenant's memories; of a user's
 * own two, the one with that id comes before the one with that name.
 * @param input.user absent: whoever's of the tenant it is
 * @param input.id our id, or the writer's own
 * @throws MemoryRefused `ambiguous` when several users have a memory of that name and none is given
 */
export async function locateMemory(
  tx: Transaction,
  input: { tenant: string; user?: string | undefined; id: string },
): Promise<{ user: string; id: string } | undefined> {
  const uuid = uuidOrNull(input.id);
  const found = await tx.rows<{ user: string; id: string; named: boolean }>(sql`
    select u.id as "user", m.id, m.named
    from slowwave.users u cross join lateral (
      select i.id, false as named from slowwave.memories i where i.tenant = u.tenant and i.user_id = u.id and i.id = ${uuid}::uuid
      union all
      select e.id, true from slowwave.memories e where e.tenant = u.tenant and e.user_id = u.id and e.external_id = ${input.id}
      limit 2
    ) m
    where u.tenant = ${input.tenant} and (${input.user ?? null}::text is null or u.id = ${input.user ?? null}::text)
    order by m.named, u.id
    limit 3`);
  const [first, second] = found;
  const ambiguous = first?.named && second?.named && first.user !== second.user;
  if (!ambiguous) return first;
  throw new MemoryRefused('ambiguous', input.id, 'several users have a memory of that name: say whose');
}
