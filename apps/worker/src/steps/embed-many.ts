import {
  listMissingEmbeddings,
  NEIGHBOUR_FLOOR,
  NEIGHBOUR_LIMIT,
  requireDimensions,
  storeEmbeddings,
  storeFoundNeighbours,
} from '@slowwave/db';
import type { StepContext } from '../context.ts';
import { countRefused, embedTexts } from '../embed-texts.ts';
import { compareWithStored } from '../nearest/compare.ts';
import { portionsOf, withoutThese } from '../nearest/rows.ts';
import { type NearestSearch, startSearch } from '../nearest/search.ts';
import { EMBEDDING_CHANGES } from '../questions.ts';

/** Vectors that are held at once, in bytes and in number: each round reads all that the user has, so few rounds are better. */
const ROUND_BYTES = 12 * 1_048_576;
const ROUND_VECTORS = 4_096;
/** Memories whose vectors and neighbours are stored in one transaction: it holds the lease, which cannot be renewed meanwhile. */
const PORTION = 128;

export interface Fresh {
  id: string;
  contentHash: string;
  vector: Float32Array;
}

/** Told after each transaction what it stored. @returns whether to go on */
export type Progress = (done: { stored: number; pairs: number; refused: number }) => boolean;

/** Embeds what is missing, up to a round. No transaction is open while the embedder works. */
async function gather(context: StepContext, after: string | null, most: number): Promise<Fresh[]> {
  const { database, embedder, limits, tenant, user, stopping } = context;
  const { model } = embedder;
  const fresh: Fresh[] = [];
  let room = most;
  while (room > 0 && !stopping.aborted) {
    const limit = Math.min(limits.embedBatch, room);
    const from = fresh.at(-1)?.id ?? after;
    const missing = await database.withTenant(tenant, (tx) =>
      listMissingEmbeddings(tx, { tenant, user, model, limit, after: from }),
    );
    if (missing.length === 0) break;
    const vectors = await embedTexts(
      context,
      missing.map(({ id, content }) => ({ id, text: content })),
    );
    for (const [i, { id, contentHash }] of missing.entries())
      fresh.push({ id, contentHash, vector: vectors[i]! });
    const bytes = Float32Array.BYTES_PER_ELEMENT * Math.max(1, vectors[0]!.length);
    room = Math.min(most, ROUND_VECTORS, Math.floor(ROUND_BYTES / bytes)) - fresh.length;
    if (missing.length < limit) break;
  }
  return fresh;
}

/** Stores a round: each portion with all of its neighbours that are stored by then, so that no memory is ever without its own. */
async function storeRound(
  context: StepContext,
  search: NearestSearch,
  fresh: readonly Fresh[],
  onStored: Progress,
): Promise<boolean> {
  const { embedder, tenant, user, at } = context;
  const { model } = embedder;
  await context.write(
    (tx) =>
      requireDimensions(
        tx,
        model,
        fresh.map(({ vector }) => vector),
      ),
    [],
  );
  const { ids, result } = await compareWithStored(context, search, fresh);
  const portions = portionsOf(result, ids, fresh.length, PORTION);
  const gone = new Set<string>();
  for (const [i, found] of portions.entries()) {
    const embeddings = fresh.slice(i * PORTION, (i + 1) * PORTION);
    const { stored, pairs } = await context.write(async (tx) => {
      const stored = await storeEmbeddings(tx, { tenant, user, model, at, embeddings });
      const held = new Set(stored);
      // Changed meanwhile: what is stored of it, if anything, is another vector.
      for (const { id } of embeddings) if (!held.has(id)) gone.add(id);
      const rows = withoutThese(found, gone);
      const pairs = await storeFoundNeighbours(tx, { tenant, user, model, fresh: stored, found: rows });
      return { stored: stored.length, pairs };
    }, EMBEDDING_CHANGES);
    const refused = countRefused(embeddings.map(({ vector }) => vector));
    if (!onStored({ stored, pairs, refused })) return false;
  }
  return true;
}

/**
 * Embeds many memories: their neighbours are found in a thread of their own, which takes seconds where the database takes minutes. What
 * the database holds afterwards is the same.
 * @param most memories in all
 */
export async function embedMany(context: StepContext, most: number, onStored: Progress): Promise<void> {
  let search: NearestSearch | null = null;
  let after: string | null = null;
  let left = most;
  try {
    while (left > 0 && !context.stopping.aborted) {
      const fresh = await gather(context, after, left);
      if (fresh.length === 0) return;
      const dimensions = fresh[0]!.vector.length;
      search ??= startSearch({ dimensions, limit: NEIGHBOUR_LIMIT, floor: NEIGHBOUR_FLOOR }, context.signal);
      left -= fresh.length;
      after = fresh.at(-1)!.id;
      if (!(await storeRound(context, search, fresh, onStored))) return;
    }
  } finally {
    await search?.close();
  }
}
