import { sql } from 'drizzle-orm';
import { nameArray, uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import { IS_BARE, settlementsBared } from '../undo/drop-images.ts';
import { type AnswerScope, scopeRows } from './ledger.ts';
import type { Plan } from './plan.ts';
import type { Owner } from './reach.ts';
import { mayContain } from './said.ts';

/** Columns of images that name memories, beside the row's own key. */
const NAMING = ['superseded_by', 'source_id', 'target_id', 'a_id', 'b_id', 'winner', 'accuser'];

/**
 * Drops the images of every change set that touched something forgotten, or quotes it. Its rows hang together and cannot be taken back
 * without those, so all of them go; that it happened, when and why stays, and among memories that stay who lost to whom.
 * @param input.conflicts ids of conflicts that go or lose their words
 */
export async function dropForgottenImages(
  tx: Transaction,
  of: Owner & { at: number },
  plan: Plan,
  input: { scopes: readonly AnswerScope[]; conflicts: readonly string[] },
): Promise<{ images: number; changeSets: number }> {
  const { reach } = plan;
  const ids = nameArray([...reach.why.keys(), ...reach.rewritten]);
  const thoughts = input.scopes.filter(({ step }) => step === 'rem').map(({ memoryIds }) => memoryIds);
  const named = NAMING.flatMap((column) =>
    ['row_key', 'before', 'after'].map((image) => sql`${sql.raw(`c.${image}->>'${column}'`)} = any(${ids})`),
  );
  const made = ['before', 'after'].flatMap((image) =>
    ['sourceIds', 'uncoveredIds'].map(
      (key) => sql`jsonb_exists_any(${sql.raw(`c.${image}->'metadata'->'${key}'`)}, ${ids})`,
    ),
  );
  const quoting = await listQuoting(tx, of, plan);
  const [row] = await tx.rows<{ images: number; sets: number }>(sql`
    with scopes as materialized (${scopeRows(thoughts)}
    ), hit as materialized (
      select c.change_set_id as id from slowwave.changes c
      where ${owned(of, 'c')} and (c.row_key->>'id' = any(${ids}) or c.row_key->>'id' = any(${nameArray(input.conflicts)})
        or ${sql.join([...named, ...made], sql` or `)}
        or (c.table_name = 'relations' and coalesce(c.after, c.before)->>'hypothesis' = 'true' and exists (
          select 1 from scopes s
          where (c.row_key->>'source_id')::uuid = any(s.ids) and (c.row_key->>'target_id')::uuid = any(s.ids))))
      union
      select s.id from slowwave.change_sets s where ${owned(of, 's')} and s.fusion_key = any(${nameArray(reach.keys)})
      union
      select unnest(${uuidArray(quoting)})
    ), ${settlementsBared(of, sql`select id from hit`, ids)}, dropped as (
      delete from slowwave.changes c
      where ${owned(of, 'c')} and c.change_set_id = any(array(select id from hit)) and not ${IS_BARE}
      returning 1
    ), marked as (
      update slowwave.change_sets s set images_dropped_at = ${instantOf(of.at)}
      where ${owned(of, 's')} and s.id = any(array(select id from hit)) and s.images_dropped_at is null
      returning 1
    )
    select (select count(*)::int from dropped) as images, (select count(*)::int from marked) as sets`);
  return { images: row!.images, changeSets: row!.sets };
}

/** Change sets with an image that holds one of the texts, whosever it is. */
async function listQuoting(tx: Transaction, of: Owner, { matcher }: Plan): Promise<string[]> {
  const rows = await tx.rows<{ id: string; text: string }>(sql`
    select c.change_set_id as id, t.text from slowwave.changes c
    cross join lateral (values (c.before->>'content'), (c.after->>'content'), (c.before->>'source_chunk'),
      (c.after->>'source_chunk'), (c.before->>'explanation'), (c.after->>'explanation'), (c.before->>'description'),
      (c.after->>'description'), (c.before->>'metadata'), (c.after->>'metadata')) as t(text)
    where ${owned(of, 'c')} and t.text is not null and ${mayContain('t.text', matcher.anchors)}`);
  return [...new Set(rows.filter(({ text }) => matcher.contains(text)).map(({ id }) => id))];
}
