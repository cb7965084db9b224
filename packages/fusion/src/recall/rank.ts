import { type Collection, type Matches, wordShare } from './bm25.ts';

/** A memory that a search has brought back. */
export interface RecallHit extends Matches {
  id: string;
  /** Cosine to the question, -1 to 1; null when it has no vector that can be compared. */
  similarity: number | null;
  /** 0 to 1 */
  prominence: number;
  /** When it was said last, epoch ms. */
  documentDate: number;
}

/** How far what is prominent or recent goes first among memories that answer alike: shares of the score, 0 to 0.2. */
export interface RecallPriors {
  prominence: number;
  recency: number;
}

export const DEFAULT_PRIORS: RecallPriors = { prominence: 0.03, recency: 0.05 };
/** No prior may weigh more: it would lift what does not answer. */
export const PRIOR_MAX = 0.2;

/** Why a memory stands where it stands. */
export interface ScoreParts {
  /** Share of what the question's words tell, 0 to 2.2. */
  words: number;
  /** How near it is by meaning, 0 to 1; 0.5 where the embedder calls two texts related. */
  meaning: number;
  /** Both together, 0 to 1, before the priors. */
  relevance: number;
  /** What prominence and recency left of it, each from 1 minus the prior to 1. */
  prominence: number;
  recency: number;
}

export interface RankedHit extends RecallHit {
  /** 0 to 1, never 0. */
  score: number;
  parts: ScoreParts;
}

export interface RankOptions {
  /** At most this many are returned. */
  limit: number;
  /** The embedder's: the cosine from which two texts count as related. */
  threshold: number;
  /** The embedder's: its vectors know words and no meaning, and repeat what words say already. */
  lexical: boolean;
  /** The instant of the question, epoch ms. */
  at: number;
  priors: RecallPriors;
}

/** Share of the words in the sum; the rest is that of the vectors. Calibrated with `npm run bench:memory`. */
const WORDS_BESIDE_LEXICAL = 0.85;
const WORDS_BESIDE_SEMANTIC = 0.6;
/** The word share that counts in full: every word of the question once, in a short memory. */
const FULL_WORD_SHARE = 1.6;
/** Nearness of two texts that the embedder just calls related. */
const RELATED = 0.5;
/** Days after which the lead of what was said recently has halved. */
const RECENCY_HALF_LIFE_DAYS = 60;
const DAY_MS = 86_400_000;

/**
 * Puts hits into one order, best first: the convex sum of their words (BM25) and of their nearness by vector. Prominence and recency
 * take a few percent at most, so that they decide among what answers alike, and nothing else. The order does not depend on that of the
 * hits; a hit without any of the words and without nearness is left out.
 */
export function rankRecall(
  collection: Collection,
  hits: readonly RecallHit[],
  options: RankOptions,
): RankedHit[] {
  const ranked: RankedHit[] = [];
  for (const hit of hits) {
    const parts = partsOf(collection, hit, options);
    const score = parts.relevance * parts.prominence * parts.recency;
    if (score > 0) ranked.push({ ...hit, score, parts });
  }
  return ranked.sort(byScore).slice(0, Math.max(0, Math.floor(options.limit)));
}

function partsOf(collection: Collection, hit: RecallHit, options: RankOptions): ScoreParts {
  const words = wordShare(collection, hit);
  const meaning = nearness(hit.similarity, options.threshold);
  const share = options.lexical ? WORDS_BESIDE_LEXICAL : WORDS_BESIDE_SEMANTIC;
  const age = Math.max(0, options.at - hit.documentDate) / DAY_MS;
  return {
    words,
    meaning,
    relevance: share * Math.min(1, words / FULL_WORD_SHARE) + (1 - share) * meaning,
    prominence: 1 - options.priors.prominence * (1 - toShare(hit.prominence)),
    recency: 1 - options.priors.recency * (1 - 0.5 ** (age / RECENCY_HALF_LIFE_DAYS)),
  };
}

/** 0 without similarity, 0.5 at the threshold, 1 at cosine 1; steep below the threshold, where most of all pairs are. */
function nearness(similarity: number | null, threshold: number): number {
  const cosine = toShare(similarity ?? 0);
  const limit = toShare(threshold);
  if (cosine === 0) return 0;
  if (cosine < limit) return RELATED * (cosine / limit) ** 3;
  if (limit === 1) return 1;
  return RELATED + (1 - RELATED) * ((cosine - limit) / (1 - limit));
}

/** Into 0 to 1; what is no number counts as nothing. */
function toShare(value: number): number {
  return value > 0 ? Math.min(1, value) : 0;
}

function byScore(one: RankedHit, other: RankedHit): number {
  return other.score - one.score || other.documentDate - one.documentDate || (one.id < other.id ? -1 : 1);
}
