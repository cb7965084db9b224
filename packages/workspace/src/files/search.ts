import type { MemorySearchOptions, MemorySearchResult } from '../backend/types.ts';
import { displayPath } from './paths.ts';
import { findTerm, folded, queryTerms } from './search-terms.ts';

export const MAX_SNIPPET = 700;
const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;
const REGION_LINES = 12;
/** Lines shown around what was found, as far as the region has room. */
const AROUND = 2;

export interface SearchedDocument {
  /** Relative to the memory folder. */
  name: string;
  content: string;
}

/** 1 to 20; the default for what is no number. */
export function searchLimit(limit: number | undefined): number {
  if (typeof limit !== 'number' || Number.isNaN(limit)) return DEFAULT_LIMIT;
  return Math.floor(Math.max(1, Math.min(limit, MAX_LIMIT)));
}

/**
 * At most 700 code points of a text that hold the given place (UTF-16 offset): a third before it, the rest after. What is returned stands in
 * the text literally.
 */
export function snippetAround(text: string, at: number): string {
  const before = Array.from(text.slice(Math.max(0, at - 2 * MAX_SNIPPET), at));
  const after = Array.from(text.slice(at, at + 2 * MAX_SNIPPET));
  // A character cut in two by the slices stands outermost, and is dropped.
  if (at > 2 * MAX_SNIPPET && /^\p{Surrogate}$/u.test(before[0] ?? '')) before.shift();
  if (/^\p{Surrogate}$/u.test(after.at(-1) ?? '')) after.pop();
  const room = Math.max(Math.floor(MAX_SNIPPET / 3), MAX_SNIPPET - after.length);
  const lead = before.slice(-room);
  return [...lead, ...after.slice(0, MAX_SNIPPET - lead.length)].join('').trim();
}

/** How many of the terms stand in a text, and where the first of them does (UTF-16 offset, -1 for none). */
export function termsIn(text: string, terms: readonly string[]): { count: number; at: number } {
  const comparable = folded(text);
  const found = terms.filter((term) => comparable.includes(term));
  if (found.length === 0) return { count: 0, at: -1 };
  return { count: found.length, at: Math.min(...found.map((term) => findTerm(text, term))) };
}

/** Ranges of lines (from 0, both inclusive) around lines that were found; no two overlap. */
function regionsOf(lines: readonly string[], found: readonly number[]): { from: number; to: number }[] {
  const cores: { from: number; to: number }[] = [];
  for (const line of found) {
    const last = cores.at(-1);
    if (last && line - last.from < REGION_LINES) last.to = line;
    else cores.push({ from: line, to: line });
  }
  return cores.map((core, i) => {
    const above = i === 0 ? 0 : cores[i - 1]!.to + 1;
    const below = (cores[i + 1]?.from ?? lines.length) - 1;
    const room = REGION_LINES - (core.to - core.from + 1);
    const lead = Math.min(AROUND, room, i === 0 ? core.from - above : Math.floor((core.from - above) / 2));
    let from = core.from - lead;
    let to = Math.min(core.to + Math.min(AROUND, room - lead), below - Math.floor((below - core.to) / 2));
    while (from < core.from && lines[from]!.trim() === '') from++;
    while (to > core.to && lines[to]!.trim() === '') to--;
    return { from, to };
  });
}

function hitsIn(document: SearchedDocument, terms: readonly string[], backend: string): MemorySearchResult[] {
  const whole = folded(document.content);
  if (!terms.some((term) => whole.includes(term))) return [];
  const lines = document.content.split('\n');
  const found = lines.flatMap((line, i) => {
    const comparable = folded(line);
    return terms.some((term) => comparable.includes(term)) ? [i] : [];
  });
  return regionsOf(lines, found).map(({ from, to }) => {
    const text = lines.slice(from, to + 1).join('\n');
    const { count, at } = termsIn(text, terms);
    return {
      path: displayPath(document.name),
      lineStart: from + 1,
      lineEnd: to + 1,
      snippet: snippetAround(text, at),
      score: count,
      backend,
    };
  });
}

/** Best first: more of the terms, then by path and line. */
export function byScore(a: MemorySearchResult, b: MemorySearchResult): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.lineStart - b.lineStart;
}

/**
 * Searches documents by the words of a query, one hit per region of at most 12 lines. The score is the number of distinct terms of the query
 * in the region. Documents of other names than those of the contract are not searched by whoever lists them.
 */
export function searchDocuments(
  documents: readonly SearchedDocument[],
  options: MemorySearchOptions,
  backend: string,
): MemorySearchResult[] {
  const terms = queryTerms(options.query);
  if (terms.length === 0) return [];
  return documents
    .flatMap((document) => hitsIn(document, terms, backend))
    .sort(byScore)
    .slice(0, searchLimit(options.limit));
}
