import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { newId } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { lightDueAfterWrite } from '../scheduling/settings.ts';

interface Owner {
  tenant: string;
  user: string;
}

/**
 * How often something of this user was forgotten. To be read together with texts that a model is asked about, and compared before its
 * answer is kept: see nothingForgotten.
 */
export async function countForgets(tx: Transaction, of: Owner): Promise<number> {
  const [row] = await tx.rows<{ forgets: number }>(sql`
    select count(*)::int as forgets from slowwave.change_sets where ${owned(of)} and run_id is null and kind = 'forget'`);
  return row!.forgets;
}

/**
 * Whether nothing was forgotten since `forgets` was counted, and nothing will be until the transaction ends. A session or a summary of the
 * same name may stand there without what was read of it: this tells what looking for the row cannot.
 */
export async function nothingForgotten(tx: Transaction, of: Owner & { forgets: number }): Promise<boolean> {
  await tx.rows(sql`select 1 from slowwave.users where tenant = ${of.tenant} and id = ${of.user} for share`);
  return (await countForgets(tx, of)) === of.forgets;
}

/** The journal says that something was forgotten, when and on whose word; not what. Light takes up what stands for itself again. */
export async function markForgotten(
  tx: Transaction,
  of: Owner & { at: number; actor: string | null },
): Promise<string> {
  const id = newId(of.at);
  const at = instantOf(of.at);
  await tx.rows(sql`
    with marked as (
      insert into slowwave.change_sets (tenant, user_id, id, kind, actor, images_dropped_at, created_at)
      values (${of.tenant}, ${of.user}, ${id}::uuid, 'forget', ${of.actor}, ${at}, ${at})
    )
    update slowwave.user_tiers set due_at = ${lightDueAfterWrite(of.at)} where ${owned(of)} and tier = 'light'`);
  return id;
}
