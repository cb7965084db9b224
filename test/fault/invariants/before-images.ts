import { sql } from 'drizzle-orm';
import type { Invariant, Look } from './types.ts';

/** Columns that change without being journalled: they count, or the database solves them from the others. */
const UNJOURNALLED =
  '{version,updated_at,access_count,last_accessed,words,crosses_080_at,crosses_050_at,crosses_010_at,crosses_005_at}';

/**
 * The journal is complete: images are whole rows where a fusion wrote them and of the same columns on both sides everywhere, and column by
 * column they lead from the row as it was in the snapshot to the row as it is, so that nothing was changed without them.
 */
export const beforeImages: Invariant = async (look, { snapshot }) => [
  ...(await incomplete(look)),
  ...(snapshot === undefined ? [] : await unbalanced(look, snapshot.memories)),
  ...(snapshot === undefined ? [] : await strangeRelations(look, snapshot.relations)),
];

async function incomplete({ rows, mine }: Look): Promise<string[]> {
  const found = await rows<{ detail: string }>(sql`
    with expected as materialized (
      select c.table_name::text as name, array_agg(c.column_name::text order by c.column_name::text) as columns
      from information_schema.columns c where c.table_schema = 'slowwave' and c.column_name <> 'words' group by 1
    ), image as materialized (
      select c.tenant, c.user_id, c.change_set_id, c.table_name, s.kind,
        array(select jsonb_object_keys(c.before) order by 1) as before, c.before is null as made,
        array(select jsonb_object_keys(c.after) order by 1) as after, c.after is null as gone
      from slowwave.changes c
      join slowwave.change_sets s on s.tenant = c.tenant and s.user_id = c.user_id and s.id = c.change_set_id
      where ${mine('c')} and s.images_dropped_at is null
    )
    select format('%s/%s: an image of %s in change set %s (%s) is not the whole row', i.tenant, i.user_id, i.table_name, i.change_set_id,
      i.kind) as detail
    from image i join expected e on e.name = i.table_name
    where i.kind = 'fusion' and ((not i.made and i.before <> e.columns) or (not i.gone and i.after <> e.columns))
    union all
    select format('%s/%s: the images of %s in change set %s (%s) are of other columns before and after', i.tenant, i.user_id, i.table_name,
      i.change_set_id, i.kind)
    from image i where not i.made and not i.gone and i.before <> i.after
    union all
    select format('%s/%s: change set %s (%s) has no images', s.tenant, s.user_id, s.id, s.kind)
    from slowwave.change_sets s
    where ${mine('s')} and s.images_dropped_at is null and not exists (
      select 1 from slowwave.changes c where c.tenant = s.tenant and c.user_id = s.user_id and c.change_set_id = s.id)`);
  return found.map(({ detail }) => detail);
}

/**
 * Each value of a column is entered as often as it is left: by the snapshot or a creation it is entered, by the row as it is it is left, and
 * each image does both. Whatever the order of changes was, any other sum is a change that nobody wrote down, or an image that is not true.
 */
async function unbalanced({ rows, mine }: Look, snapshot: string): Promise<string[]> {
  const found = await rows<{ detail: string }>(sql`
    with began as materialized (
      select r->>'tenant' as tenant, r->>'user_id' as user_id, r->>'id' as id, r as row from jsonb_array_elements(${snapshot}::jsonb) r
    ), dropped as materialized (
      select distinct s.tenant, s.user_id from slowwave.change_sets s where ${mine('s')} and s.images_dropped_at is not null
    ), change as materialized (
      -- Put together anew, an image is not unpacked again for each of its columns.
      select c.tenant, c.user_id, c.row_key->>'id' as id, c.before || '{}' as before, c.after || '{}' as after from slowwave.changes c
      where ${mine('c')} and c.table_name = 'memories'
    ), known as materialized (
      -- What was pruned and came back has more than one beginning.
      select tenant, user_id, id, bool_or(after is null) as went, (array_agg(after) filter (where before is null))[1] as made
      from change group by 1, 2, 3
    ), judged as materialized (
      select n.tenant, n.user_id, n.id::text as id, coalesce(b.row, k.made) as began, to_jsonb(n) as row
      from slowwave.memories n
      left join began b on b.tenant = n.tenant and b.user_id = n.user_id and b.id = n.id::text
      left join known k on k.tenant = n.tenant and k.user_id = n.user_id and k.id = n.id::text
      left join dropped d on d.tenant = n.tenant and d.user_id = n.user_id
      where ${mine('n')} and coalesce(b.row, k.made) is not null and k.went is not true and d.tenant is null
    ), flow as (
      -- Where both sides agree they cancel out, so only what differs is counted.
      select j.tenant, j.user_id, j.id, e.key, v.value, v.n
      from judged j cross join lateral jsonb_each(j.began) e
      cross join lateral (values (e.value, 1), (j.row->e.key, -1)) v(value, n)
      where e.value is distinct from j.row->e.key
      union all
      select c.tenant, c.user_id, c.id, e.key, v.value, v.n
      from judged j join change c on c.tenant = j.tenant and c.user_id = j.user_id and c.id = j.id and c.before is not null
      cross join lateral jsonb_each(c.after) e
      cross join lateral (values (e.value, 1), (c.before->e.key, -1)) v(value, n)
      where e.value is distinct from c.before->e.key and j.began ? e.key
    ), odd as (
      select tenant, user_id, id, key from flow where key <> all(${UNJOURNALLED}::text[])
      group by tenant, user_id, id, key, value having sum(n) <> 0
    )
    select format('%s/%s: the images of %s do not lead from what it was to what it is (%s)', tenant, user_id, id,
      string_agg(distinct key, ', ' order by key)) as detail
    from odd group by tenant, user_id, id`);
  return found.map(({ detail }) => detail);
}

/** Relations came and went as the journal says. */
async function strangeRelations({ rows, mine }: Look, snapshot: string): Promise<string[]> {
  const found = await rows<{ detail: string }>(sql`
    with flow as (
      select r->>'tenant' as tenant, r->>'user_id' as user_id, r->>'source_id' as source, r->>'target_id' as target,
        r->>'relation_type' as type, 1 as n
      from jsonb_array_elements(${snapshot}::jsonb) r
      union all
      select r.tenant, r.user_id, r.source_id::text, r.target_id::text, r.relation_type, -1 from slowwave.relations r where ${mine('r')}
      union all
      select c.tenant, c.user_id, c.row_key->>'source_id', c.row_key->>'target_id', c.row_key->>'relation_type',
        (c.after is not null)::int - (c.before is not null)::int
      from slowwave.changes c where ${mine('c')} and c.table_name = 'relations'
    )
    select format('%s/%s: the journal does not say how a relation %s from %s to %s came or went', tenant, user_id, type, source, target)
      as detail
    from flow f
    where not exists (
      select 1 from slowwave.change_sets s
      where s.tenant = f.tenant and s.user_id = f.user_id and s.images_dropped_at is not null)
    group by tenant, user_id, type, source, target having sum(n) <> 0`);
  return found.map(({ detail }) => detail);
}
