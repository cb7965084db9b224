import { sql } from 'drizzle-orm';
import type { Invariant } from './types.ts';

/** Steps of a chain of memories, each superseded by the next, at most: more is a circle. */
const CHAIN_MAX = 64;

/**
 * A memory is superseded at most once, by a memory of the same user that is there, and the chain ends in one that is latest. The ledger, the
 * rows, the journal and the lineage say the same of it.
 */
export const supersededOnce: Invariant = async ({ rows, mine }) => {
  const found = await rows<{ detail: string }>(sql`
    with recursive memory as materialized (
      select m.tenant, m.user_id, m.id, m.is_latest, m.superseded_by, m.memory_type from slowwave.memories m where ${mine('m')}
      union all
      select c.tenant, c.user_id, c.id, (c.memory->>'is_latest')::boolean, (c.memory->>'superseded_by')::uuid,
        c.memory->>'memory_type'
      from slowwave.cold_memories c where ${mine('c')}
    ), chain as (
      select m.tenant, m.user_id, m.id as start, m.superseded_by as at, 1 as steps from memory m where m.superseded_by is not null
      union all
      select c.tenant, c.user_id, c.start, m.superseded_by, c.steps + 1 from chain c
      join memory m on m.tenant = c.tenant and m.user_id = c.user_id and m.id = c.at
      where m.superseded_by is not null and c.steps < ${CHAIN_MAX}
    ), ends as (
      select distinct on (c.tenant, c.user_id, c.start) c.* from chain c order by c.tenant, c.user_id, c.start, c.steps desc
    ), journal as materialized (
      select c.tenant, c.user_id, (c.row_key->>'id')::uuid as id, count(*)::int as times,
        max(c.after->>'superseded_by') as by
      from slowwave.changes c
      join slowwave.change_sets s on s.tenant = c.tenant and s.user_id = c.user_id and s.id = c.change_set_id
      where ${mine('c')} and c.table_name = 'memories' and s.undone_by is null and s.kind not in ('undo', 'redo')
        and c.before->>'superseded_by' is null and c.after->>'superseded_by' is not null
      group by 1, 2, 3
    ), source as materialized (
      select s.tenant, s.user_id, s.memory_id as id, s.superseded, f.key, f.kind, f.request, f.status, f.derived_id
      from slowwave.fusion_sources s
      join slowwave.fusions f on f.tenant = s.tenant and f.user_id = s.user_id and f.key = s.fusion_key
      where ${mine('s')}
    )
    select format('%s/%s: %s is superseded by %s, which is not there', m.tenant, m.user_id, m.id, m.superseded_by) as detail
    from memory m left join memory n on n.tenant = m.tenant and n.user_id = m.user_id and n.id = m.superseded_by
    where m.superseded_by is not null and n.id is null
    union all
    select format('%s/%s: what %s was superseded by ends in %s', e.tenant, e.user_id, e.start,
      case when e.steps >= ${CHAIN_MAX} then 'a circle' else e.at || ', which is not latest' end)
    from ends e join memory m on m.tenant = e.tenant and m.user_id = e.user_id and m.id = e.at
    where e.steps >= ${CHAIN_MAX} or not m.is_latest
    union all
    select format('%s/%s: %s is %s, latest %s, superseded by %s', m.tenant, m.user_id, m.id, m.memory_type, m.is_latest, m.superseded_by)
    from memory m where (m.memory_type = 'superseded') <> (m.superseded_by is not null) or m.is_latest = (m.superseded_by is not null)
    union all
    select format('%s/%s: the journal says that %s was superseded %s times, by %s at last; the row says %s',
      j.tenant, j.user_id, j.id, j.times, j.by, m.superseded_by)
    from journal j left join memory m on m.tenant = j.tenant and m.user_id = j.user_id and m.id = j.id
    where j.times > 1 or m.superseded_by::text is distinct from j.by
    union all
    select format('%s/%s: %s was superseded by %s and the ledger says it %s times', m.tenant, m.user_id, m.id, m.superseded_by, count(s.id))
    from memory m
    join slowwave.fusions f on f.tenant = m.tenant and f.user_id = m.user_id and f.derived_id = m.superseded_by and f.status = 'applied'
    left join source s on s.tenant = m.tenant and s.user_id = m.user_id and s.id = m.id and s.superseded and s.derived_id = m.superseded_by
    where f.kind = 'fusion' and not exists (
      select 1 from slowwave.conflicts k where k.tenant = m.tenant and k.user_id = m.user_id and k.winner = m.superseded_by
        and m.id in (k.a_id, k.b_id))
    group by m.tenant, m.user_id, m.id, m.superseded_by having count(s.id) <> 1
    union all
    select format('%s/%s: %s counts as superseded by %s %s (%s), and is not', s.tenant, s.user_id, s.id, s.kind, left(s.key, 12), s.status)
    from source s left join memory m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.id
    where s.superseded and (s.status <> 'applied' or m.superseded_by is distinct from s.derived_id)
    union all
    select format('%s/%s: no relation says that %s was derived of %s', s.tenant, s.user_id, s.derived_id, s.id)
    from source s join memory m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.id
    where s.superseded and s.status = 'applied' and not exists (
      select 1 from slowwave.relations r
      where r.tenant = s.tenant and r.user_id = s.user_id and r.source_id = s.derived_id and r.target_id = s.id
        and r.relation_type = case when s.kind = 'merge' and s.request is null then 'UPDATES' else 'DERIVES' end)`);
  return found.map(({ detail }) => detail);
};
