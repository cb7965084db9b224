import { readVectors, type VectorPage, vectorPageSize } from '@slowwave/db';
import type { NearestResult } from '@slowwave/fusion';
import type { StepContext } from '../context.ts';
import type { NearestSearch } from './search.ts';

/** What was compared: first the fresh memories, then those that had vectors already. */
export interface Compared {
  ids: string[];
  result: NearestResult;
}

/** A page without the vectors that are about to be replaced. */
function withoutFresh(page: VectorPage, fresh: ReadonlySet<string>): VectorPage {
  if (!page.ids.some((id) => fresh.has(id))) return page;
  const { dimensions } = page;
  const kept = page.ids.flatMap((id, i) => (fresh.has(id) ? [] : [i]));
  const vectors = new Float32Array(kept.length * dimensions);
  for (const [to, from] of kept.entries())
    vectors.set(page.vectors.subarray(from * dimensions, (from + 1) * dimensions), to * dimensions);
  return { ids: kept.map((i) => page.ids[i]!), dimensions, vectors };
}

/**
 * Compares fresh vectors with each other and with all that the user has, page by page: the next one is read while a page is compared, and
 * no more than these two are held, whatever there is in all.
 */
export async function compareWithStored(
  { database, embedder, tenant, user, signal }: StepContext,
  search: NearestSearch,
  fresh: readonly { id: string; vector: Float32Array }[],
): Promise<Compared> {
  const dimensions = fresh[0]!.vector.length;
  const { model } = embedder;
  const limit = vectorPageSize(dimensions);
  const queries = new Float32Array(fresh.length * dimensions);
  for (const [i, { vector }] of fresh.entries()) queries.set(vector, i * dimensions);
  const ids = fresh.map(({ id }) => id);
  const replaced = new Set(ids);
  let comparing = search.setQueries(queries);
  try {
    for (let after: string | null = null; ; ) {
      const page: VectorPage = await database.withTenant(tenant, (tx) =>
        readVectors(tx, { tenant, user, model, after, limit }),
      );
      signal.throwIfAborted();
      await comparing;
      after = page.ids.at(-1) ?? null;
      const others = withoutFresh(page, replaced);
      if (others.ids.length > 0) comparing = search.addTile(others.vectors, ids.length);
      for (const id of others.ids) ids.push(id);
      if (page.ids.length < limit) break;
    }
    await comparing;
  } catch (error) {
    // Whoever fails first is told; the other is waited for by nobody.
    comparing.catch(() => undefined);
    throw error;
  }
  return { ids, result: await search.finish() };
}
