import type { MemoryHome } from '@slowwave/db';
import { displayPath } from '../files/paths.ts';
import {
  byScore,
  type SearchedDocument,
  searchDocuments,
  searchLimit,
  snippetAround,
  termsIn,
} from '../files/search.ts';
import { queryTerms } from '../files/search-terms.ts';
import type { MemorySearchOptions, MemorySearchResult } from './types.ts';

/** A memory that a search by meaning found. */
export interface RecalledMemory {
  memoryId: string;
  /** 0 to 1. */
  score: number;
}

interface Home {
  memoryId: string;
  path: string;
  /** From 1. */
  line: number;
  text: string;
  prominence: number;
}

/** Where memories stand now: on the line that the last projection says, or wherever their mark went since; nowhere when it is gone. */
export function locateHomes(documents: readonly SearchedDocument[], homes: readonly MemoryHome[]): Home[] {
  const texts = new Map<string, string[]>();
  for (const { name, content } of documents) texts.set(name, content.split('\n'));
  return homes.flatMap(({ memoryId, path, line, prominence }) => {
    const lines = texts.get(path) ?? [];
    const mark = `<!-- slowwave:${memoryId} -->`;
    const at = lines[line - 1]?.includes(mark) ? line - 1 : lines.findIndex((text) => text.includes(mark));
    if (at === -1) return [];
    return [{ memoryId, path: displayPath(path), line: at + 1, text: lines[at]!, prominence }];
  });
}

/**
 * Searches documents by words and memories on their home lines: of regions with equally many terms those come first on whose lines
 * memories stand that come to mind readily. What was recalled by meaning is found on its home line even where no word of the query stands.
 */
export function searchHomes(
  documents: readonly SearchedDocument[],
  homes: readonly MemoryHome[],
  recalled: readonly RecalledMemory[],
  options: MemorySearchOptions,
  backend: string,
): MemorySearchResult[] {
  const terms = queryTerms(options.query);
  const located = locateHomes(documents, homes);
  const meant = new Map(recalled.map(({ memoryId, score }) => [memoryId, score]));
  const worth = (home: Home): number => {
    const { count } = termsIn(home.text, terms);
    const byMeaning = meant.get(home.memoryId) ?? 0;
    // Below one term more, whatever comes to mind.
    return count === 0 && byMeaning === 0 ? 0 : Math.min(0.99, Math.max(home.prominence, byMeaning));
  };
  const regions = allRegions(documents, options.query, backend).map((hit) => {
    const inside = located.filter((home) => isInside(home, hit));
    return { ...hit, score: hit.score + Math.max(0, ...inside.map(worth)) };
  });
  const alone = located
    .filter(({ memoryId }) => meant.has(memoryId))
    .filter((home) => !regions.some((hit) => isInside(home, hit)))
    .map((home) => ({
      path: home.path,
      lineStart: home.line,
      lineEnd: home.line,
      snippet: snippetAround(home.text, 0),
      score: worth(home),
      backend,
    }));
  return [...regions, ...alone].sort(byScore).slice(0, searchLimit(options.limit));
}

const isInside = (home: Home, hit: MemorySearchResult): boolean =>
  home.path === hit.path && home.line >= hit.lineStart && home.line <= hit.lineEnd;

/** Every region, before the best are chosen: the document search cuts each document's own list only. */
function allRegions(
  documents: readonly SearchedDocument[],
  query: string,
  backend: string,
): MemorySearchResult[] {
  return documents.flatMap((document) => searchDocuments([document], { query, limit: 20 }, backend));
}
