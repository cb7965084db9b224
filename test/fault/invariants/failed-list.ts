import { fusionJobId, type QueueName } from '@slowwave/queue';
import { sql } from 'drizzle-orm';
import { lostBefore } from './due-users.ts';
import type { Invariant, Look } from './types.ts';

/** More jobs than any batch leaves behind. */
const LIST_MAX = 50_000;

/** Jobs of the batch that stand in a failed list; those whose payload names nobody count as everybody's. */
async function failedOf({ queues, tenants }: Look, name: QueueName) {
  const jobs = queues === null ? [] : await queues.failed(name, 0, LIST_MAX);
  return jobs.filter(({ ids }) => ids.tenant === undefined || tenants.includes(ids.tenant));
}

/** What failed for good stands in the ledger and in the failed list of `fusions`, and nothing stands in one of the two alone. */
export const failedList: Invariant = async (look, given) => {
  if (look.queues === null) return [];
  const jobs = await failedOf(look, 'fusions');
  const listed = new Map(jobs.map((job) => [job.id, job]));
  const ledger = await look.rows<{ tenant: string; user: string; key: string; code: string; at: number }>(sql`
    select f.tenant, f.user_id as "user", f.key, coalesce(f.error_code, '') as code,
      extract(epoch from f.updated_at)::float8 * 1000 as at
    from slowwave.fusions f where ${look.mine('f')} and f.status = 'failed' and f.kind <> 'merge'`);
  const failed = new Set(ledger.map(({ key }) => fusionJobId(key)));
  const lost = lostBefore(given) ?? Number.NEGATIVE_INFINITY;
  return [
    ...ledger
      .filter(({ key, at }) => !listed.has(fusionJobId(key)) && at > lost)
      .map(
        ({ tenant, user, key, code }) =>
          `${tenant}/${user}: fusion ${key.slice(0, 12)} failed (${code}) and is not in the failed list`,
      ),
    ...jobs
      .filter(({ id }) => !failed.has(id))
      .map(({ ids, reason }) => {
        const { tenant = '?', user = '?', key = '?' } = ids;
        return `${tenant}/${user}: fusion ${key.slice(0, 12)} is in the failed list (${codeOf(reason)}) and has not failed`;
      }),
  ];
};

/** A reason is `code: name=id …`: its code alone. */
const codeOf = (reason: string): string => /^[a-z_]{1,40}/.exec(reason)?.[0] ?? 'of another form';

const NEVER_FAILING = ['light', 'deep', 'sleep', 'adhoc'] as const;

/**
 * Of a job whose workers ended more often than allowed: the sweeper has woken its user again, and the list tells the operator. Its end is one attempt; an
 * error that was thrown on purpose may have used another one before, and nothing else may.
 */
const STALLED_OUT = 'job';

/** Kills use no attempt: no wake-up fails for good, and nobody is in quarantine but those who earned it. */
export const attempts: Invariant = async (look, { poisoned = [], thrown = 0 }) => {
  const found: string[] = [];
  let explained = thrown;
  for (const name of NEVER_FAILING) {
    for (const { ids, reason, attemptsMade } of await failedOf(look, name)) {
      const { tenant = '?', user = '?' } = ids;
      if (codeOf(reason) === STALLED_OUT) {
        explained -= Math.max(0, attemptsMade - 1);
        if (attemptsMade <= 1 || explained >= 0) continue;
      }
      if (poisoned.some((one) => one.tenant === tenant && one.user === user)) continue;
      found.push(
        `${tenant}/${user}: a job of ${name} failed for good after ${attemptsMade} attempts (${codeOf(reason)})`,
      );
    }
  }
  const known = JSON.stringify(poisoned);
  const quarantined = await look.rows<{ detail: string }>(sql`
    select format('%s/%s is in quarantine (%s)', t.tenant, t.user_id, max(t.quarantine_code)) as detail
    from slowwave.user_tiers t
    where ${look.mine('t')} and t.quarantined_at is not null and not exists (
      select 1 from jsonb_to_recordset(${known}::jsonb) as p(tenant text, "user" text)
      where p.tenant = t.tenant and p."user" = t.user_id)
    group by t.tenant, t.user_id`);
  return [...found, ...quarantined.map(({ detail }) => detail)];
};
