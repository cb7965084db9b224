import type { RawConfig } from './read.ts';
import { optional, seconds, text } from './values.ts';

/** The forms of a model that the local embedder can run. */
export type LocalDtype = 'q8' | 'fp32' | 'fp16' | 'q4';

/** Where the models of the local embedder are, and which one it runs. */
export interface LocalModelsConfig {
  folder: string;
  model: string;
  dtype: LocalDtype;
}

export type EmbedderConfig =
  | { embedder: 'offline'; threshold?: number; dimensions?: number }
  | ({ embedder: 'local'; threshold?: number; dimensions?: number; timeoutMs: number } & LocalModelsConfig)
  | {
      embedder: 'openai';
      baseUrl: string;
      apiKey?: string;
      model: string;
      dimensions?: number;
      threshold: number;
      timeoutMs: number;
    };

/** About 120 MB as q8; some fifty languages, 384 dimensions. */
export const DEFAULT_LOCAL_MODEL = 'Xenova/paraphrase-multilingual-MiniLM-L12-v2';
const DEFAULT_OPENAI_THRESHOLD = 0.75;
const MODEL_NAME = /^(?:[A-Za-z0-9][\w.-]{0,95}\/)?[A-Za-z0-9][\w.-]{0,95}$/;

/** Whether a name can be that of a model in a folder: a name, or an owner and a name, and no way out of the folder. */
export const isLocalModelName = (name: string): boolean => MODEL_NAME.test(name) && !name.includes('..');

/** SLOWWAVE_EMBEDDING_MODEL names the model of the chosen embedder; where that is another one, the local model is the default. */
export function localModelsOf(raw: RawConfig): LocalModelsConfig {
  const named = raw.SLOWWAVE_EMBEDDER === 'local' ? text(raw.SLOWWAVE_EMBEDDING_MODEL) : undefined;
  return {
    folder: text(raw.SLOWWAVE_EMBEDDING_DIR) ?? `${text(raw.SLOWWAVE_DATA_DIR) ?? '.slowwave'}/models`,
    model: named ?? DEFAULT_LOCAL_MODEL,
    dtype: (raw.SLOWWAVE_EMBEDDING_DTYPE as LocalDtype | undefined) ?? 'q8',
  };
}

/** Reads who embeds. @param mistakes gets what is missing for that, each beginning with the name of its setting */
export function embedderOf(raw: RawConfig, local: LocalModelsConfig, mistakes: string[]): EmbedderConfig {
  const threshold = raw.SLOWWAVE_SIMILARITY_THRESHOLD as number | undefined;
  const dimensions = raw.SLOWWAVE_EMBEDDING_DIMENSIONS as number | undefined;
  const common = { ...optional('threshold', threshold), ...optional('dimensions', dimensions) };
  const timeoutMs = seconds(raw.SLOWWAVE_MODEL_TIMEOUT_SECONDS);
  if (raw.SLOWWAVE_EMBEDDER === 'local') {
    if (!isLocalModelName(local.model))
      mistakes.push(
        'SLOWWAVE_EMBEDDING_MODEL: expected owner/name of a model when SLOWWAVE_EMBEDDER is local',
      );
    return { embedder: 'local', timeoutMs, ...local, ...common };
  }
  if (raw.SLOWWAVE_EMBEDDER !== 'openai') return { embedder: 'offline', ...common };
  const baseUrl = text(raw.SLOWWAVE_EMBEDDING_BASE_URL) ?? text(raw.OPENAI_BASE_URL) ?? '';
  const model = text(raw.SLOWWAVE_EMBEDDING_MODEL) ?? '';
  if (!baseUrl)
    mistakes.push(
      'SLOWWAVE_EMBEDDING_BASE_URL or OPENAI_BASE_URL: required when SLOWWAVE_EMBEDDER is openai',
    );
  if (!model) mistakes.push('SLOWWAVE_EMBEDDING_MODEL: required when SLOWWAVE_EMBEDDER is openai');
  const key = optional('apiKey', text(raw.OPENAI_API_KEY));
  const related = { threshold: threshold ?? DEFAULT_OPENAI_THRESHOLD };
  return { embedder: 'openai', baseUrl, model, timeoutMs, ...key, ...common, ...related };
}
