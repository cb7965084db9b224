import {
  askModel,
  type CompletionRequest,
  type LLMProvider,
  ModelError,
  type StoredAnswer,
} from '@slowwave/fusion';

/** An answer to judge, and what its keeper is told of the judgement. */
export interface AskedAnswer {
  status: 'answered';
  answer: StoredAnswer;
  /** Paid for by an earlier run. */
  reused: boolean;
  /** Before anything of it is written, and after. False: something it was made of was forgotten, nothing of it may stand. */
  accept(): Promise<boolean>;
  reject(): Promise<void>;
}

/** `stopped`: no model may be asked now; `failed`: this question failed, for good unless `transient`. Codes, never text. */
export type InsightAnswer = AskedAnswer | { status: 'stopped' | 'failed'; code: string; transient: boolean };

/** Asks a model about a working memory. @param parts what is asked about, for keys of stored answers */
export type AskInsights = (request: CompletionRequest, parts: readonly string[]) => Promise<InsightAnswer>;

/** Asks a provider each time and keeps no answers. */
export function askProvider(provider: LLMProvider, signal?: AbortSignal): AskInsights {
  return async (request) => {
    if (!provider.isAvailable()) return { status: 'stopped', code: 'unavailable', transient: true };
    try {
      const answer = await askModel(provider, { ...request, ...(signal ? { signal } : {}) }, signal);
      return { status: 'answered', answer, reused: false, accept: async () => true, reject: async () => {} };
    } catch (error) {
      if (!(error instanceof ModelError))
        return { status: 'failed', code: 'provider_error', transient: true };
      const isStopped = ['rate_limited', 'auth', 'budget'].includes(error.code);
      return {
        status: isStopped ? 'stopped' : 'failed',
        code: error.code,
        transient: isStopped || error.retryable,
      };
    }
  };
}
