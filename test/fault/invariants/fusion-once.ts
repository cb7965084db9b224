import { sql } from 'drizzle-orm';
import type { Invariant } from './types.ts';

/**
 * Each fusion key is applied at most once: an applied fusion has made one memory and one change set that stands, and every memory that was
 * derived of others is the work of one applied fusion.
 */
export const fusionOnce: Invariant = async ({ rows, mine }) => {
  const found = await rows<{ detail: string }>(sql`
    with made as materialized (
      select m.tenant, m.user_id, m.id from slowwave.memories m
      where ${mine('m')} and m.learned_from in ('consolidation', 'nrem_consolidation') and 'derived' in (m.memory_type, m.prior_type)
      union
      select c.tenant, c.user_id, c.id from slowwave.cold_memories c
      where ${mine('c')} and c.memory->>'learned_from' in ('consolidation', 'nrem_consolidation') and c.memory->>'prior_type' = 'derived'
    ), applied as materialized (
      select f.tenant, f.user_id, f.key, f.kind, f.derived_id, f.status from slowwave.fusions f
      where ${mine('f')} and f.status = 'applied'
    ), standing as materialized (
      select s.tenant, s.user_id, s.fusion_key, s.kind, count(*)::int as n from slowwave.change_sets s
      where ${mine('s')} and s.kind in ('fusion', 'merge') and s.undone_by is null
      group by 1, 2, 3, 4
    ), sources as materialized (
      select s.tenant, s.user_id, s.fusion_key, count(*) filter (where s.live)::int as live,
        count(*) filter (where s.superseded)::int as superseded
      from slowwave.fusion_sources s where ${mine('s')} group by 1, 2, 3
    )
    select format('%s/%s: fusion %s is applied and its memory is not there', a.tenant, a.user_id, left(a.key, 12)) as detail
    from applied a left join made m on m.tenant = a.tenant and m.user_id = a.user_id and m.id = a.derived_id
    where a.kind = 'fusion' and m.id is null
    union all
    select format('%s/%s: memory %s was derived by %s applied fusions', m.tenant, m.user_id, m.id, count(a.key))
    from made m left join applied a
      on a.tenant = m.tenant and a.user_id = m.user_id and a.derived_id = m.id and a.kind = 'fusion'
    group by m.tenant, m.user_id, m.id having count(a.key) <> 1
    union all
    select format('%s/%s: %s %s is applied and has %s standing change sets', a.tenant, a.user_id, a.kind, left(a.key, 12), coalesce(s.n, 0))
    from applied a left join standing s
      on s.tenant = a.tenant and s.user_id = a.user_id and s.fusion_key = a.key and s.kind = a.kind
    where coalesce(s.n, 0) <> 1
    union all
    select format('%s/%s: a change set of %s stands, which is not applied', s.tenant, s.user_id, left(s.fusion_key, 12))
    from standing s left join applied a on a.tenant = s.tenant and a.user_id = s.user_id and a.key = s.fusion_key
    where a.key is null
    union all
    select format('%s/%s: applied fusion %s claims %s memories and superseded %s', a.tenant, a.user_id, left(a.key, 12), s.live, s.superseded)
    from applied a join sources s on s.tenant = a.tenant and s.user_id = a.user_id and s.fusion_key = a.key
    where s.live > 0 or s.superseded = 0
    union all
    -- One question, one answer in force: the same sources are not fused twice, whatever the model, the tier and the prompt.
    select format('%s/%s: one source set was applied under %s keys', f.tenant, f.user_id, count(*))
    from slowwave.fusions f where ${mine('f')} and f.status = 'applied'
    group by f.tenant, f.user_id, f.source_set having count(*) > 1`);
  return found.map(({ detail }) => detail);
};
