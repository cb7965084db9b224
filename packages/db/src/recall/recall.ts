import { type Embedder, isStrong, rankRecall } from '@slowwave/fusion';
import type { Database } from '../database.ts';
import { newId } from '../ids.ts';
import { requireNumber, requireText } from '../input-error.ts';
import { RecallError } from './errors.ts';
import { type FoundMemory, recordRecall, type Search, searchMemories } from './search.ts';

/** Longest question, in characters. */
export const QUERY_MAX_CHARS = 2_000;
export const RECALL_LIMIT_MAX = 50;
export const RECALL_LIMIT_DEFAULT = 10;

export interface RecallInput {
  tenant: string;
  user: string;
  /** 1 to 2,000 characters that are not all white space. */
  query: string;
  /** Epoch ms. */
  at: number;
  /** 1 to 50; 10 without one. */
  limit?: number | undefined;
  /** Also memories that others have taken the place of. */
  includeSuperseded?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A memory that came to mind. */
export interface RecallResult extends FoundMemory {
  /** 0 to 1. */
  score: number;
}

/**
 * What a user's memories have to say to a question: found by meaning and by words, weighted by prominence, best first. Archived ones
 * are looked at only when nothing else answers. The question and what it brought back are recorded; being recalled does not make a
 * memory more prominent.
 * @throws InputError for a query or limit out of bounds; RecallError `unknown_user`; what the embedder throws. None holds the query.
 */
export async function recall(
  database: Database,
  embedder: Embedder,
  input: RecallInput,
): Promise<RecallResult[]> {
  const { tenant, user, at, includeSuperseded = false, limit = RECALL_LIMIT_DEFAULT } = input;
  const query = input.query.trim();
  requireText(query, 'query', QUERY_MAX_CHARS);
  requireNumber(limit, 'limit', { min: 1, max: RECALL_LIMIT_MAX, whole: true });
  // No transaction is open while the embedder works.
  const [vector] = await embedder.embed([query], input.signal ? { signal: input.signal } : {});
  const search = { tenant, user, query, vector: vector!, model: embedder.model, at, includeSuperseded };
  return database.withTenant(tenant, async (tx) => {
    const ask = (archived: boolean) => searchMemories(tx, { ...search, archived } satisfies Search);
    const { threshold } = embedder;
    let found = await ask(false);
    if (!found.some((hit) => isStrong(hit, threshold))) found = [...found, ...(await ask(true))];
    const byId = new Map(found.map((memory) => [memory.id, memory]));
    const results = rankRecall(found, { limit, threshold }).map(({ id, score }) => ({
      ...byId.get(id)!,
      score,
    }));
    const known = await recordRecall(tx, { tenant, user, eventId: newId(at), query, at, hits: results });
    if (!known) throw new RecallError('unknown_user', 'there is no such user: nothing was recalled');
    return results;
  });
}
