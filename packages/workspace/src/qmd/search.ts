import { fileInfos } from '../backend/layers.ts';
import type { MemorySearchOptions, MemorySearchResult } from '../backend/types.ts';
import { createFolderFiles } from '../files/folder.ts';
import { documentName } from '../files/paths.ts';
import { byScore, searchDocuments, searchLimit } from '../files/search.ts';
import { queryTerms } from '../files/search-terms.ts';
import { type QmdTarget, searchArgs } from './commands.ts';
import { type QmdExecutor, QmdFailure } from './executor.ts';
import {
  addCollection,
  forgetState,
  type IndexFolder,
  openIndex,
  readState,
  writeState,
} from './index-folder.ts';
import { hitOf, parseQmdOutput, type QmdRow } from './results.ts';

export interface IndexSearchOptions {
  execFileAsync: QmdExecutor;
  command: string;
  /** Of each run. Milliseconds. */
  timeout: number;
  /** Ends whatever runs, and starts nothing more. */
  signal?: AbortSignal;
  /** Epoch milliseconds. */
  now: () => number;
}

const MAX_BUFFER = 1024 * 1024;
/** File systems note times more coarsely than clocks do. Milliseconds. */
const CLOCK_GRAIN_MS = 20;
const BACKEND = 'qmd';
const MAX_PER_DOCUMENT = 20;

async function ask(
  target: QmdTarget,
  index: IndexFolder,
  search: MemorySearchOptions,
  options: IndexSearchOptions,
): Promise<QmdRow[]> {
  const { execFileAsync: execute, command, timeout, signal } = options;
  const run = { ...index.run, timeout, signal, maxBuffer: MAX_BUFFER };
  try {
    const { stdout } = await execute(command, searchArgs(target, search), run);
    return parseQmdOutput(stdout, target);
  } catch (error) {
    // It may not know the collection any longer; the next search adds it again.
    if (error instanceof QmdFailure && error.reason === 'exit') await forgetState(index);
    throw error;
  }
}

/**
 * Searches by qmd's index. Files that changed after they were indexed are searched directly, so that what was written a moment ago is found
 * and what was removed is not. @throws QmdFailure, or what the executor throws
 */
export async function searchIndex(
  target: QmdTarget,
  search: MemorySearchOptions,
  options: IndexSearchOptions,
): Promise<MemorySearchResult[]> {
  const terms = queryTerms(search.query);
  if (terms.length === 0) return [];
  const index = await openIndex(target);
  let { indexedAt } = await readState(index);
  if (indexedAt === null) {
    indexedAt = options.now();
    await addCollection(target, index, options);
    await writeState(index, { indexedAt });
  }
  const rows = await ask(target, index, search, options);

  const files = createFolderFiles({ rootDir: target.rootDir, folder: target.folder, backend: BACKEND });
  const hits: MemorySearchResult[] = [];
  for (const info of fileInfos(await files.list())) {
    const name = documentName(info.path);
    const isChanged = Date.parse(info.updatedAt) > indexedAt - CLOCK_GRAIN_MS;
    const mine = rows.filter((row) => row.name === name);
    if (!isChanged && mine.length === 0) continue;
    const content = (await files.read(name).catch(() => null))?.content;
    if (content === undefined) continue;
    const words = searchDocuments([{ name, content }], { ...search, limit: MAX_PER_DOCUMENT }, BACKEND);
    if (isChanged) hits.push(...words);
    else hits.push(...passages(mine, content, terms, words));
  }
  return hits.sort(byScore).slice(0, searchLimit(search.limit));
}

/** qmd names one passage per document; the others that hold the words are added, as long as no two overlap. */
function passages(
  rows: readonly QmdRow[],
  content: string,
  terms: readonly string[],
  words: readonly MemorySearchResult[],
): MemorySearchResult[] {
  const hits: MemorySearchResult[] = [];
  for (const hit of [...rows.map((row) => hitOf(row, content, terms, BACKEND)), ...words]) {
    if (hit === null) continue;
    const isTaken = hits.some((other) => hit.lineStart <= other.lineEnd && other.lineStart <= hit.lineEnd);
    if (!isTaken) hits.push(hit);
  }
  return hits;
}
