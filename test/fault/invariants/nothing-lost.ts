import { sql } from 'drizzle-orm';
import type { Invariant } from './types.ts';

/** What says what a memory is; nothing that a tier does changes these. */
const LASTING =
  '{content,content_hash,category,importance,confidence,trust,origin,session,document_date,external_id,learned_from,visibility}';

/**
 * Every memory that was there before is there still, and says the same; what is new says in the journal where it came from. A memory's hash is
 * that of its text.
 */
export const nothingLost: Invariant = async ({ rows, mine }, { snapshot }) => {
  const hashes = await rows<{ detail: string }>(sql`
    select format('%s/%s: the hash of %s is not that of its text', m.tenant, m.user_id, m.id) as detail
    from slowwave.memories m
    where ${mine('m')} and m.content_hash <> encode(sha256(convert_to(m.content, 'UTF8')), 'hex')`);
  if (snapshot === undefined) return hashes.map(({ detail }) => detail);
  const found = await rows<{ detail: string }>(sql`
    with began as materialized (
      select r->>'tenant' as tenant, r->>'user_id' as user_id, (r->>'id')::uuid as id, r as row
      from jsonb_array_elements(${snapshot.memories}::jsonb) r
    ), now as materialized (
      select m.tenant, m.user_id, m.id, to_jsonb(m) as row from slowwave.memories m where ${mine('m')}
      union all
      select c.tenant, c.user_id, c.id, c.memory from slowwave.cold_memories c where ${mine('c')}
    )
    select format('%s/%s: memory %s is gone', b.tenant, b.user_id, b.id) as detail
    from began b left join now n on n.tenant = b.tenant and n.user_id = b.user_id and n.id = b.id where n.id is null
    union all
    select format('%s/%s: memory %s stands there twice', n.tenant, n.user_id, n.id)
    from now n group by n.tenant, n.user_id, n.id having count(*) > 1
    union all
    select format('%s/%s: memory %s says or is something else than before (%s)', b.tenant, b.user_id, b.id, (
      select string_agg(k.name, ', ') from unnest(${LASTING}::text[]) k(name) where b.row->k.name is distinct from n.row->k.name))
    from began b join now n on n.tenant = b.tenant and n.user_id = b.user_id and n.id = b.id
    where exists (select 1 from unnest(${LASTING}::text[]) k(name) where b.row->k.name is distinct from n.row->k.name)
    union all
    select format('%s/%s: nothing says where memory %s comes from', n.tenant, n.user_id, n.id)
    from now n left join began b on b.tenant = n.tenant and b.user_id = n.user_id and b.id = n.id
    where b.id is null and n.row->>'external_id' is null and not exists (
      select 1 from slowwave.change_sets s
      where s.tenant = n.tenant and s.user_id = n.user_id and s.images_dropped_at is not null
    ) and not exists (
      select 1 from slowwave.changes c
      where c.tenant = n.tenant and c.user_id = n.user_id and c.table_name = 'memories' and c.row_key->>'id' = n.id::text
        and c.before is null)`);
  return [...hashes, ...found].map(({ detail }) => detail);
};
