import type { BatchedQuestion } from '@slowwave/db';
import {
  type CompletionRequest,
  type CompletionResponse,
  type LLMProvider,
  ModelError,
} from '@slowwave/fusion';
import { boundOf, type CallBound } from '@slowwave/models';

export interface Waiting {
  /** Null: the question was never collected. */
  find(question: string): Promise<BatchedQuestion | null>;
  /**
   * Writes a question down; null: this run asks directly.
   * @throws ModelError `budget` when a budget does not allow it
   */
  collect:
    | ((bound: CallBound, asked: { question: string; body: string }) => Promise<'waits' | 'forbidden'>)
    | null;
  bodyOf(model: string, request: CompletionRequest): string;
  onWaiting(): void;
}

/**
 * A provider whose questions may wait for a batch: one whose answer has come is answered with it, one that waits goes on waiting, and a new
 * one is written down. Whoever asks gets ModelError `batched` for the latter two and goes on with the next question; the run that finds the
 * answer uses it as if it had asked. What was once asked in vain is asked directly, and so is what bears no name.
 *
 * An answer is not used up by being found: it goes when it is stored under its key. So a worker may end anywhere in between.
 */
export function batchingProvider(direct: LLMProvider, waiting: Waiting): LLMProvider {
  const { name: provider, model } = direct;

  /** @returns whether its answer comes later */
  async function isCollected(request: CompletionRequest, question: string): Promise<boolean> {
    if (waiting.collect === null || model === undefined) return false;
    const bound = { provider, model, ...boundOf(request) };
    return (await waiting.collect(bound, { question, body: waiting.bodyOf(model, request) })) === 'waits';
  }

  return {
    ...direct,
    isAvailable: () => direct.isAvailable(),
    async complete(request) {
      const { question } = request;
      if (question === undefined) return direct.complete(request);
      const found = await waiting.find(question);
      if (found?.status === 'answered') return responseOf(found);
      const comesLater = found === null ? await isCollected(request, question) : found.status === 'waiting';
      if (!comesLater) return direct.complete(request);
      waiting.onWaiting();
      throw new ModelError('batched', { retryable: true, hint: 'the answer comes with a batch' });
    },
  };
}

function responseOf({ answer }: Extract<BatchedQuestion, { status: 'answered' }>): CompletionResponse {
  const { text, stopReason, inputTokens, outputTokens, model } = answer;
  return { content: [{ type: 'text', text }], stopReason, usage: { inputTokens, outputTokens }, model };
}
