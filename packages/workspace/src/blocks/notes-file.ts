import {
  BLOCKS_PER_CALL_MAX,
  type BlockKey,
  type BlockMemory,
  DEFAULT_IMPORT_LIMITS,
  importBlocks,
  importedFile,
  type LedgerBlock,
  lockWorkspace,
  markFile,
  type NewBlock,
  type NotesDay,
  readBlockMemories,
  readBlocks as readLedger,
  removeBlocks,
  type Transaction,
  type WorkspaceKey,
} from '@slowwave/db';
import { readBlocks } from './blocks.ts';
import { boundsOfDay, dayOfFile, hasEnded } from './day.ts';
import { type AddedBlock, findEdits, type GoneBlock } from './edits.ts';
import { memoryOfBlock } from './memory-of-block.ts';
import { emptyReport, type NotesReport } from './notes-report.ts';
import type { Block } from './types.ts';

export interface NotesFile {
  path: string;
  content: string;
  /** Of the content, hex. */
  sha256: string;
  /** When it was last changed, epoch ms. */
  updatedAt: number;
}

export interface NotesWriter {
  /** Epoch ms. */
  at: number;
  timezone: string;
  /** Who imports, as the journal names them. */
  actor: string | null;
  /** The run of a tier that it belongs to. */
  runId: string | null;
}

export type FileResult =
  | ({ state: 'imported'; closed: boolean } & Pick<NotesReport, 'blocks' | 'memories'>)
  | { state: 'unchanged'; closed: boolean }
  | { state: 'too_many_blocks' };

const keyOf = ({ blockHash, occurrence }: BlockKey): string => `${blockHash} ${occurrence}`;

/** When a block of a file was said: at the end of its day, or when the file was changed; never after now. */
function saidAt(file: NotesFile, day: NotesDay | null, at: number): number {
  const said = day === null ? file.updatedAt : day.to;
  return Math.max(0, Math.min(Math.floor(said), at));
}

/** What one file's blocks are to the ledger. */
interface Comparison {
  fresh: NewBlock[];
  gone: LedgerBlock[];
  unchanged: number;
  projected: number;
  tooLong: number;
}

function compare(
  file: NotesFile,
  blocks: readonly Block[],
  ledger: readonly LedgerBlock[],
  writer: NotesWriter,
): Comparison {
  const known = new Map(ledger.map((row) => [keyOf(row), row]));
  // What we wrote ourselves, or what was forgotten, is so however often it stands there.
  const ours = new Set(ledger.flatMap((row) => (row.state === 'projected' ? [row.blockHash] : [])));
  const date = dayOfFile(file.path);
  const day = date === null ? null : { date, ...boundsOfDay(date, writer.timezone) };
  const source = { path: file.path, day, at: saidAt(file, day, writer.at) };
  const found: Comparison = { fresh: [], gone: [], unchanged: 0, projected: 0, tooLong: 0 };
  const standing = new Set<string>();
  blocks.forEach((block, place) => {
    const memory = memoryOfBlock(block, { ...source, place });
    standing.add(keyOf(memory));
    const state = known.get(keyOf(memory))?.state;
    if (ours.has(block.hash)) found.projected++;
    else if (state !== undefined && state !== 'gone') found.unchanged++;
    else if (memory.content.length > DEFAULT_IMPORT_LIMITS.contentChars) found.tooLong++;
    else found.fresh.push(memory);
  });
  const stood = (row: LedgerBlock): boolean => row.state === 'imported' || row.state === 'known';
  found.gone = ledger.filter((row) => stood(row) && !standing.has(keyOf(row)));
  return found;
}

function placeOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function headingsOf(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((heading): heading is string => typeof heading === 'string')
    : [];
}

