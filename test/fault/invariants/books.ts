import { sql } from 'drizzle-orm';
import type { Invariant } from './types.ts';

/**
 * A paid answer is judged once: what was applied was accepted, what was rejected is used by nobody, attempts follow each other and none is
 * paid for after one that may be used.
 */
export const judgedOnce: Invariant = async ({ rows, mine }) => {
  const found = await rows<{ detail: string }>(sql`
    select format('%s/%s: fusion %s is %s and its answer is %s', f.tenant, f.user_id, left(f.key, 12), f.status, f.answer_state) as detail
    from slowwave.fusions f
    where ${mine('f')} and f.kind = 'fusion' and (
      (f.request is null and f.status in ('applied', 'review') and (f.answer_state <> 'accepted' or f.output is null))
      or (f.status = 'closed' and (f.answer_state <> 'accepted' or f.output is null))
      or (f.request is not null and (f.output is not null or f.answer_state <> 'none'))
      or (f.status = 'generated' and (f.answer_state not in ('unjudged', 'accepted', 'rejected') or f.output is null))
      or (f.status = 'planned' and f.answer_state in ('unjudged', 'accepted'))
      or f.attempt < 1)
    union all
    select format('%s/%s: statement %s is %s and the fusion that it answers is %s', f.tenant, f.user_id, left(f.key, 12), f.status,
      coalesce(q.status, 'not there'))
    from slowwave.fusions f
    left join slowwave.fusions q on q.tenant = f.tenant and q.user_id = f.user_id and q.key = f.request
    where ${mine('f')} and f.request is not null and f.status in ('applied', 'review')
      and (q.status is distinct from 'closed' or (q.kind = 'fusion') <> (f.kind = 'fusion') or (q.output is null and q.kind = 'fusion'))
    union all
    select format('%s/%s: merge %s has an answer of a model', f.tenant, f.user_id, left(f.key, 12))
    from slowwave.fusions f where ${mine('f')} and f.kind = 'merge' and (f.output is not null or f.answer_state <> 'none')
    union all
    select format('%s/%s: answer %s of %s: %s attempts, the last is %s, %s may be used', a.tenant, a.user_id, left(a.key, 12), a.step,
      count(*), max(a.attempt), count(*) filter (where a.state <> 'rejected'))
    from slowwave.model_answers a where ${mine('a')}
    group by a.tenant, a.user_id, a.key, a.step
    having max(a.attempt) <> count(*) or count(*) filter (where a.state <> 'rejected') > 1
      or max(a.attempt) filter (where a.state <> 'rejected') < max(a.attempt)`);
  return found.map(({ detail }) => detail);
};

/** What is told once is told once: conflicts of a pair, events of a run, check-ins; and runs add up to the ledger. */
export const toldOnce: Invariant = async ({ rows, mine }) => {
  const found = await rows<{ detail: string }>(sql`
    select format('%s/%s: the conflict of %s and %s stands there %s times', k.tenant, k.user_id, k.a_id, k.b_id, count(*)) as detail
    from slowwave.conflicts k where ${mine('k')}
    group by k.tenant, k.user_id, k.a_id, k.b_id, k.a_hash, k.b_hash having count(*) > 1
    union all
    select format('%s/%s: the end of run %s is told %s times to one webhook', d.tenant, d.user_id, d.payload->>'runId', count(*))
    from slowwave.webhook_deliveries d where ${mine('d')} and d.event = 'run.finished'
    group by d.tenant, d.user_id, d.webhook_id, d.payload->>'runId' having count(*) > 1
    union all
    select format('%s/%s: run %s is %s and was %s', r.tenant, r.user_id, r.id, r.status,
      case when r.finished_at is null then 'never finished' else 'finished before its end' end)
    from slowwave.runs r
    where ${mine('r')} and (r.status in ('requested', 'running')) = (r.finished_at is not null)
    union all
    select format('%s/%s: runs tell of %s fusions and the ledger has %s', t.tenant, t.user_id, t.told, t.done)
    from (
      select u.tenant, u.id as user_id, (
          select coalesce(sum((s->'counts'->'clusters'->>'committed')::int), 0) from slowwave.runs r
          cross join lateral jsonb_array_elements(r.report->'steps') s
          where r.tenant = u.tenant and r.user_id = u.id and jsonb_typeof(s->'counts'->'clusters') = 'object') as told, (
          select count(*) from slowwave.fusions f
          where f.tenant = u.tenant and f.user_id = u.id and (f.kind = 'fusion' or f.request is not null)
            and f.status in ('applied', 'undone', 'forgotten', 'stale')) as done
      from slowwave.users u where ${mine('u')}
    ) t where t.told > t.done`);
  return found.map(({ detail }) => detail);
};
