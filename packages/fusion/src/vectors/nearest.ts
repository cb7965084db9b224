import { inOneGo, type Slices } from '../slices.ts';
import { type BestLists, createBestLists } from './best-list.ts';
import { type Candidates, createCandidates } from './candidates.ts';
import { cosineOf } from './cosine.ts';
import { createKernel } from './create-kernel.ts';
import type { Kernel, KernelRows } from './kernel.ts';
import { TILE_ROWS } from './limits.ts';
import { integerBounds, marginOf } from './margin.ts';
import { splitVectors, writeFinite } from './write.ts';

export interface NearestOptions {
  dimensions: number;
  /** At most this many neighbours of each query. */
  limit: number;
  /** The least cosine of a neighbour, inclusive. */
  floor: number;
  /** Taken from setQueries up to the end; absent: one of its own. */
  kernel?: Kernel;
}

/** The neighbours of all queries, best first, those of query q from starts[q] up to but not including starts[q + 1]. */
export interface NearestResult {
  starts: Uint32Array;
  /** Indexes of rows. */
  others: Uint32Array;
  cosines: Float64Array;
}

/** Finds the nearest rows of some queries while the rows pass by; what it holds are the queries, a part of a tile and the lists. */
export interface Nearest {
  /**
   * Once, before the first row.
   * @param vectors one after another; they are read up to the end and may not change
   * @param indexes the row that a query is itself, which is no neighbour of it; absent or -1 for none
   * @throws RangeError when a vector holds something not finite, or when there are more of them than a kernel holds
   */
  setQueries(vectors: Float32Array, indexes?: ArrayLike<number>): void;
  setQueriesInSlices(vectors: Float32Array, indexes?: ArrayLike<number>): Slices<void>;
  /**
   * Any number of rows, one after another. The array is free again afterwards.
   * @param firstIndex index of the first of them, an integer below 2^32; each index comes once
   * @throws RangeError when a vector holds something not finite
   */
  addTile(vectors: Float32Array, firstIndex: number): void;
  addTileInSlices(vectors: Float32Array, firstIndex: number): Slices<void>;
  finish(): NearestResult;
}

/** Rows that are looked at together: so many candidates of a query are sorted out before their cosines are taken. */
const ROWS_AT_ONCE = 8 * TILE_ROWS;
/** A cosine in float64 costs that many multiplications of the kernel for each component. */
const COSINE_COST = 32;

/**
 * The `limit` nearest rows of each query by cosine, among those that reach the floor; of equal ones the lower index. A zero vector has no
 * neighbours and is none. Integers only choose which pairs are looked at: the result is that of comparing all of them in float64.
 */
export function createNearest(options: NearestOptions): Nearest {
  let search: Search | null = null;

  function* setQueriesInSlices(vectors: Float32Array, indexes?: ArrayLike<number>): Slices<void> {
    if (search) throw new Error('the queries are set already');
    search = yield* openSearch(vectors, indexes, options);
  }

  function* addTileInSlices(vectors: Float32Array, firstIndex: number): Slices<void> {
    if (!search) throw new Error('no queries are set');
    const rows = splitVectors(vectors, options.dimensions);
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
      yield* addPart(search, rows.slice(from, from + ROWS_AT_ONCE), firstIndex + from);
  }

  return {
    setQueriesInSlices,
    setQueries: (vectors, indexes) => inOneGo(setQueriesInSlices(vectors, indexes)),
    addTileInSlices,
    addTile: (vectors, firstIndex) => inOneGo(addTileInSlices(vectors, firstIndex)),
    finish: () => search?.best.collect() ?? createBestLists(0, options.limit).collect(),
  };
}

interface Search {
  options: NearestOptions;
  kernel: Kernel;
  /** The queries, and behind them the rows that are looked at. */
  integers: KernelRows;
  queries: Float32Array[];
  lengths: Float64Array;
  indexes: ArrayLike<number> | undefined;
  best: BestLists;
  candidates: Candidates;
}

function* openSearch(
  vectors: Float32Array,
  indexes: ArrayLike<number> | undefined,
  options: NearestOptions,
): Slices<Search> {
  const { dimensions, limit, floor, kernel = createKernel() } = options;
  const queries = splitVectors(vectors, dimensions);
  const integers = kernel.open(dimensions, queries.length + ROWS_AT_ONCE);
  const lengths = yield* writeFinite(integers, 0, queries, 0);
  const { possible } = integerBounds(floor, dimensions);
  // Nothing reaches the bound that stands there, which zero vectors keep.
  for (const [query, length] of lengths.entries()) if (length > 0) integers.bounds[query] = possible;
  // One more than are kept: a query may meet itself.
  const candidates = createCandidates(ROWS_AT_ONCE, limit + 1, 2 * marginOf(dimensions));
  const best = createBestLists(queries.length, limit);
  return { options, kernel, integers, queries, lengths, indexes, best, candidates };
}

/** A part of a tile, beside all queries. */
function* addPart(search: Search, rows: Float32Array[], firstIndex: number): Slices<void> {
  const { integers, queries, candidates, kernel } = search;
  const { dimensions } = search.options;
  const rowLengths = yield* writeFinite(integers, queries.length, rows, firstIndex);
  let products = 0;
  for (let first = 0; first < queries.length; first += TILE_ROWS) {
    const count = Math.min(TILE_ROWS, queries.length - first);
    for (let from = 0; from < rows.length; from += TILE_ROWS) {
      const rowCount = Math.min(TILE_ROWS, rows.length - from);
      const end = 3 * integers.compare(first, count, queries.length + from, rowCount);
      for (let at = 0; at < end; at += 3) {
        const row = from + integers.found[at + 1]!;
        if (rowLengths[row]! > 0) candidates.add(integers.found[at]!, row, integers.found[at + 2]!);
      }
    }
    products += count * rows.length * dimensions;
    for (let query = 0; query < count; query += 1) {
      const taken = settle(search, first + query, query, rows, rowLengths, firstIndex);
      products += taken * COSINE_COST * dimensions;
      if (products < kernel.productsAtOnce) continue;
      products = 0;
      yield;
    }
  }
}

/** Takes the cosines of a query's candidates. @returns how many there were */
function settle(
  search: Search,
  query: number,
  candidateList: number,
  rows: Float32Array[],
  rowLengths: Float64Array,
  firstIndex: number,
): number {
  const { queries, lengths, indexes, best, candidates, integers } = search;
  const { floor, dimensions } = search.options;
  let taken = 0;
  candidates.drain(candidateList, (row) => {
    const index = firstIndex + row;
    if (indexes?.[query] === index) return;
    const cosine = cosineOf(queries[query]!, rows[row]!, lengths[query]!, rowLengths[row]!);
    if (cosine >= floor) best.offer(query, index, cosine);
    taken += 1;
  });
  // What a full list would not take any more need not be found.
  const worst = best.worstOf(query);
  if (taken > 0 && worst > floor) integers.bounds[query] = integerBounds(worst, dimensions).possible;
  return taken;
}
