import {
  type CompletionRequest,
  type Embedder,
  type LLMProvider,
  ModelError,
  type ModelErrorCode,
  type TokenCounts,
} from '@slowwave/fusion';
import { outputLimit } from './request.ts';

/** The most that a call can take, before it is made. */
export interface CallBound {
  provider: string;
  /** As it is asked for. */
  model: string;
  inputTokens: number;
  outputTokens: number;
}

/** A call that may be made. Exactly one of these ends it; without an end it counts in full once it has lapsed. */
export interface ReservedCall {
  /** It was answered. @param usage of the answer; null: it does not say, and the call counts in full */
  settle(usage: TokenCounts | null): Promise<void>;
  /** It was not made, or refused by whoever was asked: nothing was paid. */
  release(): Promise<void>;
}

/** Port: the books in which a call is reserved before it is made. */
export interface Ledger {
  /** @throws ModelError `budget` when a budget does not allow the call: then nothing is reserved */
  reserve(bound: CallBound): Promise<ReservedCall>;
}

/** No token is shorter than a byte; in running text of any script there are fewer than two in three bytes. */
const TOKENS_PER_BYTE = 2 / 3;
/** The frame that an endpoint puts around a request, and around each message. */
const FRAME_TOKENS = 64;
const MESSAGE_TOKENS = 16;

/**
 * The most tokens that a request and its answer can take. It is meant to be high: what is reserved and not used is given back, what
 * is used and not reserved passes a budget.
 */
export function boundOf(request: CompletionRequest): { inputTokens: number; outputTokens: number } {
  const schema = request.schema === undefined ? '' : JSON.stringify(request.schema);
  const texts = [request.system ?? '', schema, ...request.messages.map(({ content }) => content)];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const frames = FRAME_TOKENS + MESSAGE_TOKENS * request.messages.length;
  return { inputTokens: Math.ceil(bytes * TOKENS_PER_BYTE) + frames, outputTokens: outputLimit(request) };
}

/** Answers with which nobody charges: the request was refused, or nobody had the time to read it. */
const UNPAID: ReadonlySet<ModelErrorCode> = new Set([
  'auth',
  'budget',
  'batched',
  'invalid_request',
  'too_large',
  'rate_limited',
  'overloaded',
  'server_error',
]);

/**
 * Every call of the provider is reserved before it is made, and settled from what its answer says it took. A call of which nobody knows
 * whether it was answered (a timeout, a lost connection) stays reserved until it lapses, and counts as if it had been.
 *
 * @param onLost told when the books could not be brought up to date after a call: its answer is paid for, and is not thrown away
 */
export function meterProvider(
  inner: LLMProvider,
  ledger: Ledger,
  onLost: (error: unknown) => void = () => {},
): LLMProvider {
  const names = { provider: inner.name, model: inner.model ?? inner.name };
  const written = (entry: Promise<void>) => entry.catch(onLost);
  return {
    ...inner,
    isAvailable: () => inner.isAvailable(),
    async complete(request) {
      const call = await ledger.reserve({ ...names, ...boundOf(request) });
      try {
        const response = await inner.complete(request);
        await written(call.settle(usageOf(response.usage)));
        return response;
      } catch (error) {
        if (error instanceof ModelError && (error.unsent || UNPAID.has(error.code)))
          await written(call.release());
        throw error;
      }
    },
  };
}

/**
 * The same for calls of an embedder that may be charged for. Where not every answer says what it counted, the call counts in full.
 */
export function meterEmbedder(
  inner: Embedder,
  ledger: Ledger,
  onLost: (error: unknown) => void = () => {},
): Embedder {
  if (!inner.isCharged) return inner;
  return {
    ...inner,
    get dimensions() {
      return inner.dimensions;
    },
    async embed(texts, options = {}) {
      if (texts.length === 0) return [];
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      const inputTokens = Math.ceil(bytes * TOKENS_PER_BYTE) + texts.length;
      const call = await ledger.reserve({
        provider: inner.name,
        model: inner.chargedAs ?? inner.model,
        inputTokens,
        outputTokens: 0,
      });
      let tokens = 0;
      try {
        const onTokens = (count: number): void => {
          tokens += count;
          options.onTokens?.(count);
        };
        const vectors = await inner.embed(texts, { ...options, onTokens });
        await call.settle(tokens > 0 ? { inputTokens: tokens, outputTokens: 0 } : null).catch(onLost);
        return vectors;
      } catch (error) {
        // An earlier request of the same call may have been answered.
        if (tokens === 0 && error instanceof ModelError && (error.unsent || UNPAID.has(error.code)))
          await call.release().catch(onLost);
        throw error;
      }
    },
  };
}

/** An endpoint that counts nothing says nothing. */
function usageOf(usage: TokenCounts | undefined): TokenCounts | null {
  return usage && tokensOf(usage) > 0 ? usage : null;
}

/** All tokens of an answer: read, from a cache or not, and written. */
export function tokensOf(usage: TokenCounts): number {
  return inputTokensOf(usage) + usage.outputTokens;
}

/** All tokens that were read for an answer. */
export function inputTokensOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: TokenCounts): number {
  return inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
}
