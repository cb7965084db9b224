import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import { anyRow, type Question } from '../questions.ts';

interface Owner {
  tenant: string;
  user: string;
}

/**
 * Drops the images of change sets that are older than a retention, oldest first: what they hold of memories' words goes, and they can no
 * longer be undone or redone. The change sets stay, and with them what came back from the cold table and who lost to whom.
 * @param input.at epoch ms
 * @returns how many change sets lost their images
 */
export async function dropImages(
  tx: Transaction,
  input: Owner & { at: number; retentionMs: number; limit: number },
): Promise<number> {
  const [row] = await tx.rows<{ dropped: number }>(sql`
    with old as (
      select s.id from slowwave.change_sets s
      where ${hasOldImages(input)}
      order by s.created_at, s.id limit ${input.limit}
      for update
    ), marked as (
      update slowwave.change_sets s set images_dropped_at = ${instantOf(input.at)}
      from old where ${owned(input, 's')} and s.id = old.id
    ), ${settlementsBared(input, sql`select id from old`)}, emptied as (
      delete from slowwave.changes c using old
      where ${owned(input, 'c')} and c.change_set_id = old.id and not ${IS_BARE}
        -- A return from the cold table says nothing but which memory it was; pruning asks for it.
        and not (c.table_name = 'memories' and c.before is null and not c.after ? 'content')
    )
    select count(*)::int as dropped from old`);
  return row!.dropped;
}

/** A change set s whose images are older than a retention. */
function hasOldImages(input: Owner & { at: number; retentionMs: number }): SQL {
  return sql`${owned(input, 's')} and s.images_dropped_at is null and s.created_at < ${instantOf(input.at - input.retentionMs)}`;
}

/** Whether dropImages would drop something. */
export function askOldImages(input: Owner & { at: number; retentionMs: number }): Question<boolean> {
  return anyRow(sql`select 1 from slowwave.change_sets s where ${hasOldImages(input)}`);
}

/**
 * Of a change set in which one memory lost to another, what must be known for as long as it holds: who stands for whom, who decided that,
 * and when the loser stopped being true. Whoever changes the winner has to know for whom it stands, also when that can no longer be undone.
 */
const KEPT: Record<'memories' | 'conflicts', readonly string[]> = {
  memories: ['superseded_by', 'valid_to'],
  conflicts: ['resolved_by'],
};

/** Of a change called c: it is one of those that `settlementsBared` keeps. */
export const IS_BARE = sql.raw(
  `(c.change_set_id = any(array(select id from settlements)) and c.table_name in ('memories', 'conflicts'))`,
);

/**
 * The parts of a WITH list that leave of conflicts' change sets only what must be known, for a statement that removes all other rows of the
 * same change sets. Also of one that was taken back, for that may be made good again.
 * @param sets SELECT of change sets' ids
 * @param without text[] of memories whose settlements are not kept
 */
export function settlementsBared(of: Owner, sets: SQL, without: SQL = sql`'{}'::text[]`): SQL {
  const bare = (image: 'before' | 'after') => {
    const of = (table: keyof typeof KEPT) =>
      `jsonb_build_object(${KEPT[table].map((name) => `'${name}', c.${image}->'${name}'`).join(', ')})`;
    return sql.raw(`case c.table_name when 'memories' then ${of('memories')} else ${of('conflicts')} end`);
  };
  return sql`settlements as materialized (
      select c.change_set_id as id from slowwave.changes c
      join slowwave.change_sets s on ${owned(of, 's')} and s.id = c.change_set_id
      where ${owned(of, 'c')} and c.change_set_id in (${sets}) and s.kind = 'conflict'
        and c.table_name = 'memories' and c.after->>'superseded_by' is not null
        and c.row_key->>'id' <> all(${without}) and c.after->>'superseded_by' <> all(${without})
    ), bared as (
      update slowwave.changes c set before = ${bare('before')}, after = ${bare('after')}
      where ${owned(of, 'c')} and ${IS_BARE}
    )`;
}
