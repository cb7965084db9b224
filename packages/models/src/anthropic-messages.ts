import type Anthropic from '@anthropic-ai/sdk';
import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk/core/error';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import {
  type CompletionRequest,
  type CompletionResponse,
  ModelError,
  type TextBlock,
  type TokenCounts,
} from '@slowwave/fusion';
import { fromConnection, fromErrorBody, fromStatus, invalidResponse, requireHeaderKey } from './errors.ts';
import { createBoundedFetch, MAX_ANSWER_BYTES } from './http.ts';
import {
  isRecord,
  modelName,
  outputLimit,
  stopWord,
  tokenCount,
  wellFormed,
  withoutThinking,
} from './request.ts';

export interface AnthropicOptions {
  /** Sent as the key of the account. Give this or `authToken`, not both. */
  apiKey?: string;
  /** A bearer token, for gateways and workload identities. */
  authToken?: string;
  model: string;
  /** Default: the public endpoint. Named here always, so that nothing in the surroundings can redirect prompts. */
  baseUrl?: string;
  /** Longest wait for one whole answer, in milliseconds. */
  timeoutMs: number;
  /** Whether prefixes are asked to be kept where that pays. Default true. */
  promptCache?: boolean;
}

export const DEFAULT_BASE_URL = 'https://api.anthropic.com';
const silent = { error() {}, warn() {}, info() {}, debug() {} };

/**
 * The client of the provider, made at the first call: its package is a large part of all that a process would load, and most
 * processes never ask this provider.
 * @param fetch what reaches the network; by default one whose answers are as long as an answer may be
 */
export function createClient(
  options: AnthropicOptions,
  fetch: typeof globalThis.fetch = createBoundedFetch(MAX_ANSWER_BYTES),
): () => Promise<Anthropic> {
  let client: Promise<Anthropic> | null = null;
  return () => {
    client ??= loadClient(options, fetch);
    return client;
  };
}

async function loadClient(options: AnthropicOptions, fetch: typeof globalThis.fetch): Promise<Anthropic> {
  requireHeaderKey(options.authToken ?? options.apiKey ?? '');
  const { Anthropic } = await import('@anthropic-ai/sdk');
  return new Anthropic({
    // Exactly one of the two: the client refuses both and, given neither, would search the machine for credentials.
    ...(options.authToken ? { authToken: options.authToken } : { apiKey: options.apiKey ?? '' }),
    baseURL: (options.baseUrl ?? DEFAULT_BASE_URL).replace(/\/+$/, ''),
    // One retry policy, ours: it knows budgets and the queue.
    maxRetries: 0,
    timeout: options.timeoutMs,
    // The client's debug log and its spans can hold whole prompts, switched on from the environment.
    logger: silent,
    logLevel: 'off',
    openTelemetry: false,
    fetch,
  });
}

/**
 * The body of the call. Current models refuse temperature, top_p, top_k and an assistant prefill, and think by default, which
 * would eat a small output limit; so the first are dropped and thinking is off. The schema is reduced to what structured output
 * supports: other constraints become description, and are checked by whoever reads the answer.
 */
export function bodyOf(model: string, request: CompletionRequest): Anthropic.MessageCreateParamsNonStreaming {
  return {
    model,
    max_tokens: outputLimit(request),
    messages: request.messages.map(({ role, content }) => ({ role, content: wellFormed(content) })),
    thinking: { type: 'disabled' },
    ...(request.system === undefined ? {} : { system: wellFormed(request.system) }),
    ...(request.schema === undefined
      ? {}
      : { output_config: { format: { type: 'json_schema', schema: transformJSONSchema(request.schema) } } }),
  };
}

/** What an answer says it took; what was read from a cache or put there is counted apart. */
function usageOf(given: unknown): TokenCounts {
  const usage = isRecord(given) ? given : {};
  const read = tokenCount(usage.cache_read_input_tokens);
  const written = tokenCount(usage.cache_creation_input_tokens);
  return {
    inputTokens: tokenCount(usage.input_tokens),
    outputTokens: tokenCount(usage.output_tokens),
    ...(read > 0 ? { cacheReadTokens: read } : {}),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
  };
}

/** Text blocks only, wherever they stand: a thinking block may come first whatever was asked. */
export function readAnswer(answer: unknown, model: string): CompletionResponse {
  if (!isRecord(answer) || !Array.isArray(answer.content))
    throw fromErrorBody(answer) ?? invalidResponse('the body is not a message');
  const content: TextBlock[] = [];
  for (const block of answer.content) {
    if (isRecord(block) && block.type === 'text' && typeof block.text === 'string') {
      content.push({ type: 'text', text: withoutThinking(block.text) });
    }
  }
  const reason = stopWord(answer.stop_reason);
  return {
    content,
    // A full context window cuts an answer just as the output limit does.
    stopReason: reason === 'model_context_window_exceeded' ? 'max_tokens' : reason,
    usage: usageOf(answer.usage),
    model: modelName(answer.model, model),
  };
}

export function classify(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError) {
    return new ModelError('timeout', { retryable: true, hint: 'the client gave up waiting' });
  }
  if (error instanceof APIConnectionError) {
    // What our own part of the way to the network refused is told as it is.
    return error.cause instanceof ModelError ? error.cause : fromConnection(error);
  }
  if (error instanceof APIError && typeof error.status === 'number') {
    return fromStatus(error.status, {
      errorCode: error.errorCode,
      ...(error.headers ? { headers: error.headers } : {}),
    });
  }
  // The parser's error for a body that is not JSON quotes the body.
  if (error instanceof SyntaxError) return invalidResponse('the body is not JSON');
  return fromConnection(error);
}