/** Says of new blocks which ones they took the place of. */
function withEdits(
  fresh: readonly NewBlock[],
  gone: readonly LedgerBlock[],
  memories: readonly BlockMemory[],
): NewBlock[] {
  const wordings = new Map(memories.map((memory) => [keyOf(memory), memory]));
  const old = gone.flatMap((row): GoneBlock[] => {
    const memory = wordings.get(keyOf(row));
    if (!memory) return [];
    const { headings, place } = memory.metadata;
    return [{ ...memory, headings: headingsOf(headings), place: placeOf(place) }];
  });
  const added = fresh.map((block): AddedBlock => {
    const { headings, place } = block.metadata ?? {};
    return { ...block, headings: headingsOf(headings), place: placeOf(place) ?? 0 };
  });
  const edits = findEdits(old, added);
  return fresh.map((block) => {
    const replaces = edits.get(keyOf(block));
    return replaces ? { ...block, replaces } : block;
  });
}

/**
 * Imports one file in the caller's transaction: new blocks become memories, edited ones supersede theirs, removed ones archive theirs, and the
 * ledger says so; all of it or nothing. What the ledger knows is not touched. A daily file is closed when its day had ended.
 */
export async function importFile(
  tx: Transaction,
  key: WorkspaceKey,
  file: NotesFile,
  writer: NotesWriter,
): Promise<FileResult> {
  const { path, sha256 } = file;
  const { at, actor, runId } = writer;
  await lockWorkspace(tx, key);
  const day = dayOfFile(path);
  const closed = hasEnded(path, at, writer.timezone);
  const mark = { path, sha256, at, closedAt: closed ? at : null };
  const before = await importedFile(tx, key, path);
  if (before?.sha256 === sha256) {
    const closes = closed && before.closedAt === null;
    if (closes) await markFile(tx, key, mark);
    return { state: 'unchanged', closed: closes };
  }
  const blocks = readBlocks(file.content, { path, day });
  if (blocks.length > BLOCKS_PER_CALL_MAX) return { state: 'too_many_blocks' };
  const ledger = await readLedger(tx, key, path);
  const { fresh, gone, ...counts } = compare(file, blocks, ledger, writer);
  const memories = gone.length > 0 && fresh.length > 0 ? await readBlockMemories(tx, key, path) : [];
  const given = withEdits(fresh, gone, memories);
  const input = { path, at, actor, runId };
  const outcomes = await importBlocks(tx, key, { ...input, blocks: given });
  const replaced = new Set(given.flatMap(({ replaces }) => (replaces ? [keyOf(replaces)] : [])));
  const removed = gone.filter((row) => !replaced.has(keyOf(row)));
  const removal = await removeInParts(tx, key, input, removed);
  await markFile(tx, key, mark);
  const { blocks: none } = emptyReport();
  const stateCount = (state: string): number => outcomes.filter((outcome) => outcome.state === state).length;
  return {
    state: 'imported',
    closed: closed && (before?.closedAt ?? null) === null,
    blocks: {
      ...none,
      ...counts,
      found: blocks.length,
      imported: stateCount('imported'),
      known: stateCount('known'),
      forgotten: stateCount('forgotten'),
      removed: removal.gone,
    },
    memories: {
      superseded: outcomes.filter(({ superseded }) => superseded !== null).length,
      archived: removal.archived,
    },
  };
}

/** The ledger of a file only grows, so that what is gone may be more than one call takes. */
async function removeInParts(
  tx: Transaction,
  key: WorkspaceKey,
  input: { path: string; at: number; actor: string | null; runId: string | null },
  blocks: readonly BlockKey[],
): Promise<{ gone: number; archived: number }> {
  const sum = { gone: 0, archived: 0 };
  for (let from = 0; from < blocks.length; from += BLOCKS_PER_CALL_MAX) {
    const part = blocks.slice(from, from + BLOCKS_PER_CALL_MAX);
    const { gone, archived } = await removeBlocks(tx, key, { ...input, blocks: part });
    sum.gone += gone;
    sum.archived += archived.length;
  }
  return sum;
}
