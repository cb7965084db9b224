import { sql } from 'drizzle-orm';
import { nameArray, uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import { forgottenMark } from '../memories/insert.ts';
import { restoreMemories } from '../memories/upkeep/restore.ts';
import type { Plan } from './plan.ts';
import type { Owner } from './reach.ts';

/**
 * Lets memories stand for themselves again that something forgotten stood for: latest, of the type they had, and without the end of
 * validity that losing to it had given them. To be called while the journal still has its images.
 * @returns their ids; of those in the cold table the ones that could be put back
 */
export async function reopenSources(
  tx: Transaction,
  of: Owner & { at: number },
  plan: Plan,
): Promise<string[]> {
  const ids = uuidArray([...plan.reach.why.keys()]);
  const at = instantOf(of.at);
  const rows = await tx.rows<{ id: string }>(sql`
    with lost as materialized (
      select m.id, case
          when i.id is not null then case when i.after = m.valid_to then i.before else m.valid_to end
          when exists (
            select 1 from slowwave.conflicts c
            where ${owned(of, 'c')} and c.status = 'resolved' and c.winner = m.superseded_by and m.id in (c.a_id, c.b_id))
            then null
          else m.valid_to end as valid_to
      from slowwave.memories m left join lateral (
        -- What superseding it changed, most lately.
        select c.change_set_id as id, (c.before->>'valid_to')::timestamptz as before, (c.after->>'valid_to')::timestamptz as after
        from slowwave.changes c join slowwave.change_sets s on ${owned(of, 's')} and s.id = c.change_set_id
        where ${owned(of, 'c')} and c.row_key->>'id' = m.id::text and c.table_name = 'memories'
          and c.after->>'superseded_by' = m.superseded_by::text and jsonb_exists(c.after, 'valid_to')
        order by s.created_at desc, s.id desc limit 1) i on true
      where ${owned(of, 'm')} and m.superseded_by = any(${ids}) and not m.id = any(${ids})
    )
    update slowwave.memories m set is_latest = true, memory_type = m.prior_type, prior_type = null, superseded_by = null,
      valid_to = lost.valid_to, version = m.version + 1, updated_at = ${at}
    from lost where ${owned(of, 'm')} and m.id = lost.id
    returning m.id`);
  return [...rows.map(({ id }) => id), ...(await reopenCold(tx, of, plan))];
}

/** What was moved away because something forgotten had superseded it comes back, for it is all there is left of what it says. */
async function reopenCold(tx: Transaction, of: Owner & { at: number }, { reach }: Plan): Promise<string[]> {
  const ids = nameArray(reach.why.keys());
  const rows = await tx.rows<{ id: string }>(sql`
    update slowwave.cold_memories c set memory = c.memory || jsonb_build_object('is_latest', true,
      'memory_type', c.memory->'prior_type', 'prior_type', null, 'superseded_by', null,
      'version', (c.memory->>'version')::int + 1, 'updated_at', ${instantOf(of.at)})
    where ${owned(of, 'c')} and c.memory->>'superseded_by' = any(${ids}) and not c.id::text = any(${ids})
    returning c.id`);
  if (rows.length === 0) return [];
  const cold = rows.map(({ id }) => id);
  await restoreMemories(tx, { ...of, ids: cold });
  const back = await tx.rows<{ id: string }>(sql`
    select m.id from slowwave.memories m where ${owned(of, 'm')} and m.id = any(${uuidArray(cold)})`);
  return back.map(({ id }) => id);
}

/** Takes what refers to anything forgotten out of the cold table. */
export async function clearCold(tx: Transaction, of: Owner, { reach }: Plan): Promise<void> {
  const ids = nameArray(reach.why.keys());
  const keys = nameArray(reach.keys);
  const gone = (relation: string) =>
    sql`(${sql.raw(relation)}->>'source_id' = any(${ids}) or ${sql.raw(relation)}->>'target_id' = any(${ids}))`;
  await tx.rows(sql`
    update slowwave.cold_memories c set
      relations = (
        select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(c.relations) r where not ${gone('r')}),
      fusion_sources = (
        select coalesce(jsonb_agg(case when p->>'fusion_key' = any(${keys})
          then p || '{"live": false, "superseded": false}' else p end), '[]')
        from jsonb_array_elements(c.fusion_sources) p)
    where ${owned(of, 'c')} and (
      exists (select 1 from jsonb_array_elements(c.relations) r where ${gone('r')})
      or exists (select 1 from jsonb_array_elements(c.fusion_sources) p where p->>'fusion_key' = any(${keys})))`);
}

export interface MemoryCounts {
  relations: number;
  conflicts: number;
  conflictIds: string[];
  embeddings: number;
  neighbours: number;
  verdicts: number;
}

/** What hangs on the forgotten memories and goes with them. */
export async function countHanging(tx: Transaction, of: Owner, { reach }: Plan): Promise<MemoryCounts> {
  const ids = uuidArray([...reach.why.keys()]);
  const [row] = await tx.rows<Omit<MemoryCounts, 'conflicts'>>(sql`
    select
      (select count(*)::int from slowwave.relations
        where ${owned(of)} and (source_id = any(${ids}) or target_id = any(${ids}))) as relations,
      (select coalesce(jsonb_agg(id), '[]') from slowwave.conflicts
        where ${owned(of)} and (a_id = any(${ids}) or b_id = any(${ids}))) as "conflictIds",
      (select count(*)::int from slowwave.embeddings where ${owned(of)} and memory_id = any(${ids})) as embeddings,
      (select count(*)::int from slowwave.neighbours
        where ${owned(of)} and (memory_id = any(${ids}) or neighbour_id = any(${ids}))) as neighbours,
      (select count(*)::int from slowwave.rem_verdicts
        where ${owned(of)} and (a_id = any(${ids}) or b_id = any(${ids}))) as verdicts`);
  return { ...row!, conflicts: row!.conflictIds.length };
}

/** The memories themselves, with all that hangs on them; nothing under way may bring one back under its id. */
export async function removeMemories(
  tx: Transaction,
  of: Owner & { at: number },
  { reach }: Plan,
): Promise<void> {
  const ids = uuidArray([...reach.why.keys()]);
  const names = await tx.rows<{ name: string }>(sql`
    select m.external_id as name from slowwave.memories m
    where ${owned(of, 'm')} and m.id = any(${ids}) and m.external_id is not null
    union
    select c.memory->>'external_id' from slowwave.cold_memories c
    where ${owned(of, 'c')} and c.id = any(${ids}) and c.memory->>'external_id' is not null`);
  const marks = names.map(({ name }) => forgottenMark(of.tenant, of.user, name));
  await tx.rows(sql`
    insert into slowwave.tombstones (tenant, user_id, memory_id, forgotten_at)
    select ${of.tenant}, ${of.user}, id, ${instantOf(of.at)} from unnest(${uuidArray([...reach.why.keys(), ...marks])}) as id
    on conflict do nothing`);
  await tx.rows(sql`delete from slowwave.cold_memories where ${owned(of)} and id = any(${ids})`);
  await tx.rows(sql`delete from slowwave.memories where ${owned(of)} and id = any(${ids})`);
}
