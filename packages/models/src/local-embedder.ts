import { type Embedder, ModelError } from '@slowwave/fusion';
import { aborted, invalidResponse } from './errors.ts';
import { createInference } from './local/inference.ts';
import type { LocalModel } from './local/model-files.ts';
import type { Trouble } from './local/protocol.ts';
import { filesShortage, packageShortage, sentenceOf } from './local/shortages.ts';
import { installCommand, packagePlaces } from './local/transformers.ts';
import { wellFormed } from './request.ts';
import { createShortening } from './shorten.ts';

export interface LocalEmbedderOptions extends LocalModel {
  /** Expected components per vector. Absent: what the first answer has. */
  dimensions?: number;
  /** Cosine from which two memories count as related. Default LOCAL_THRESHOLD. */
  threshold?: number;
  /** Longest wait for one batch, in milliseconds; for the first one with the loading of the model. */
  timeoutMs: number;
  /** Texts that are given to the thread at once. Default 16. */
  batchSize?: number;
  /** Where the package that runs models is looked for. Default: in the folder of the models, then beside Slowwave. */
  places?: readonly string[];
}

/** An embedder that holds a thread, which `close` ends. */
export interface LocalEmbedder extends Embedder {
  close(): Promise<void>;
}

/**
 * What is usual for sentence models of this size, whose unrelated sentences lie about 0.1 and whose paraphrases lie above 0.7. It is not
 * calibrated on labelled pairs, as that of the offline embedder is.
 */
export const LOCAL_THRESHOLD = 0.5;

const DEFAULT_BATCH_SIZE = 16;
/** Sentence models read up to 512 tokens, and no token of usual text has more characters than 16. */
const MAX_CHARS = 8_192;

/** What is asked for a text: well formed, bounded, and never empty. */
function inputOf(text: string): string {
  const input = wellFormed(text.slice(0, MAX_CHARS));
  return input.trim() === '' ? ' ' : input;
}

function errorOf({ folder, model }: LocalModel, trouble: Trouble): ModelError {
  const refused = (hint: string) => new ModelError('invalid_request', { retryable: false, hint });
  switch (trouble.kind) {
    case 'not_installed':
      return refused(sentenceOf(packageShortage(folder)));
    case 'package':
      return refused(
        `the package of the local embedder cannot be loaded${trouble.code ? ` (${trouble.code})` : ''}: install it on this machine with: ${installCommand(folder)}`,
      );
    case 'no_files':
      return refused(sentenceOf(filesShortage(model)));
    case 'model':
      return refused(
        `the files of ${model} are no model that can be run; get them anew with: slowwave models pull ${model} --force`,
      );
    case 'no_vectors':
      return invalidResponse(`${model} gives no vectors of texts`, false);
    case 'text':
      return new ModelError('too_large', { retryable: false, hint: 'the local embedder failed on a text' });
  }
}

/** Checks the components and scales the vector to length 1: the runtime's own is 1 only up to rounding. */
function toUnit(row: Float32Array, expected: number | null): Float32Array {
  if (expected !== null && row.length !== expected) {
    throw invalidResponse(`expected ${expected} dimensions, got ${row.length}`, false);
  }
  let sum = 0;
  for (const component of row) sum += component * component;
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length) || length === 0) throw invalidResponse('a vector has no direction', false);
  return row.map((component) => component / length);
}

/**
 * A sentence model in this process, through `@huggingface/transformers`, in a thread of its own; nothing leaves the machine and nothing
 * is downloaded. The thread is started by the first call, keeps no process alive while nothing is asked, and is started anew after it
 * was lost. The same text gives the same vector, whatever is embedded with it.
 * @throws {ModelError} from `embed`: `invalid_request` (not retryable) where the package or the model is missing or cannot be run, with
 * the command that helps; `too_large` (not retryable) for a text on which the model fails at any length; `invalid_response` (not
 * retryable) for what is no vector of the expected length; `server_error` (retryable)
 * when the thread ended; `timeout` (retryable); `aborted`.
 */
export function createLocalEmbedder(options: LocalEmbedderOptions): LocalEmbedder {
  const { folder, model, dtype, timeoutMs } = options;
  const batchSize = Math.max(1, Math.floor(options.batchSize ?? DEFAULT_BATCH_SIZE));
  const inference = createInference({
    folder,
    model,
    dtype,
    timeoutMs,
    places: options.places ?? packagePlaces(folder),
    errorOf: (trouble) => errorOf(options, trouble),
  });
  let dimensions = options.dimensions ?? null;

  async function embedBatch(inputs: string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const row of await inference.ask(inputs, signal)) {
      const vector = toUnit(row, dimensions);
      dimensions ??= vector.length;
      vectors.push(vector);
    }
    return vectors;
  }

  return {
    name: 'local',
    // Another form of a model gives other vectors.
    model: `${model}@${dtype}`,
    threshold: options.threshold ?? LOCAL_THRESHOLD,
    get dimensions() {
      return dimensions;
    },
    async embed(texts, embedOptions = {}) {
      const { signal } = embedOptions;
      if (signal?.aborted) throw aborted();
      const embedShortened = createShortening((inputs) => embedBatch(inputs, signal), embedOptions);
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += batchSize) {
        const inputs = texts.slice(start, start + batchSize).map(inputOf);
        vectors.push(...(await embedShortened(inputs, start)));
      }
      return vectors;
    },
    close: () => inference.close(),
  };
}
