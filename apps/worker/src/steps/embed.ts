import { listMissingEmbeddings, storeEmbeddings, storeNeighbours } from '@slowwave/db';
import { errorFacts } from '@slowwave/queue';
import { idsOf, type Step, type StepContext } from '../context.ts';
import { codeOf } from '../errors.ts';

export interface EmbedCounts {
  embedded: number;
  neighbourPairs: number;
}

/** Embeds one batch of what has no embedding yet and stores its neighbours. @returns memories read and pairs stored */
async function embedBatch(context: StepContext): Promise<{ read: number; stored: number; pairs: number }> {
  const { database, embedder, tenant, user, at, signal } = context;
  const { model } = embedder;
  const missing = await database.withTenant(tenant, (tx) =>
    listMissingEmbeddings(tx, { tenant, user, model, limit: context.limits.embedBatch }),
  );
  if (missing.length === 0) return { read: 0, stored: 0, pairs: 0 };
  // No transaction is open while the embedder works.
  const vectors = await embedder.embed(
    missing.map((memory) => memory.content),
    { signal },
  );
  signal.throwIfAborted();
  const embeddings = missing.map(({ id, contentHash }, i) => ({ id, contentHash, vector: vectors[i]! }));
  return context.write(async (tx) => {
    const ids = await storeEmbeddings(tx, { tenant, user, model, at, embeddings });
    const pairs = await storeNeighbours(tx, { tenant, user, model, ids });
    return { read: missing.length, stored: ids.length, pairs };
  });
}

/** Embeds what has no embedding yet, batch by batch, with neighbours; nothing missing costs one look. */
export async function embedMissing(context: StepContext): Promise<EmbedCounts> {
  const counts = { embedded: 0, neighbourPairs: 0 };
  for (let batch = 0; batch < context.limits.embedBatches; batch++) {
    const { read, stored, pairs } = await embedBatch(context);
    counts.embedded += stored;
    counts.neighbourPairs += pairs;
    if (stored > 0) context.onEvent?.({ ...idsOf(context), type: 'embedded', count: counts.embedded });
    const full = read === context.limits.embedBatch;
    if (!full || context.stopping.aborted) break;
    // What could not be stored was changed meanwhile; the next tick takes it up.
    if (stored === 0) break;
  }
  return counts;
}

/**
 * What a step has just derived gets its vector and its neighbours at once, so that the steps that follow see it where it belongs and
 * nothing is left for another run. A failure here is not that step's: every tier begins with embedding.
 * @returns how many were embedded
 */
export async function embedDerived(context: StepContext, step: string): Promise<number> {
  try {
    return (await embedMissing(context)).embedded;
  } catch (error) {
    context.signal.throwIfAborted();
    if (codeOf(error) === 'lease_lost') throw error;
    context.logger.warn({ ...idsOf(context), step, ...errorFacts(error) }, 'derived memories not embedded');
    return 0;
  }
}

/** The first step of every tier: the others find neighbours only between memories that have vectors. */
export const embed: Step = {
  name: 'embed',
  async run(context) {
    return { status: 'done', counts: { ...(await embedMissing(context)) } };
  },
};
