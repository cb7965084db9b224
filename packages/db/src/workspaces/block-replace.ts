import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { EditRefused } from '../editing/errors.ts';
import { freeMemory, lockEditable } from '../editing/free.ts';
import { owned } from '../fusions/scope.ts';
import { staleFusionsOver } from '../fusions/stale.ts';
import { newId } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { imageOf, journalled } from '../journal.ts';

import type { BlockInput } from './block-types.ts';
import type { WorkspaceKey } from './key.ts';

/** How sure it is that the new wording updates the old one. */
const UPDATES_CONFIDENCE = 0.95;
const MEMORY_IMAGE = ['is_latest', 'memory_type', 'prior_type', 'superseded_by', 'version', 'updated_at'];

/**
 * Supersedes the memories of blocks that were edited by those of the blocks that took their place. A memory that another block still holds
 * stays.
 * @returns the superseded memory by the one that stands for it
 */
export async function replaceMemories(
  tx: Transaction,
  key: WorkspaceKey,
  input: BlockInput,
  pairs: readonly { old: string; by: string }[],
): Promise<Map<string, string>> {
  const superseded = new Map<string, string>();
  for (const { old, by } of pairs) {
    if (await isHeld(tx, key, old)) continue;
    if (await replaceOne(tx, key, input, { old, by })) superseded.set(by, old);
  }
  return superseded;
}

async function isHeld(tx: Transaction, key: WorkspaceKey, id: string): Promise<boolean> {
  const rows = await tx.rows(sql`
    select 1 from slowwave.import_blocks b
    where ${owned(key, 'b')} and b.memory_id = ${id}::uuid and b.state in ('imported', 'known') limit 1`);
  return rows.length > 0;
}

async function replaceOne(
  tx: Transaction,
  key: WorkspaceKey,
  input: BlockInput,
  { old, by }: { old: string; by: string },
): Promise<boolean> {
  const { tenant, user } = key;
  const edit = { tenant, user, id: old, at: input.at, actor: input.actor };
  const locked = await lockEditable(tx, edit);
  if (!locked || locked.memory.supersededBy === by) return false;
  const changeSet = newId(input.at);
  // What cannot be freed stays as it is: nothing of it may stay half undone.
  await tx.rows(sql`savepoint block_edit`);
  try {
    await freeMemory(tx, edit, locked.memory, { said: true, changeSet });
  } catch (error) {
    if (!(error instanceof EditRefused)) throw error;
    await tx.rows(sql`rollback to savepoint block_edit`);
    return false;
  }
  await tx.rows(sql`release savepoint block_edit`);
  await staleFusionsOver(tx, { tenant, user, at: input.at }, { keys: locked.openFusions, memoryIds: [old] });
  return supersede(tx, key, input, { old, by, changeSet });
}

async function supersede(
  tx: Transaction,
  key: WorkspaceKey,
  input: BlockInput,
  { old, by, changeSet }: { old: string; by: string; changeSet: string },
): Promise<boolean> {
  const { tenant, user } = key;
  const at = instantOf(input.at);
  const { actor, runId } = input;
  const [row] = await tx.rows<{ superseded: number }>(sql`
    with found as (
      select m.id, ${imageOf('m', MEMORY_IMAGE)} as image from slowwave.memories m
      where ${owned(key, 'm')} and m.id = ${old}::uuid and m.is_latest
        and exists (select 1 from slowwave.memories n where ${owned(key, 'n')} and n.id = ${by}::uuid and n.is_latest)
    ), superseded as (
      update slowwave.memories m set is_latest = false, prior_type = m.memory_type, memory_type = 'superseded',
        superseded_by = ${by}::uuid, version = m.version + 1, updated_at = ${at}
      from found f where ${owned(key, 'm')} and m.id = f.id
      returning m.id, f.image as before, ${imageOf('m', MEMORY_IMAGE)} as after
    ), linked as (
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
      select ${tenant}, ${user}, ${by}::uuid, f.id, 'UPDATES', ${UPDATES_CONFIDENCE}, ${at} from found f
      on conflict do nothing
      returning source_id, target_id, to_jsonb(relations) as image
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, before, after from superseded
      union all
      select 'relations', jsonb_build_object('source_id', source_id, 'target_id', target_id, 'relation_type', 'UPDATES'), null, image
      from linked
    ), ${journalled({ changeSetId: changeSet, tenant, user, at: input.at, actor, kind: 'edit', runId })}
    select count(*)::int as superseded from superseded`);
  return row!.superseded === 1;
}
