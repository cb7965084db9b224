import { listChangeSets, UndoRefused, undo } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import type { Look, Snapshot } from './types.ts';

interface Owner {
  tenant: string;
  user: string;
}

/** More change sets than any user of a batch has. */
const SETS_MAX = 200;
/** Bookkeeping that only grows, and what the database computes from the rest. */
const LEFT_OUT =
  '{version,updated_at,words,access_count,last_accessed,crosses_080_at,crosses_050_at,crosses_010_at,crosses_005_at}';

/**
 * Takes back everything that was done to these users, newest first, as a person would by hand, and compares what is left with the
 * snapshot: what the journal says was before is what was before.
 * @returns what is not as it was, or could not be taken back
 */
export async function undoAll(look: Look, snapshot: Snapshot, users: readonly Owner[]): Promise<string[]> {
  const refused: string[] = [];
  for (const user of users) {
    let code = await undoNewest(look, user);
    while (code === 'done') code = await undoNewest(look, user);
    if (code !== 'nothing')
      refused.push(`${user.tenant}/${user.user}: what is left is not taken back (${code})`);
  }
  return [...refused, ...(await compare(look, snapshot, users))];
}

/** Undoes the newest change set that can be undone. @returns `done`, `nothing` left, or why the last one was refused */
async function undoNewest({ database }: Look, { tenant, user }: Owner): Promise<string> {
  const sets = await database.withTenant(tenant, (tx) =>
    listChangeSets(tx, { tenant, user, limit: SETS_MAX }),
  );
  // What a night explored goes away with the statement that it is about, and cannot be taken back after it: it comes first. Its instant may be
  // that of the statement, or an earlier one where a clock was ahead.
  const standing = sets
    .filter(({ kind, undoneBy }) => kind !== 'undo' && kind !== 'redo' && undoneBy === null)
    .sort((a, b) => Number(b.kind === 'rem') - Number(a.kind === 'rem') || b.createdAt - a.createdAt);
  let code = 'nothing';
  for (const { id } of standing) {
    try {
      await undo(database, { tenant, user, target: { changeSet: id }, at: Date.now(), actor: null });
      return 'done';
    } catch (error) {
      // Of one instant, a later one may stand on this.
      if (!(error instanceof UndoRefused)) throw error;
      code = error.code;
    }
  }
  return code;
}

async function compare({ rows }: Look, snapshot: Snapshot, users: readonly Owner[]): Promise<string[]> {
  const found = await rows<{ detail: string }>(sql`
    with who as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(users)}::jsonb) as w(tenant text, "user" text)
    ), began as materialized (
      select r->>'tenant' as tenant, r->>'user_id' as user_id, 'memory ' || (r->>'id') as what, r - ${LEFT_OUT}::text[] as row
      from jsonb_array_elements(${snapshot.memories}::jsonb) r
      union all
      select r->>'tenant', r->>'user_id', concat_ws(' ', 'relation', r->>'source_id', r->>'target_id', r->>'relation_type'), r
      from jsonb_array_elements(${snapshot.relations}::jsonb) r
    ), now as materialized (
      select m.tenant, m.user_id, 'memory ' || m.id as what, to_jsonb(m) - ${LEFT_OUT}::text[] as row
      from slowwave.memories m join who w on w.tenant = m.tenant and w."user" = m.user_id
      union all
      select r.tenant, r.user_id, concat_ws(' ', 'relation', r.source_id, r.target_id, r.relation_type), to_jsonb(r)
      from slowwave.relations r join who w on w.tenant = r.tenant and w."user" = r.user_id
    )
    select format('%s/%s: %s after everything was undone: %s', d.tenant, d.user_id, d.what, case
      when d.began is null then 'is there' when d.now is null then 'is not there'
      else 'differs in ' || (
        select string_agg(k.key, ', ') from jsonb_object_keys(d.began || d.now) k(key) where d.began->k.key is distinct from d.now->k.key)
      end) as detail
    from (
      select tenant, user_id, what, b.row as began, n.row as now from began b full join now n using (tenant, user_id, what)
    ) d
    join who w on w.tenant = d.tenant and w."user" = d.user_id
    where d.began is distinct from d.now`);
  return found.map(({ detail }) => detail);
}
