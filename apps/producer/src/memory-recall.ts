import type { AnswerOf, BodyOf, recallMemories } from '@slowwave/api';
import { type Database, type RecallResult, recall } from '@slowwave/db';
import { CHARS_PER_TOKEN, type Embedder, ModelError } from '@slowwave/fusion';
import { meteredFor, type RecallBudget } from './recall-ledger.ts';

/** What may be asked: the body of POST /v1/recall. */
export type RecallQuestion = BodyOf<typeof recallMemories> & {
  tenant: string;
  /** An operator's look: neither recorded nor counted. */
  silent?: boolean;
};

/** A memory as the API answers with it. */
export type RecalledMemory = Omit<RecallResult, 'counts' | 'inSources' | 'size' | 'parts'> &
  Partial<Pick<RecallResult, 'parts'>>;

export interface RecallAnswer {
  tenant: string;
  user: string;
  /** Best first. */
  memories: RecalledMemory[];
  /** Whether the question was not embedded, so that words alone found them. */
  degraded: boolean;
  /** Why not, as a code. */
  reason: AnswerOf<typeof recallMemories>['reason'];
}

/**
 * Asks what a user's memories have to say to a question, for the service and for a command on the database. Where no budget
 * pays for embedding the question, or the embedder fails, words alone answer it, which costs nothing.
 * @param of.at epoch ms
 * @throws what `recall` throws, of ModelErrors only `aborted`
 */
export async function answerRecall(
  of: {
    database: Database;
    embedder: Embedder;
    at: number;
    /** Absent: no ledger counts what embedding the question costs. */
    budget?: RecallBudget | undefined;
    signal?: AbortSignal;
  },
  question: RecallQuestion,
): Promise<RecallAnswer> {
  const { database, at, budget: costs, signal } = of;
  const embedder = costs ? meteredFor({ ...of, budget: costs }, question) : of.embedder;
  const { maxTokens, maxChars, explain, ...asked } = question;
  const budgets = [maxChars, maxTokens && maxTokens * CHARS_PER_TOKEN].filter((chars) => chars !== undefined);
  const budget = budgets.length > 0 ? { maxChars: Math.min(...budgets) } : {};
  const ask = (byWordsAlone: boolean) =>
    recall(database, embedder, { ...asked, ...budget, at, signal, byWordsAlone });
  let reason: RecallAnswer['reason'] = null;
  const found = await ask(false).catch((error: unknown) => {
    if (!(error instanceof ModelError)) throw error;
    if (error.code === 'aborted' || error.code === 'batched') throw error;
    reason = error.code;
    return ask(true);
  });
  const memories = found.map(({ counts, inSources, size, parts, ...memory }) =>
    explain ? { ...memory, parts } : memory,
  );
  return { tenant: question.tenant, user: question.user, memories, degraded: reason !== null, reason };
}

/** Why words alone answered, for people. */
export function degradedText(reason: AnswerOf<typeof recallMemories>['reason']): string {
  return reason === 'budget'
    ? 'a budget does not allow what embedding the question costs'
    : `the embedder gave no answer (${reason})`;
}
