import { isAbsolute, relative, resolve } from 'node:path';
import type { MemorySearchResult } from '../backend/types.ts';
import {
  displayPath,
  isDailyName,
  MEMORY_DREAMS_FILENAME,
  MEMORY_LONG_TERM_FILENAME,
} from '../files/paths.ts';
import { MAX_SNIPPET, snippetAround, termsIn } from '../files/search.ts';
import type { QmdTarget } from './commands.ts';
import { QmdFailure } from './executor.ts';

/** A row of qmd's answer, as far as it names a document of the workspace. */
export interface QmdRow {
  /** Relative to the memory folder. */
  name: string;
  /** From 1. */
  start: number;
  /** Number of lines. */
  count: number;
  /** Without the header line. */
  text: string;
  score: number;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? @@[^\n]*(?:\n|$)/;
const MAX_ROW_LINES = 400;

function numberOf(...values: unknown[]): number | null {
  const found = values.find((value) => typeof value === 'number' && Number.isFinite(value));
  return found === undefined ? null : (found as number);
}

function textOf(...values: unknown[]): string {
  return (values.find((value) => typeof value === 'string' && value !== '') as string | undefined) ?? '';
}

/**
 * The document that a path of qmd means: older indexes know it in lower case or at its former place. Null for everything else, as our own
 * reports, other collections and other folders.
 */
export function documentOf(file: string, target: QmdTarget): string | null {
  let path = file.trim();
  const address = /^qmd:\/\/([^/]*)\/(.*)$/.exec(path);
  if (address) {
    if (address[1] !== target.collection) return null;
    path = address[2]!;
  }
  path = path.replace(/[?#].*$/, '').replaceAll('\\', '/');
  if (isAbsolute(path)) path = relative(resolve(target.rootDir), path).replaceAll('\\', '/');
  const parts = path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const name = parts.pop() ?? '';
  const folder = parts.join('/');
  if (!['', 'memory', '.fusion', target.folder.toLowerCase()].includes(folder)) return null;
  if (name === 'memory.md') return MEMORY_LONG_TERM_FILENAME;
  if (folder === '.fusion') return null;
  if (name === 'dreams.md') return MEMORY_DREAMS_FILENAME;
  return isDailyName(name) ? name : null;
}

function rowOf(item: unknown, target: QmdTarget): QmdRow[] {
  if (item === null || typeof item !== 'object') return [];
  const row = item as Record<string, unknown>;
  const name = documentOf(textOf(row.file, row.path), target);
  if (name === null) return [];
  const raw = textOf(row.snippet, row.text, row.content, row.body);
  const header = HEADER.exec(raw);
  const text = (header ? raw.slice(header[0].length) : raw).replace(/(?:\.\.\.|…)\s*$/, '');
  const start = header ? Number(header[1]) : (numberOf(row.lineStart, row.startLine, row.line) ?? 1);
  const end = numberOf(row.lineEnd, row.endLine);
  const lines = text.trimEnd().split('\n').length;
  const count = header ? Number(header[2] ?? 1) : end === null ? lines : end - start + 1;
  return [
    {
      name,
      start: Math.max(1, Math.floor(start)),
      count: Math.max(1, Math.min(Math.floor(count), MAX_ROW_LINES)),
      text,
      score: Math.max(0, Math.min(numberOf(row.score) ?? 0, 1)),
    },
  ];
}

/** The rows of a search's output that mean documents of the workspace. @throws QmdFailure output */
export function parseQmdOutput(stdout: string, target: QmdTarget): QmdRow[] {
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    throw new QmdFailure('output');
  }
  const items = Array.isArray(answer) ? answer : (answer as { results?: unknown } | null)?.results;
  if (!Array.isArray(items)) throw new QmdFailure('output');
  return items.flatMap((item) => rowOf(item, target));
}

/** Where the first written line of a row stands in the document now, nearest to where it stood; null when it is gone. */
function located(row: QmdRow, lines: readonly string[]): number | null {
  const written = row.text.split('\n');
  const skipped = written.findIndex((line) => line.trim() !== '');
  if (skipped === -1) return null;
  const first = written[skipped]!.trim();
  const expected = row.start - 1 + skipped;
  let best: number | null = null;
  for (const [i, line] of lines.entries()) {
    if (!line.includes(first)) continue;
    if (best === null || Math.abs(i - expected) < Math.abs(best - expected)) best = i;
  }
  return best === null ? null : Math.max(0, best - skipped);
}

/**
 * A row as a hit in the document as it is now: what qmd remembers and the document no longer says is dropped, what moved is found where it
 * moved to. The score is the number of the query's terms in the lines, and qmd's own (0 to 1) on top.
 */
export function hitOf(
  row: QmdRow,
  content: string,
  terms: readonly string[],
  backend: string,
): MemorySearchResult | null {
  const lines = content.split('\n');
  const from = located(row, lines);
  if (from === null) return null;
  const to = Math.min(from + row.count, lines.length);
  const text = lines.slice(from, to).join('\n');
  const { count, at } = termsIn(text, terms);
  const clean = row.text.trim();
  // qmd cuts a long line at its beginning, which need not be where the words are.
  const isTelling = count === 0 || termsIn(clean, terms).count > 0;
  const isLiteral = isTelling && clean.length <= MAX_SNIPPET && text.includes(clean);
  return {
    path: displayPath(row.name),
    lineStart: from + 1,
    lineEnd: to,
    snippet: isLiteral ? clean : snippetAround(text, Math.max(at, 0)),
    score: count + row.score,
    backend,
  };
}
