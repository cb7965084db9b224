import { sql } from 'drizzle-orm';
import { toldOf } from './look.ts';
import type { Look } from './types.ts';

/** The queues whose jobs are work. */
const WORK_QUEUES = ['light', 'deep', 'sleep', 'adhoc', 'fusions'] as const;

/** One thing that is not done yet: ids, counts and codes. */
export interface Unfinished {
  what: 'lease' | 'run' | 'tier' | 'fusion' | 'queue';
  detail: string;
}

/**
 * Everything that is due and not done: leases that are held, runs that are asked for or under way, tiers that are due and may be tried now,
 * and jobs in the queues. Not: users in quarantine or paused, tiers that wait after a failure, what is due later.
 */
export async function findUnfinished(look: Look): Promise<Unfinished[]> {
  const { rows, mine } = look;
  const inDatabase = await rows<Unfinished>(sql`
    select 'lease' as what, format('%s/%s is held by %s for %s ms more', l.tenant, l.user_id, l.holder,
      round(extract(epoch from l.expires_at - clock_timestamp()) * 1000)) as detail
    from slowwave.leases l where ${mine('l')} and l.expires_at > clock_timestamp()
    union all
    select 'run', format('%s/%s: %s run %s is %s for %s ms', r.tenant, r.user_id, r.tier, r.id, r.status,
      round(extract(epoch from clock_timestamp() - coalesce(r.started_at, r.requested_at)) * 1000))
    from slowwave.runs r where ${mine('r')} and r.status in ('requested', 'running') and not exists (
      select 1 from slowwave.user_tiers t
      where t.tenant = r.tenant and t.user_id = r.user_id and t.quarantined_at is not null)
      -- Somebody for whom nothing is ever due again was put to rest.
      and exists (
        select 1 from slowwave.user_tiers t
        where t.tenant = r.tenant and t.user_id = r.user_id and (t.due_at < 'infinity' or t.requested_run is not null))
    union all
    select 'tier', format('%s/%s: %s is %s, %s, failures %s, unended %s%s', t.tenant, t.user_id, t.tier,
      case when not isfinite(t.due_at) then 'never due'
        else format('due for %s ms', round(extract(epoch from clock_timestamp() - t.due_at) * 1000)) end,
      case when t.enqueued_at is null then 'not enqueued'
        else format('enqueued %s ms ago', round(extract(epoch from clock_timestamp() - t.enqueued_at) * 1000)) end,
      t.failures, t.unended, case when t.requested_run is null then '' else format(', run %s requested', t.requested_run) end)
    from slowwave.user_tiers t
    where ${mine('t')} and t.quarantined_at is null and (t.requested_run is not null or (
      t.due_at <= clock_timestamp() and t.next_attempt_at <= clock_timestamp() and not t.paused and not t.tenant_paused
      and not exists (select 1 from slowwave.tier_pauses p where p.tier = t.tier)))
    order by 1, 2`);
  return [...inDatabase, ...(await inQueues(look))];
}

async function inQueues({ queues }: Look): Promise<Unfinished[]> {
  if (queues === null) return [];
  const counted = await Promise.all(
    WORK_QUEUES.map(async (name) => ({ name, ...(await queues.counts(name)) })),
  );
  return counted.flatMap(({ name, waiting, active, delayed }): Unfinished[] =>
    waiting + active + delayed === 0
      ? []
      : [{ what: 'queue', detail: `${name}: ${waiting} waiting, ${active} active, ${delayed} delayed` }],
  );
}

/** A short description for a report: how many of each, and the first ones. */
export function describeAll(found: readonly Unfinished[]): string {
  const counts = new Map<string, number>();
  for (const { what } of found) counts.set(what, (counts.get(what) ?? 0) + 1);
  const counted = [...counts].map(([what, count]) => `${count} ${what}${count === 1 ? '' : 's'}`).join(', ');
  if (found.length === 0) return 'nothing';
  return [counted, ...toldOf(found.map(({ what, detail }) => `${what}: ${detail}`))].join('\n  ');
}
