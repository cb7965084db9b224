import type { Embedder, LLMProvider } from '@slowwave/fusion';
import { createAnthropicProvider } from './anthropic.ts';
import { createAnthropicBatches } from './anthropic-batches.ts';
import type { Batches } from './batches.ts';
import { localShortages, sentenceOf } from './local/shortages.ts';
import { createLocalEmbedder, type LocalEmbedderOptions } from './local-embedder.ts';
import { createOfflineProvider } from './offline.ts';
import { createOfflineEmbedder, OFFLINE_LIMITS } from './offline-embedder.ts';
import { createOpenAiProvider, type OpenAiOptions } from './openai.ts';
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
      promptCache?: boolean;
    }
  | ({ provider: 'openai' } & OpenAiOptions);

/** Who embeds. */
export type EmbedderOptions =
  | { embedder: 'offline'; threshold?: number; dimensions?: number }
  | ({ embedder: 'local' } & LocalEmbedderOptions)
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

/** The steps that ask a language model. */
export type ModelStep =
  | 'fusion'
  | 'summaries'
  | 'conflicts'
  | 'nrem'
  | 'rem'
  | 'reflection'
  | 'insights'
  | 'judge';

export interface ModelsOptions {
  model: ProviderOptions;
  embedder: EmbedderOptions;
  /** Steps that ask another model of the same provider. Without a provider that has models it says nothing. */
  steps?: Partial<Record<ModelStep, { model?: string }>>;
}

export interface Models {
  /** Null when no provider was chosen: steps that need a model are then skipped. */
  provider: LLMProvider | null;
  /** The steps that ask another model than `provider`'s; steps with the same model share one. */
  providers: Partial<Record<ModelStep, LLMProvider>>;
  embedder: Embedder;
  /** Questions asked together at a lower price; null where the provider has no such thing. */
  batches: Batches | null;
  /** One line for people, for the first log line. Holds no key. */
  description: string;
  /** What the embedder needs and does not find on this machine, each in a sentence with what to do; looked for anew by each call. */
  shortages(): Promise<string[]>;
  /** Ends what the embedder holds, if anything: the thread of the local one. */
  close(): Promise<void>;
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
      return createOpenAiProvider(options);
  }
}

function createEmbedder(options: EmbedderOptions): Embedder & Partial<Pick<Models, 'close'>> {
  switch (options.embedder) {
    case 'offline':
      return createOfflineEmbedder(options);
    case 'local':
      return createLocalEmbedder(options);
    case 'openai':
      return createOpenAiEmbedder({ ...options, batchSize: options.batchSize ?? DEFAULT_BATCH_SIZE });
  }
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
      return 'offline provider (no language model: it joins only what repeats word for word)';
    case 'anthropic':
      return `anthropic provider, model ${options.model}${options.baseUrl ? ` at ${placeOf(options.baseUrl)}` : ''}`;
    case 'openai':
      return `openai provider, model ${options.model} at ${placeOf(options.baseUrl)}`;
  }
}

/** The steps of each model that is not the one of all steps, in the order in which they are named. */
function ownModels({ model, steps }: ModelsOptions): Map<string, ModelStep[]> {
  const own = new Map<string, ModelStep[]>();
  if (model.provider === 'none' || model.provider === 'offline') return own;
  for (const [step, { model: name }] of Object.entries(steps ?? {}) as [ModelStep, { model?: string }][]) {
    // A judge that is named is asked, whoever writes.
    if (name !== undefined && (step === 'judge' || name !== model.model))
      own.set(name, [...(own.get(name) ?? []), step]);
  }
  return own;
}

/** The same account with another model; what has no model stays as it is. */
function withModel(options: ProviderOptions, model: string): ProviderOptions {
  return options.provider === 'anthropic' || options.provider === 'openai' ? { ...options, model } : options;
}

function createStepProviders(options: ModelsOptions): Models['providers'] {
  const providers: Models['providers'] = {};
  for (const [model, steps] of ownModels(options)) {
    const provider = createProvider(withModel(options.model, model));
    for (const step of steps) if (provider) providers[step] = provider;
  }
  return providers;
}

function describeSteps(options: ModelsOptions): string {
  const parts = [...ownModels(options)].map(([model, steps]) => `${model} for ${steps.join(', ')}`);
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

function describeEmbedder(options: EmbedderOptions): string {
  const { name, model, dimensions, threshold } = createEmbedder(options);
  const shape = `${dimensions ?? 'unknown'} dimensions, related from ${threshold}`;
  const said = (place = '') => `${name} embedder, model ${model}${place} (${shape})`;
  switch (options.embedder) {
    case 'offline':
      return `${said()}: ${OFFLINE_LIMITS}`;
    case 'local':
      return said(' in this process');
    case 'openai':
      return said(` at ${placeOf(options.baseUrl)}`);
  }
}

/** What was chosen, in one line without any key, password or query. */
export function describeModels(options: ModelsOptions): string {
  return `${describeProvider(options.model)}${describeSteps(options)}; ${describeEmbedder(options.embedder)}`;
}

async function shortagesOf(options: EmbedderOptions): Promise<string[]> {
  return options.embedder === 'local' ? (await localShortages(options, options.places)).map(sentenceOf) : [];
}

/** Builds the providers and the embedder that were chosen. Makes no call, and starts no thread yet. */
export function createModels(options: ModelsOptions): Models {
  const embedder = createEmbedder(options.embedder);
  return {
    provider: createProvider(options.model),
    providers: createStepProviders(options),
    embedder,
    batches: options.model.provider === 'anthropic' ? createAnthropicBatches(options.model) : null,
    description: describeModels(options),
    shortages: () => shortagesOf(options.embedder),
    close: async () => embedder.close?.(),
  };
}
