import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { InputError, requireCount, requireNumber, requireTime, requireWord } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { BLOCK_STATES } from '../schema/workspaces.ts';
import { holdMemories, inWorkspace, requireKey, requirePath, type WorkspaceKey } from './key.ts';

/**
 * imported: it became a memory. known: a memory said it before. gone: it no longer stands in its file. forgotten: never to be imported again.
 * projected: it is a line that we wrote.
 */
export type BlockState = (typeof BLOCK_STATES)[number];

/** One of the equal blocks of a file. */
export interface BlockKey {
  /** SHA-256 of the block's normalised text with its headings, hex. */
  blockHash: string;
  /** Equal blocks of one file are counted from 1. */
  occurrence: number;
}

/** Instants in epoch ms. */
export interface LedgerBlock extends BlockKey {
  path: string;
  state: BlockState;
  /** The memory that it became, or the one that it already was. */
  memoryId: string | null;
  /** The hash of the block that took its place. */
  replacedBy: string | null;
  /** When it was last found in its file. */
  seenAt: number;
  changedAt: number;
}

export interface BlockRecord extends BlockKey {
  state: BlockState;
  memoryId?: string | null | undefined;
  replacedBy?: string | null | undefined;
}

export const BLOCKS_PER_CALL_MAX = 10_000;
const HASH = /^[0-9a-f]{64}$/;

/** What the ledger knows of a file, in no particular order. */
export function readBlocks(tx: Transaction, key: WorkspaceKey, path: string): Promise<LedgerBlock[]> {
  return tx.rows<LedgerBlock>(sql`
    select b.path, b.block_hash as "blockHash", b.occurrence, b.state, b.memory_id as "memoryId", b.replaced_by as "replacedBy",
      ${msOf('b.seen_at')} as "seenAt", ${msOf('b.changed_at')} as "changedAt"
    from slowwave.import_blocks b where ${inWorkspace(key, 'b')} and b.path = ${path}`);
}

/** @throws InputError */
export function requireBlocks(blocks: readonly BlockKey[]): void {
  requireCount(blocks, 'blocks', BLOCKS_PER_CALL_MAX);
  const seen = new Set<string>();
  blocks.forEach(({ blockHash, occurrence }, i) => {
    if (!HASH.test(blockHash))
      throw new InputError('invalid_text', `blocks[${i}].blockHash`, 'blockHash must be a SHA-256 in hex');
    requireNumber(occurrence, `blocks[${i}].occurrence`, { min: 1, max: 2 ** 31 - 1, whole: true });
    if (seen.has(`${blockHash} ${occurrence}`))
      throw new InputError('not_allowed', `blocks[${i}]`, 'a block is given twice');
    seen.add(`${blockHash} ${occurrence}`);
  });
}

/**
 * Says of blocks of one file what became of them, in one statement. What was forgotten stays forgotten; an id or a successor that is not
 * given stays.
 * @param input.at epoch ms
 * @throws InputError; WorkspaceRefused is not thrown: an unknown workspace is refused by the database
 */
export async function recordBlocks(
  tx: Transaction,
  key: WorkspaceKey,
  input: { path: string; blocks: readonly BlockRecord[]; at: number },
): Promise<void> {
  requireKey(key);
  requirePath(input.path);
  requireTime(input.at, 'at');
  requireBlocks(input.blocks);
  for (const { state } of input.blocks) requireWord(state, 'state', BLOCK_STATES);
  if (input.blocks.length === 0) return;
  await holdMemories(tx, key);
  await storeBlocks(tx, key, input);
}

/** The statement of recordBlocks. */
export async function storeBlocks(
  tx: Transaction,
  key: WorkspaceKey,
  input: { path: string; blocks: readonly BlockRecord[]; at: number },
): Promise<void> {
  if (input.blocks.length === 0) return;
  const at = instantOf(input.at);
  await tx.rows(sql`
    insert into slowwave.import_blocks as b (tenant, user_id, workspace, path, block_hash, occurrence, state, memory_id, replaced_by,
      seen_at, changed_at)
    select ${key.tenant}, ${key.user}, ${key.workspace}, ${input.path}, r."blockHash", r.occurrence, r.state, r."memoryId",
      r."replacedBy", ${at}, ${at}
    from jsonb_to_recordset(${JSON.stringify(input.blocks)}::jsonb) as r("blockHash" text, occurrence integer, state text,
      "memoryId" uuid, "replacedBy" text)
    order by r."blockHash", r.occurrence
    on conflict (tenant, user_id, workspace, path, block_hash, occurrence) do update set
      state = case when b.state = 'forgotten' then b.state else excluded.state end,
      memory_id = case when b.state = 'forgotten' then null else coalesce(excluded.memory_id, b.memory_id) end,
      replaced_by = case when b.state = 'forgotten' then null when excluded.state = 'gone' then coalesce(excluded.replaced_by, b.replaced_by)
        else excluded.replaced_by end,
      seen_at = case when excluded.state = 'gone' then b.seen_at else greatest(b.seen_at, excluded.seen_at) end,
      changed_at = case when b.state = 'forgotten' or (b.state = excluded.state
          and b.memory_id is not distinct from coalesce(excluded.memory_id, b.memory_id)) then b.changed_at
        else excluded.changed_at end`);
}

/** How far a file was imported. Instants in epoch ms. */
export interface ImportedFile {
  path: string;
  /** Of the content that was imported. */
  sha256: string;
  importedAt: number;
  /** A daily file whose day had ended when it was read, and that is not read again. */
  closedAt: number | null;
}

const FILE = sql`f.path, f.sha256, ${msOf('f.imported_at')} as "importedAt", ${msOf('f.closed_at')} as "closedAt"`;

/** Null when it was never imported. */
export async function importedFile(
  tx: Transaction,
  key: WorkspaceKey,
  path: string,
): Promise<ImportedFile | null> {
  const [row] = await tx.rows<ImportedFile>(
    sql`select ${FILE} from slowwave.import_files f where ${inWorkspace(key, 'f')} and f.path = ${path}`,
  );
  return row ?? null;
}

/** All files of a workspace that were ever imported, by path. */
export function listImportedFiles(tx: Transaction, key: WorkspaceKey): Promise<ImportedFile[]> {
  return tx.rows<ImportedFile>(sql`
    select ${FILE} from slowwave.import_files f where ${inWorkspace(key, 'f')} order by f.path collate "C"`);
}

/** Says that a file was imported as it stands. @param file.closedAt absent or null: it is open, again if it was closed. @throws InputError */
export async function markFile(
  tx: Transaction,
  key: WorkspaceKey,
  file: { path: string; sha256: string; at: number; closedAt?: number | null | undefined },
): Promise<void> {
  requireKey(key);
  requirePath(file.path);
  requireTime(file.at, 'at');
  requireTime(file.closedAt, 'closedAt');
  if (!HASH.test(file.sha256))
    throw new InputError('invalid_text', 'sha256', 'sha256 must be a SHA-256 in hex');
  await tx.rows(sql`
    insert into slowwave.import_files (tenant, user_id, workspace, path, sha256, imported_at, closed_at)
    values (${key.tenant}, ${key.user}, ${key.workspace}, ${file.path}, ${file.sha256}, ${instantOf(file.at)},
      ${instantOf(file.closedAt ?? null)})
    on conflict (tenant, user_id, workspace, path) do update set sha256 = excluded.sha256, imported_at = excluded.imported_at,
      closed_at = excluded.closed_at`);
}
