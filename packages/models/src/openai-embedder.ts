import type { Embedder, EmbedOptions } from '@slowwave/fusion';
import { fromErrorBody, invalidResponse } from './errors.ts';
import { joinUrl, postJson } from './http.ts';
import { isRecord, wellFormed } from './request.ts';
import { createShortening } from './shorten.ts';

export interface OpenAiEmbedderOptions {
  /** Base of the endpoint with its version, such as http://127.0.0.1:11434/v1. */
  baseUrl: string;
  apiKey?: string;
  model: string;
  /**
   * Expected components per vector. They are part of the name under which vectors are stored, so that vectors of another size of the same
   * model stand apart. Absent: what the first answer has.
   */
  dimensions?: number;
  /** True asks the server to shorten its vectors to `dimensions`, which only some models can. Default false. */
  requestDimensions?: boolean;
  /** Texts per request. */
  batchSize: number;
  /** Longest wait for one batch, in milliseconds. */
  timeoutMs: number;
  /** Cosine from which two memories count as related under this model. */
  threshold: number;
  /** Characters of a text that are sent at most; fewer where the endpoint refuses that many. Default 24,000. */
  maxChars?: number;
  /** How vectors travel. Either form is read whatever was asked. Default 'float'. */
  encoding?: 'float' | 'base64';
}

const DEFAULT_MAX_CHARS = 24_000;
/** No known model has more; bounds the size of an answer whose dimensions are not known yet. */
const MOST_DIMENSIONS = 16_000;
/** A component as JSON text, with its comma, at full double precision. */
const BYTES_PER_COMPONENT = 28;
const FRAME_BYTES = 64 * 1024;

/** What is sent for a text, before it is made well formed: bounded, and never empty, which endpoints refuse. */
function inputOf(text: string, maxChars: number): string {
  const input = text.slice(0, maxChars);
  return input.trim() === '' ? ' ' : input;
}

function decodeBase64(value: string): number[] {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length % 4 !== 0) throw invalidResponse('a vector is not a row of 32-bit floats', false);
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

/** Checks the components and scales the vector to length 1. */
function toUnit(value: unknown, expected: number | null): Float32Array {
  const raw: unknown = typeof value === 'string' ? decodeBase64(value) : value;
  if (!Array.isArray(raw)) throw invalidResponse('a vector is missing', false);
  if (raw.length === 0 || (expected !== null && raw.length !== expected)) {
    const hint = `expected ${expected ?? 'some'} dimensions, got ${raw.length}: see SLOWWAVE_EMBEDDING_DIMENSIONS`;
    throw invalidResponse(hint, false);
  }
  let sum = 0;
  for (const component of raw) {
    if (typeof component !== 'number' || !Number.isFinite(component)) {
      throw invalidResponse('a vector has a component that is not a number', false);
    }
    sum += component * component;
  }
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length) || length === 0) throw invalidResponse('a vector has no direction', false);
  return Float32Array.from(raw, (component: number) => component / length);
}

/** What the endpoint counted; null: it does not say. */
function tokensIn(answer: unknown): number | null {
  const usage = isRecord(answer) ? answer.usage : undefined;
  const tokens = isRecord(usage) ? (usage.prompt_tokens ?? usage.total_tokens) : undefined;
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null;
}

/** Puts the vectors in the order of the texts: `index` decides where it is given. */
function vectorsOf(answer: unknown, count: number): unknown[] {
  const data = isRecord(answer) ? answer.data : undefined;
  if (!Array.isArray(data))
    throw fromErrorBody(answer) ?? invalidResponse('the body is not a list of embeddings');
  if (data.length !== count) {
    throw invalidResponse(`expected ${count} vectors, got ${data.length}`, false);
  }
  const ordered: unknown[] = new Array(count).fill(undefined);
  for (const [position, item] of data.entries()) {
    const index: unknown = isRecord(item) ? (item.index ?? position) : position;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) {
      throw invalidResponse('a vector has an index that was not asked', false);
    }
    if (ordered[index] !== undefined) throw invalidResponse('two vectors have one index', false);
    ordered[index] = isRecord(item) ? item.embedding : undefined;
  }
  return ordered;
}

/**
 * Any endpoint that speaks OpenAI's embeddings, in batches, one after another.
 *
 * Every vector is checked before it is handed out: count, order, dimensions, finite components; and scaled to unit length. A text that
 * the endpoint refuses as too long is shortened until it is taken; see shorten.ts.
 * @throws {ModelError} from `embed`: `invalid_response` (not retryable) for wrong dimensions and for components that are not
 * numbers, else as classified in errors.ts.
 */
export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const url = joinUrl(options.baseUrl, '/embeddings');
  const maxChars = options.maxChars ?? DEFAULT_MAX_CHARS;
  const batchSize = Math.max(1, Math.floor(options.batchSize));
  let dimensions = options.dimensions ?? null;

  async function embedBatch(inputs: string[], { signal, onTokens }: EmbedOptions): Promise<Float32Array[]> {
    const components = inputs.length * (dimensions ?? MOST_DIMENSIONS);
    const answer = await postJson({
      url,
      timeoutMs: options.timeoutMs,
      maxBytes: components * BYTES_PER_COMPONENT + FRAME_BYTES,
      body: {
        model: options.model,
        input: inputs.map(wellFormed),
        encoding_format: options.encoding ?? 'float',
        ...(options.requestDimensions && options.dimensions ? { dimensions: options.dimensions } : {}),
      },
      ...(options.apiKey ? { apiKey: options.apiKey } : {}),
      ...(signal ? { signal } : {}),
    });
    const tokens = tokensIn(answer);
    if (tokens !== null) onTokens?.(tokens);
    const vectors: Float32Array[] = [];
    for (const value of vectorsOf(answer, inputs.length)) {
      const vector = toUnit(value, dimensions);
      dimensions ??= vector.length;
      vectors.push(vector);
    }
    return vectors;
  }

  return {
    name: 'openai',
    model: options.dimensions ? `${options.model}@${options.dimensions}` : options.model,
    chargedAs: options.model,
    isCharged: true,
    threshold: options.threshold,
    get dimensions() {
      return dimensions;
    },
    async embed(texts, embedOptions = {}) {
      const embedShortened = createShortening((inputs) => embedBatch(inputs, embedOptions), embedOptions);
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += batchSize) {
        const inputs = texts.slice(start, start + batchSize).map((text) => inputOf(text, maxChars));
        vectors.push(...(await embedShortened(inputs, start)));
      }
      return vectors;
    },
  };
}
