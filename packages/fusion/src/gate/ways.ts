import type { Difference } from './coverage.ts';
import { wordList } from './lexicon/word-list.ts';
import type { Statement } from './unit.ts';

/** By language: prepositions for where something comes from, and for where it goes. */
const WAYS = new Map(
  Object.entries({
    de: ['von ab aus vom', 'nach bis zum zur'],
    fr: ['de depuis', 'à vers jusque jusqu'],
    es: ['de desde', 'a hasta para hacia'],
    it: ['da dal dalla di', 'a al alla fino verso'],
    pt: ['de do da desde', 'a para até ao à'],
    nl: ['van vanaf uit', 'naar tot'],
    pl: ['z ze od', 'do'],
    sv: ['från', 'till'],
    ru: ['из от с со', 'в во до на'],
    // Read from the particles behind a word.
    ja: ['from', 'to'],
  }).map(([code, [from, to]]) => [code, { from: wordList(from!), to: wordList(to!) }]),
);

type Way = 'from' | 'to' | null;

/** Things to which something goes in the summary while the sources only know that it comes from there, or the other way round. */
export function turnedWays(summary: Statement, sources: readonly Statement[]): Difference[] {
  const ways = WAYS.get(summary.language);
  if (!ways) return [];
  const wayOf = (before: string): Way => (ways.from.has(before) ? 'from' : ways.to.has(before) ? 'to' : null);
  const known = new Map<string, Set<Way>>();
  for (const { keys, before } of sources.flatMap(({ units }) => units)) {
    known.set(keys[0]!, (known.get(keys[0]!) ?? new Set<Way>()).add(wayOf(before)));
  }
  const problems: Difference[] = [];
  for (const { keys, before, form, kind } of summary.units) {
    const dated = kind === 'date' || kind === 'time';
    if (kind === 'operator' || (dated && summary.language !== 'ja')) continue;
    const [way, was] = [wayOf(before), known.get(keys[0]!)];
    if (way === null || was?.size !== 1) continue;
    const [only] = was;
    if (only !== null && only !== way) problems.push({ kind: 'pairing', value: form });
  }
  return problems;
}
