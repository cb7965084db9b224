import { safeText } from './fence.ts';
import {
  type CompletionRequest,
  type CompletionResponse,
  type LLMProvider,
  ModelError,
  type StoredAnswer,
} from './ports.ts';

/** The name of a question under the key of its answer: what follows a rejected answer is another question. */
export function questionOf(key: string, attempt: number): string {
  return `${key}:${attempt}`;
}

/** Asks once and brings the answer into the shape that the ledger keeps. @throws what the provider throws, ModelError 'aborted' on abort. */
export async function askModel(
  provider: LLMProvider,
  request: CompletionRequest,
  signal?: AbortSignal,
): Promise<StoredAnswer> {
  const response = await untilAborted(provider.complete(request), signal);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = response.usage ?? {};
  return {
    text: textOf(response),
    stopReason: response.stopReason ?? 'unknown',
    inputTokens: (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0),
    outputTokens: outputTokens ?? 0,
    model: response.model ?? provider.model ?? provider.name,
  };
}

/** Settles with the promise, or rejects as soon as the signal aborts: a provider may be deaf to it. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new ModelError('aborted', { retryable: true }));
    signal.addEventListener('abort', stop, { once: true });
    // It may have aborted while the call was being made.
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([
      promise,
      aborted, // guard: call-abort
    ]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * The text of an answer: its text blocks joined, without what no database can take, or a paid answer could not be kept. A thinking block
 * or anything else is left out.
 */
export function textOf(response: CompletionResponse): string {
  if (!Array.isArray(response.content)) return '';
  const text = response.content.map((block) => (block?.type === 'text' ? block.text : '')).join('');
  return safeText(text); // guard: batch-unsafe
}
