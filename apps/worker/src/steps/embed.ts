import {
  COMPARED_AT_ONCE,
  listMissingEmbeddings,
  listUncompared,
  storeCloseness,
  storeEmbeddings,
  storeNeighbours,
} from '@slowwave/db';
import { errorFacts } from '@slowwave/queue';
import { idsOf, type Step, type StepContext } from '../context.ts';
import { countRefused, embedTexts } from '../embed-texts.ts';
import { codeOf } from '../errors.ts';
import { EMBEDDING_CHANGES, MISSING_EMBEDDINGS, UNCOMPARED } from '../questions.ts';
import { embedMany, type Progress } from './embed-many.ts';

export interface EmbedCounts {
  embedded: number;
  neighbourPairs: number;
  /** Of the embedded ones: those whose text the embedder refuses, which have a vector without direction. */
  refused: number;
  /** Memories that were compared by words, and pairs of close ones stored for them. */
  compared: number;
  closePairs: number;
}

/**
 * Comparisons of one transaction, in components: about a second. It holds the lease, which cannot be renewed meanwhile, and a database that
 * is busy takes many times as long.
 */
const COMPARED_COMPONENTS = 400_000_000;
/** Components of a vector where nobody has said how many. */
const LIKELY_COMPONENTS = 1_536;
const SMALLEST_BATCH = 4;

/**
 * From so many compared components on, and from so many memories on, a thread that reads and compares everything is done before the
 * database, which needs about half a second for these. Few memories are not worth reading everything for.
 */
const MANY_COMPONENTS = 500_000_000;
const MANY_MEMORIES = 32;

/** Whether the neighbours of so many are found outside of the database. @param components of a vector; null: nobody knows yet */
export function isMany(missing: number, latest: number, components: number | null): boolean {
  return missing >= MANY_MEMORIES && missing * latest * (components ?? LIKELY_COMPONENTS) >= MANY_COMPONENTS;
}

/** How many memories are embedded at once when each is compared with this many. @param components of a vector; null: nobody knows yet */
export function batchFor(latest: number, components: number | null, most: number): number {
  const pairs = COMPARED_COMPONENTS / (components ?? LIKELY_COMPONENTS);
  return Math.min(most, Math.max(SMALLEST_BATCH, Math.floor(pairs / Math.max(1, latest))));
}

/** Memories without an embedding, the first so many. */
function listMissing({ database, embedder, tenant, user }: StepContext, limit: number) {
  const { model } = embedder;
  return database.withTenant(tenant, (tx) => listMissingEmbeddings(tx, { tenant, user, model, limit }));
}

/** Embeds one batch and stores it with its neighbours. @returns how many were stored, and their pairs */
async function embedBatch(
  context: StepContext,
  missing: Awaited<ReturnType<typeof listMissing>>,
): Promise<{ stored: number; pairs: number; refused: number }> {
  const { embedder, tenant, user, at } = context;
  const { model } = embedder;
  // No transaction is open while the embedder works.
  const vectors = await embedTexts(
    context,
    missing.map(({ id, content }) => ({ id, text: content })),
  );
  const embeddings = missing.map(({ id, contentHash }, i) => ({ id, contentHash, vector: vectors[i]! }));
  return context.write(async (tx) => {
    const ids = await storeEmbeddings(tx, { tenant, user, model, at, embeddings });
    const pairs = await storeNeighbours(tx, { tenant, user, model, ids });
    return { stored: ids.length, pairs, refused: countRefused(vectors) };
  }, EMBEDDING_CHANGES);
}

/** Embeds what has no embedding yet, with neighbours; nothing missing costs nothing but the look. */
export async function embedMissing(context: StepContext): Promise<EmbedCounts> {
  const { embedder, limits } = context;
  const counts = { embedded: 0, neighbourPairs: 0, refused: 0, compared: 0, closePairs: 0 };
  const { missing, latest } = await context.look.seen(MISSING_EMBEDDINGS);
  const onStored: Progress = ({ stored, pairs, refused }) => {
    counts.embedded += stored;
    counts.neighbourPairs += pairs;
    counts.refused += refused;
    if (stored > 0) context.onEvent?.({ ...idsOf(context), type: 'embedded', count: counts.embedded });
    return !context.stopping.aborted;
  };
  const most = limits.embedBatch * limits.embedBatches;
  if (isMany(missing, latest, embedder.dimensions)) await embedMany(context, most, onStored);
  else if (missing > 0) await embedFew(context, { most, latest }, onStored);
  await compareMissing(context, most, counts);
  return counts;
}

/**
 * Finds the close memories of those that have none yet: what was just embedded, and what was embedded before memories were compared.
 * @param most memories in all; the next tick goes on
 */
async function compareMissing(context: StepContext, most: number, counts: EmbedCounts): Promise<void> {
  const { database, embedder, tenant, user, stopping } = context;
  const { model, threshold } = embedder;
  if (!(await context.look.seen(UNCOMPARED))) return;
  while (counts.compared < most && !stopping.aborted) {
    const limit = Math.min(COMPARED_AT_ONCE, most - counts.compared);
    const ids = await database.withTenant(tenant, (tx) => listUncompared(tx, { tenant, user, model, limit }));
    if (ids.length === 0) return;
    counts.closePairs += await context.write(
      (tx) => storeCloseness(tx, { tenant, user, model, ids, threshold }),
      [UNCOMPARED],
    );
    counts.compared += ids.length;
    if (ids.length < limit) return;
  }
}

/**
 * Embeds what is missing, batch by batch, and has the database find the neighbours.
 * @param most memories in all
 * @param latest memories with which each is compared
 */
export async function embedFew(
  context: StepContext,
  { most, latest }: { most: number; latest: number },
  onStored: Progress,
): Promise<void> {
  const { embedder, limits } = context;
  const size = batchFor(latest, embedder.dimensions, limits.embedBatch);
  for (let left = most; left > 0; ) {
    const missing = await listMissing(context, Math.min(size, left));
    if (missing.length === 0) return;
    const done = await embedBatch(context, missing);
    left -= missing.length;
    // What could not be stored was changed meanwhile; the next tick takes it up.
    if (!onStored(done) || done.stored === 0 || missing.length < size) return;
  }
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
  asks: [MISSING_EMBEDDINGS, UNCOMPARED],
  async run(context) {
    try {
      return { status: 'done', counts: { ...(await embedMissing(context)) } };
    } catch (error) {
      // What is left is embedded once the budget is whole again; the steps that follow go on with the vectors that are there.
      if (codeOf(error) === 'budget') return { status: 'skipped', reason: 'budget' }; // guard: embed-budget
      throw error;
    }
  },
};
