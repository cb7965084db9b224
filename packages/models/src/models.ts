import type { Embedder, LLMProvider } from '@slowwave/fusion';
import { createAnthropicProvider } from './anthropic.ts';
import { createOfflineProvider } from './offline.ts';
import { createOfflineEmbedder } from './offline-embedder.ts';
import { createOpenAiProvider, type StructuredOutput } from './openai.ts';
import { createOpenAiEmbedder } from './openai-embedder.ts';

/** Who fuses. Times in milliseconds; see the options of each provider for the rest. */
export type ProviderOptions =
  | { provider: 'none' }
  | { provider: 'offline' }
  | {
      provider: 'anthropic';
      apiKey?: string;
      authToken?: string;
      model: string;
      baseUrl?: string;
      timeoutMs: number;
    }
  | {
      provider: 'openai';
      baseUrl: string;
      apiKey?: string;
      model: string;
      timeoutMs: number;
      /** Default 'json_schema'. */
      structuredOutput?: StructuredOutput;
      maxTokensField?: 'max_tokens' | 'max_completion_tokens';
      omitTemperature?: boolean;
    };

/** Who embeds. */
export type EmbedderOptions =
  | { embedder: 'offline'; threshold?: number; dimensions?: number }
  | {
      embedder: 'openai';
      baseUrl: string;
      apiKey?: string;
      model: string;
      dimensions?: number;
      requestDimensions?: boolean;
      threshold: number;
      timeoutMs: number;
      /** Default 64. */
      batchSize?: number;
    };

export interface ModelsOptions {
  model: ProviderOptions;
  embedder: EmbedderOptions;
}

export interface Models {
  /** Null when no provider was chosen: steps that need a model are then skipped. */
  provider: LLMProvider | null;
  embedder: Embedder;
  /** One line for people, for the first log line. Holds no key. */
  description: string;
}

const DEFAULT_BATCH_SIZE = 64;

function createProvider(options: ProviderOptions): LLMProvider | null {
  switch (options.provider) {
    case 'none':
      return null;
    case 'offline':
      return createOfflineProvider();
    case 'anthropic':
      return createAnthropicProvider(options);
    case 'openai':
      return createOpenAiProvider({
        ...options,
        structuredOutput: options.structuredOutput ?? 'json_schema',
      });
  }
}

function createEmbedder(options: EmbedderOptions): Embedder {
  return options.embedder === 'offline'
    ? createOfflineEmbedder(options)
    : createOpenAiEmbedder({ ...options, batchSize: options.batchSize ?? DEFAULT_BATCH_SIZE });
}

/** Host and path of an endpoint: a URL may carry a password or a key in its other parts. */
function placeOf(url: string): string {
  return URL.canParse(url)
    ? new URL(url).host + new URL(url).pathname.replace(/\/$/, '')
    : 'an unreadable URL';
}

function describeProvider(options: ProviderOptions): string {
  switch (options.provider) {
    case 'none':
      return 'no model provider (steps that need a model are skipped)';
    case 'offline':
      return 'offline provider (extractive, no language model)';
    case 'anthropic':
      return `anthropic provider, model ${options.model}${options.baseUrl ? ` at ${placeOf(options.baseUrl)}` : ''}`;
    case 'openai':
      return `openai provider, model ${options.model} at ${placeOf(options.baseUrl)}`;
  }
}

/** What was chosen, in one line without any key, password or query. */
export function describeModels(options: ModelsOptions): string {
  const { embedder } = options;
  const place = embedder.embedder === 'openai' ? ` at ${placeOf(embedder.baseUrl)}` : '';
  const { name, model, dimensions, threshold } = createEmbedder(embedder);
  const shape = `${dimensions ?? 'unknown'} dimensions, related from ${threshold}`;
  return `${describeProvider(options.model)}; ${name} embedder, model ${model}${place} (${shape})`;
}

/** Builds the provider and the embedder that were chosen. Calls nobody. */
export function createModels(options: ModelsOptions): Models {
  return {
    provider: createProvider(options.model),
    embedder: createEmbedder(options.embedder),
    description: describeModels(options),
  };
}
