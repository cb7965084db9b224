import type { Embedder } from '@slowwave/fusion';
import { COMMON_WORDS, STOP_WORDS } from './common-words.ts';
import { aborted } from './errors.ts';
import { stem } from './stem.ts';
import { type Token, tokenize } from './tokens.ts';

export interface OfflineEmbedderOptions {
  /** Components per vector. Default 384. */
  dimensions?: number;
  /** Cosine from which two memories count as related. Default: calibrated, see OFFLINE_THRESHOLD. */
  threshold?: number;
}

export const OFFLINE_DIMENSIONS = 384;

/** What it cannot do, for people: part of the log line at the start of a process. */
export const OFFLINE_LIMITS =
  'it matches words and parts of words, and knows neither synonyms nor what other languages call the same thing; SLOWWAVE_EMBEDDER=local does';

/**
 * Calibrated on the labelled pairs of offline-embedder.test.ts: two thirds of the pairs of one topic reach it, and 3 in 1,000 of
 * the pairs of different topics, most of these through one word with two meanings.
 */
export const OFFLINE_THRESHOLD = 0.5;

/**
 * All vectors share their first component, so a likeness of x in words becomes a cosine of (x + LIFT) / (1 + LIFT). Related notes
 * share few words, and their bare cosine would lie below 0.4, from where neighbours are kept.
 */
const LIFT = 0.4;

/** A text is read up to here; beyond it, more words no longer change what it is about. */
const MAX_CHARS = 100_000;

const STOP_WEIGHT = 0.1;
const COMMON_WEIGHT = 0.4;
const SUBJECT_WEIGHT = 0.4;
const WORD_WEIGHT = 1;
const NUMBER_WEIGHT = 0.4;
const SYMBOL_WEIGHT = 0.8;
/** Share of a word's weight that its character n-grams carry, each. */
const GRAM_SHARE = 0.3;
const IDEOGRAPH_WEIGHT = 0.35;
const IDEOGRAPH_PAIR_WEIGHT = 1;
const GRAM = 3;

/** FNV-1a over UTF-16 code units with a final mix, 32 bits: integer arithmetic only, so the same everywhere. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    value = Math.imul(value ^ (unit & 0xff), 0x01000193);
    value = Math.imul(value ^ (unit >>> 8), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

type Features = Map<string, number>;

function add(features: Features, key: string, weight: number): void {
  features.set(key, (features.get(key) ?? 0) + weight);
}

function weightOf(word: string, isSubject: boolean): number {
  if (COMMON_WORDS.has(word)) return COMMON_WEIGHT;
  return isSubject ? SUBJECT_WEIGHT : WORD_WEIGHT;
}

function addWord(features: Features, word: string, isSubject: boolean): void {
  if (STOP_WORDS.has(word)) {
    add(features, `w:${word}`, STOP_WEIGHT);
    return;
  }
  const weight = weightOf(word, isSubject);
  const root = stem(word);
  add(features, `w:${root}`, weight);
  // Character n-grams bring compounds, inflected forms of other languages and small misspellings near each other.
  const framed = Array.from(`^${root}$`);
  for (let i = 0; i + GRAM <= framed.length; i += 1) {
    add(features, `g:${framed.slice(i, i + GRAM).join('')}`, weight * GRAM_SHARE);
  }
}

function featuresOf(text: string): Features {
  const features: Features = new Map();
  // A memory often opens with the name of the person it is about, which all memories of that person share.
  const named = /^\p{Lu}\p{L}*(?:['\u2019]s)?\s+\p{Ll}/u.test(text);
  let previous: Token | undefined;
  for (const token of tokenize(text.slice(0, MAX_CHARS))) {
    if (token.kind === 'word') addWord(features, token.text, named && previous === undefined);
    else if (token.kind === 'number') add(features, `n:${token.text}`, NUMBER_WEIGHT);
    else if (token.kind === 'symbol') add(features, `s:${token.text}`, SYMBOL_WEIGHT);
    else {
      add(features, `c:${token.text}`, IDEOGRAPH_WEIGHT);
      if (previous?.kind === 'ideograph') {
        add(features, `p:${previous.text}${token.text}`, IDEOGRAPH_PAIR_WEIGHT);
      }
    }
    previous = token;
  }
  return features;
}

/** The sums of all features. Each lands on two components with a sign of its own, so that a collision rarely looks like likeness. */
function sumsOf(text: string, components: number): Float64Array {
  const sums = new Float64Array(components);
  for (const [key, weight] of featuresOf(text)) {
    // Repeating a word says less each time. The square root is exact on every platform; a logarithm is not.
    const value = weight > 1 ? Math.sqrt(weight) : weight;
    for (const salt of ['a', 'b']) {
      const code = hash(salt + key);
      const at = (code >>> 1) % components;
      sums[at] = (sums[at] ?? 0) + ((code & 1) === 0 ? value : -value);
    }
  }
  return sums;
}

function embedOne(text: string, dimensions: number): Float32Array {
  const sums = sumsOf(text, dimensions - 1);
  let square = 0;
  for (const sum of sums) square += sum * sum;
  const vector = new Float32Array(dimensions);
  if (square === 0) {
    vector[0] = -1;
    return vector;
  }
  const scale = 1 / Math.sqrt(square * (1 + LIFT));
  vector[0] = Math.sqrt(LIFT / (1 + LIFT));
  for (const [i, sum] of sums.entries()) vector[i + 1] = sum * scale;
  return vector;
}

/**
 * Embeds without a model: hashed words and character n-grams. Knows shared words and their forms in any script, and nothing of
 * synonyms. The same text gives the same vector on every platform. A text without any word, number or symbol (an empty one
 * too) gets a fixed unit vector, which is near to no other text.
 */
export function createOfflineEmbedder(options: OfflineEmbedderOptions = {}): Embedder {
  const dimensions = options.dimensions ?? OFFLINE_DIMENSIONS;
  return {
    name: 'offline',
    model: `offline-hash-${dimensions}-v1`,
    dimensions,
    threshold: options.threshold ?? OFFLINE_THRESHOLD,
    lexical: true,
    async embed(texts, { signal } = {}) {
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        if (signal?.aborted) throw aborted();
        vectors.push(embedOne(text, dimensions));
      }
      return vectors;
    },
  };
}
