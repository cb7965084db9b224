import { type AnswerStep, answerKeyOf, findAnswer, storeAnswer } from '@slowwave/db';
import {
  askModel,
  type CompletionRequest,
  type LLMProvider,
  ModelError,
  questionOf,
  type StoredAnswer,
} from '@slowwave/fusion';
import type { StepContext } from './context.ts';
import { codeOf } from './errors.ts';

/** One question to a model, and what makes it this question and no other. */
export interface Question {
  step: AnswerStep;
  promptVersion: string;
  /** The model asked, as it stands in the key. */
  model: string;
  provider: LLMProvider;
  /** What is asked about, such as ids with versions. */
  parts: readonly string[];
  request: CompletionRequest;
  /** Whose words are in the request, so that forgetting reaches the answer. */
  memoryIds: readonly string[];
  sessionIds: readonly string[];
  /** How often the user had something forgotten when the texts in the request were read; needed where these are not memories. */
  forgets?: number;
  /** Answers paid for at most, rejected ones included. */
  maxAttempts: number;
}

export type PaidAnswer =
  /** To be judged by the caller, who settles it under this key and attempt. */
  | { status: 'answered'; key: string; attempt: number; answer: StoredAnswer; reused: boolean }
  /** No model may be asked for now: the step's model work is over. */
  | { status: 'stopped'; why: 'rate_limited' | 'auth' | 'budget' | 'unavailable' }
  /** It waits in a batch: a later run finds its answer. Go on with the next one. */
  | { status: 'batched' }
  /** This question failed; `transient`: it may succeed another time. */
  | { status: 'failed'; code: string; transient: boolean }
  /** Every answer that may be paid for was paid for and rejected. */
  | { status: 'exhausted' };

/**
 * Finds a paid answer that may be used again, or asks once and stores the answer before anybody uses it. No transaction is open while
 * the model thinks.
 * @throws what the signal aborts with, and what the database throws
 */
export async function askOnce(context: StepContext, question: Question): Promise<PaidAnswer> {
  const { tenant, user, runId, at, signal } = context;
  const key = answerKeyOf({ tenant, user, ...question });
  const found = await context.database.withTenant(tenant, (tx) => findAnswer(tx, { tenant, user, key }));
  const { attempt } = found;
  if (found.answer) return { status: 'answered', key, attempt, answer: found.answer, reused: true };
  if (found.attempts >= question.maxAttempts) return { status: 'exhausted' };
  signal.throwIfAborted();
  if (!question.provider.isAvailable()) return { status: 'stopped', why: 'unavailable' };
  let answer: StoredAnswer;
  try {
    const { provider, request } = question;
    answer = await askModel(provider, { ...request, question: questionOf(key, attempt), signal }, signal);
  } catch (error) {
    // Whoever aborts takes the user or the process away.
    signal.throwIfAborted();
    return endingOf(error);
  }
  const { step, memoryIds, sessionIds, forgets } = question;
  const read = { memoryIds, sessionIds, ...(forgets === undefined ? {} : { forgets }) };
  const kept = await context.write((tx) =>
    storeAnswer(tx, { tenant, user, key, attempt, step, runId, answer, ...read, at }),
  );
  await context.failpoints?.('after-memo', { tenant, user });
  // Something it was made of is gone: the answer went with it.
  if (!kept) return { status: 'failed', code: 'stale', transient: true };
  return { status: 'answered', key, attempt, answer, reused: false };
}

function endingOf(error: unknown): PaidAnswer {
  if (!(error instanceof ModelError)) return { status: 'failed', code: codeOf(error), transient: true };
  const { code } = error;
  if (code === 'batched') return { status: 'batched' };
  if (code === 'rate_limited' || code === 'auth' || code === 'budget')
    return { status: 'stopped', why: code };
  return { status: 'failed', code: error.code, transient: error.retryable };
}
