import type { PromptSource } from '@slowwave/fusion';
import { type ContentWord, contentWords, isPlain, listed } from './content-words.ts';
import { subjectOf } from './subject.ts';

/** Above this share of common words two memories say the same. */
const SAME_SHARE = 0.6;
/** Words that an explanation names. */
const MAX_NAMED = 3;
/** In a request of fewer memories nothing shows which words are rare. */
const MIN_MEMORIES = 4;
const DEFAULT_IMPORTANCE = 5;

interface Reading {
  source: PromptSource;
  /** By key, each with its first form. */
  words: Map<string, ContentWord>;
  /** Keys of these and of words that many subjects share. */
  all: Set<string>;
}

/** What a memory is about, without whom: the subject is what all memories of one person share. */
function read(source: PromptSource): Reading {
  const prefix = subjectOf(source.text)?.prefix ?? '';
  const text = source.text.slice(prefix.length);
  const words = new Map<string, ContentWord>();
  for (const word of contentWords(text)) {
    if (!words.has(word.key)) words.set(word.key, word);
  }
  const all = new Set(contentWords(text, { common: true }).map(({ key }) => key));
  return { source, words, all };
}

function saysTheSame(one: Reading, other: Reading): boolean {
  const common = [...one.all].filter((key) => other.all.has(key)).length;
  return common > SAME_SHARE * (one.all.size + other.all.size - common);
}

/** Words in at most half of all memories of the request. */
function rareWords(readings: Reading[]): Set<string> {
  const counts = new Map<string, number>();
  for (const { words } of readings) {
    for (const key of words.keys()) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const most = readings.length < MIN_MEMORIES ? readings.length : Math.floor(readings.length / 2);
  return new Set([...counts].flatMap(([key, count]) => (count <= most ? [key] : [])));
}

const score = (value: number): number => Math.min(5, Math.max(1, Math.round(value)));

/**
 * Plausible is what shares rare words, novel what does so across categories, useful what is important. Without a rare word in common,
 * and for two memories that say the same, the scores stay below what is accepted.
 */
function verdictOf(seed: Reading, other: Reading, rare: Set<string>) {
  const common = [...seed.words.keys()].filter((key) => other.words.has(key));
  const shared = common
    .filter((key) => rare.has(key))
    .map((key) => seed.words.get(key))
    .filter((word) => word !== undefined)
    .filter(isPlain);
  const same = saysTheSame(seed, other);
  const apart = seed.source.category !== other.source.category;
  const importance =
    ((seed.source.importance ?? DEFAULT_IMPORTANCE) + (other.source.importance ?? DEFAULT_IMPORTANCE)) / 2;
  const related = shared.length > 0;
  const names = listed(shared.slice(0, MAX_NAMED).map(({ text }) => text));
  return {
    n: other.source.n,
    novelty: same ? 1 : apart ? 4 : 2,
    plausibility: related ? score(2 + shared.length) : common.length > 0 ? 2 : 1,
    usefulness: related && !same ? score(1 + importance * 0.4) : 1,
    explanation: related ? `Both mention ${names}.` : '',
  };
}

/** Judges each candidate by the words that it shares with the seed. It knows nothing of what they mean. */
export function judgeConnections(seed: PromptSource, candidates: PromptSource[]): string {
  const [first, ...others] = [seed, ...candidates].map(read);
  const rare = rareWords([first!, ...others]);
  return JSON.stringify({ verdicts: others.map((other) => verdictOf(first!, other, rare)) });
}
