import { TILE_ROWS } from './limits.ts';

/** Rows that may be among the nearest of each query of one tile of queries, until the exact cosine is taken. */
export interface Candidates {
  add(query: number, row: number, dot: number): void;
  /**
   * Hands over the rows of one query that can still be among its best ones, and forgets all of them. A row whose dot product is so far below
   * the `limit`-th best one that no rounding explains it cannot.
   */
  drain(query: number, visit: (row: number) => void): void;
}

/** @param rows the most candidates of one query @param slack twice what rounding may move a dot product by */
export function createCandidates(rows: number, limit: number, slack: number): Candidates {
  const found = new Int32Array(TILE_ROWS * rows);
  const dots = new Int32Array(TILE_ROWS * rows);
  const counts = new Uint32Array(TILE_ROWS);
  return {
    add: (query, row, dot) => {
      const at = query * rows + counts[query]!;
      found[at] = row;
      dots[at] = dot;
      counts[query]! += 1;
    },
    drain: (query, visit) => {
      const [from, to] = [query * rows, query * rows + counts[query]!];
      counts[query] = 0;
      // The least interesting one first, so that the best of a full list is at a fixed place from the end.
      const least = to - from > limit ? dots.slice(from, to).sort()[to - from - limit]! - slack : -Infinity;
      for (let at = from; at < to; at += 1) if (dots[at]! >= least) visit(found[at]!);
    },
  };
}
