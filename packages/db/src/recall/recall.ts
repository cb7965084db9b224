import {
  DEFAULT_PRIORS,
  type Embedder,
  PRIOR_MAX,
  type RankedHit,
  type RecallPriors,
  rankRecall,
  withinBudget,
} from '@slowwave/fusion';
import type { Database } from '../database.ts';
import { newId } from '../ids.ts';
import { requireNumber, requireText } from '../input-error.ts';
import { RECALL_CHARS_MAX, RECALL_LIMIT_MAX } from '../words.ts';
import { RecallError } from './errors.ts';
import type { RecallFilter } from './filter.ts';
import { recordRecall } from './record.ts';
import { type FoundMemory, searchMemories } from './search.ts';
import { questionWords } from './words.ts';

export { RECALL_CHARS_MAX, RECALL_LIMIT_MAX };

/** Longest question, in characters. */
export const QUERY_MAX_CHARS = 2_000;
export const RECALL_LIMIT_DEFAULT = 10;

export interface RecallInput extends RecallFilter {
  tenant: string;
  user: string;
  /** 1 to 2,000 characters that are not all white space. */
  query: string;
  /** Epoch ms. */
  at: number;
  /** 1 to 50; without one 10, or 50 where a budget is given. */
  limit?: number | undefined;
  /** Characters (code points) of all contents together. */
  maxChars?: number | undefined;
  /** Each 0 to 0.2; DEFAULT_PRIORS for what is absent. */
  priors?: { prominence?: number | undefined; recency?: number | undefined } | undefined;
  /** Also memories that others have taken the place of. */
  includeSuperseded?: boolean | undefined;
  /** Neither recorded nor counted: a measurement, and no question of the user. */
  silent?: boolean | undefined;
  /** The question is not embedded: a search by words, where no budget pays the embedder. */
  byWordsAlone?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A memory that came to mind. */
export type RecallResult = FoundMemory & Pick<RankedHit, 'score' | 'parts'>;

/**
 * What a user's memories have to say to a question: found by words (BM25) and by vector, best first, within the limit and the budget.
 * Archived ones are among them: fading lowers a memory, and never puts it out of reach. The question and what it brought back are recorded; being recalled does
 * not make a memory more prominent.
 * @throws InputError for an input out of bounds; RecallError `unknown_user`; what the embedder throws. None holds the query.
 */
export async function recall(
  database: Database,
  embedder: Embedder,
  input: RecallInput,
): Promise<RecallResult[]> {
  const { tenant, user, at, includeSuperseded = false } = input;
  const query = input.query.trim();
  requireText(query, 'query', QUERY_MAX_CHARS);
  const { limit, maxChars, priors } = boundsOf(input);
  // No transaction is open while the embedder works.
  const vector = input.byWordsAlone ? null : await vectorOf(embedder, query, input.signal);
  return database.withTenant(tenant, async (tx) => {
    const words = await questionWords(tx, query);
    const found = await searchMemories(tx, {
      ...{ tenant, user, words, at, includeSuperseded, filter: input, limit },
      vector,
      model: embedder.model,
    });
    const { threshold, lexical = false } = embedder;
    const ranked = rankRecall(found.collection, found.memories, { limit, threshold, lexical, at, priors });
    const byId = new Map(found.memories.map((memory) => [memory.id, memory]));
    const all = ranked.map(({ id, score, parts }) => ({ ...byId.get(id)!, score, parts }));
    const results = maxChars === undefined ? all : withinBudget(all, maxChars);
    if (input.silent) return results;
    const known = await recordRecall(tx, { tenant, user, eventId: newId(at), query, at, hits: results });
    if (!known) throw new RecallError('unknown_user', 'there is no such user: nothing was recalled');
    return results;
  });
}

async function vectorOf(embedder: Embedder, query: string, signal?: AbortSignal): Promise<Float32Array> {
  const [vector] = await embedder.embed([query], signal ? { signal } : {});
  return vector!;
}

function boundsOf(input: RecallInput): { limit: number; maxChars: number | undefined; priors: RecallPriors } {
  const { maxChars } = input;
  const limit = input.limit ?? (maxChars === undefined ? RECALL_LIMIT_DEFAULT : RECALL_LIMIT_MAX);
  requireNumber(limit, 'limit', { min: 1, max: RECALL_LIMIT_MAX, whole: true });
  if (maxChars !== undefined)
    requireNumber(maxChars, 'maxChars', { min: 1, max: RECALL_CHARS_MAX, whole: true });
  if (input.minTrust !== undefined) requireNumber(input.minTrust, 'minTrust', { min: 0, max: 1 });
  const priors = {
    prominence: input.priors?.prominence ?? DEFAULT_PRIORS.prominence,
    recency: input.priors?.recency ?? DEFAULT_PRIORS.recency,
  };
  requireNumber(priors.prominence, 'priors.prominence', { min: 0, max: PRIOR_MAX });
  requireNumber(priors.recency, 'priors.recency', { min: 0, max: PRIOR_MAX });
  return { limit, maxChars, priors };
}
