import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { type AnthropicOptions, bodyOf, classify, createClient, readAnswer } from './anthropic-messages.ts';
import { withDeadline } from './deadline.ts';
import { createPrefixMemory, withCache } from './prompt-cache.ts';

export type { AnthropicOptions } from './anthropic-messages.ts';

/**
 * Claude through the Messages API.
 *
 * The answer is taken from `messages.create` and not from the client's `parse`: that one throws on a refusal and on a truncated
 * answer, with the answer's text in the error, where the stop reason is what the caller has to know.
 * @throws {ModelError} from `complete`, classified in errors.ts. Never retries by itself.
 */
export function createAnthropicProvider(options: AnthropicOptions): LLMProvider {
  const connect = createClient(options);
  const { promptCache = true } = options;
  const prefixes = createPrefixMemory(() => performance.now());
  return {
    name: 'anthropic',
    model: options.model,
    isAvailable: () => Boolean(options.authToken || options.apiKey),
    async complete(request) {
      const client = await connect();
      return withDeadline(options.timeoutMs, request.signal, async (signal) => {
        let answer: unknown;
        try {
          const body = bodyOf(options.model, request);
          const isCached = promptCache && prefixes.isRepeated(body);
          answer = await client.messages.create(isCached ? withCache(body) : body, { signal });
        } catch (error) {
          if (signal.aborted && !(error instanceof ModelError)) throw error;
          throw classify(error);
        }
        return readAnswer(answer, options.model);
      });
    },
  };
}
