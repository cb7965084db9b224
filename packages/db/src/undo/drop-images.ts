import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';

/**
 * Drops the images of change sets that are older than a retention, oldest first: what they hold of memories' words goes, and they can no
 * longer be undone or redone. The change sets stay, and what came back from the cold table is still known.
 * @param input.at epoch ms
 * @returns how many change sets lost their images
 */
export async function dropImages(
  tx: Transaction,
  input: { tenant: string; user: string; at: number; retentionMs: number; limit: number },
): Promise<number> {
  const [row] = await tx.rows<{ dropped: number }>(sql`
    with old as (
      select s.id from slowwave.change_sets s
      where ${owned(input, 's')} and s.images_dropped_at is null and s.created_at < ${instantOf(input.at - input.retentionMs)}
      order by s.created_at, s.id limit ${input.limit}
      for update
    ), marked as (
      update slowwave.change_sets s set images_dropped_at = ${instantOf(input.at)}
      from old where ${owned(input, 's')} and s.id = old.id
    ), emptied as (
      delete from slowwave.changes c using old
      where ${owned(input, 'c')} and c.change_set_id = old.id
        -- A return from the cold table says nothing but which memory it was; pruning asks for it.
        and not (c.table_name = 'memories' and c.before is null and not c.after ? 'content')
    )
    select count(*)::int as dropped from old`);
  return row!.dropped;
}
