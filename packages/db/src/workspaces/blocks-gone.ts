import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { requireName, requireTime } from '../input-error.ts';
import { instantOf } from '../instants.ts';
import { imageOf, journalled } from '../journal.ts';
import { markLightDue } from '../scheduling/settings.ts';
import type { BlockInput } from './block-types.ts';
import { inWorkspace, lockWorkspace, requireKey, requirePath, type WorkspaceKey } from './key.ts';
import { type BlockKey, requireBlocks } from './ledger.ts';

const COLUMNS = ['archived_at', 'updated_at'];
/** Of memories that blocks became. */
const BLOCK_NAMES = 'block:%';

export interface BlocksGone {
  /** Blocks that the ledger knew and that are gone now. */
  gone: number;
  /** Memories that were archived for it: latest ones that came from these blocks and that no other block holds. */
  archived: string[];
}

/**
 * Says that blocks no longer stand in their file. The memories that came from them are archived, journalled, so that it can be undone; a
 * memory that was there before its block stays, and so does one that another block holds or that another memory stands for.
 * @throws WorkspaceRefused `unknown_workspace`; InputError
 */
export async function removeBlocks(
  tx: Transaction,
  key: WorkspaceKey,
  input: BlockInput & { blocks: readonly BlockKey[] },
): Promise<BlocksGone> {
  requireKey(key);
  requirePath(input.path);
  requireTime(input.at, 'at');
  requireName(input.actor, 'actor');
  requireBlocks(input.blocks);
  if (input.blocks.length === 0) return { gone: 0, archived: [] };
  await lockWorkspace(tx, key);
  const given = input.blocks.map(({ blockHash, occurrence }) => ({ blockHash, occurrence }));
  const rows = await tx.rows<{ id: string | null; own: boolean }>(sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as r("blockHash" text, occurrence integer)
    ), found as (
      select b.block_hash, b.occurrence, b.state = 'imported' as own from slowwave.import_blocks b
      join given g on g."blockHash" = b.block_hash and g.occurrence = b.occurrence
      where ${inWorkspace(key, 'b')} and b.path = ${input.path} and b.state not in ('gone', 'forgotten')
    )
    update slowwave.import_blocks b set state = 'gone', replaced_by = null, changed_at = ${instantOf(input.at)}
    from found f
    where ${inWorkspace(key, 'b')} and b.path = ${input.path} and b.block_hash = f.block_hash and b.occurrence = f.occurrence
    returning b.memory_id as id, f.own`);
  const idsOf = (mine: boolean): string[] =>
    rows.flatMap(({ id, own }) => (own === mine && id !== null ? [id] : []));
  return {
    gone: rows.length,
    archived: await shelve(tx, key, input, { own: idsOf(true), known: idsOf(false) }),
  };
}

async function shelve(
  tx: Transaction,
  key: WorkspaceKey,
  input: BlockInput,
  ids: { own: readonly string[]; known: readonly string[] },
): Promise<string[]> {
  if (ids.own.length + ids.known.length === 0) return [];
  // What a block of another file became, before its text moved to this one, came from these notes as well.
  const fromNotes = sql`m.workspace = ${key.workspace} and m.learned_from = 'import' and m.external_id like ${BLOCK_NAMES}`;
  const unheld = sql`not exists (
    select 1 from slowwave.import_blocks b
    where ${owned(key, 'b')} and b.memory_id = m.id and b.state in ('imported', 'known'))`;
  return setArchived(tx, key, input, {
    which: sql`(m.id = any(${uuidArray(ids.own)}) or (m.id = any(${uuidArray(ids.known)}) and ${fromNotes}))
      and m.is_latest and m.archived_at is null and ${unheld}`,
    value: instantOf(input.at),
    kind: 'archive',
  });
}

/** Takes memories that a removal had archived out again, since their blocks are back. */
export async function unshelve(
  tx: Transaction,
  key: WorkspaceKey,
  input: BlockInput,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const back = await setArchived(tx, key, input, {
    which: sql`m.id = any(${uuidArray(ids)}) and m.is_latest and m.archived_at is not null`,
    value: instantOf(null),
    kind: 'restore',
  });
  if (back.length > 0) await markLightDue(tx, key.tenant, [key.user], input.at);
}

async function setArchived(
  tx: Transaction,
  key: WorkspaceKey,
  input: BlockInput,
  change: { which: ReturnType<typeof sql>; value: ReturnType<typeof sql>; kind: 'archive' | 'restore' },
): Promise<string[]> {
  const { tenant, user } = key;
  const { at, actor, runId } = input;
  const rows = await tx.rows<{ id: string }>(sql`
    with picked as (
      select m.id, ${imageOf('m', COLUMNS)} as image from slowwave.memories m
      where ${owned(key, 'm')} and ${change.which}
      order by m.id
      for no key update
    ), changed as (
      update slowwave.memories m set archived_at = ${change.value}, updated_at = ${instantOf(at)}
      from picked p where ${owned(key, 'm')} and m.id = p.id
      returning m.id, p.image as before, ${imageOf('m', COLUMNS)} as after
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, before, after from changed
    ), ${journalled({ tenant, user, at, actor, kind: change.kind, runId })}
    select id from changed order by id`);
  return rows.map(({ id }) => id);
}
