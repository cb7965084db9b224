import { inflectionOf } from './lemma.ts';
import { FAMILIES } from './lexicon/families.ts';

/** What is left of a stem must be a word's worth of letters. */
const MIN_STEM = 4;

/**
 * Endings of nouns and adjectives with what their verb or their base ends in, longest first. They are spelled without a final "e", as base
 * forms are. No ending that denies ("less"), that names a doer ("er") or that turns a quality into a change ("en").
 */
const ENDINGS: readonly (readonly [string, readonly string[]])[] = [
  ['ification', ['ify']],
  ['ization', ['iz', '']],
  ['isation', ['is', '']],
  ['ription', ['rib']],
  ['ability', ['abl', '']],
  ['ibility', ['ibl', '']],
  ['olution', ['olv']],
  ['mption', ['m']],
  ['ission', ['it']],
  ['ession', ['ess', 'ed']],
  ['ction', ['ct', 'c']],
  ['nsion', ['nd', 'ns']],
  ['rsion', ['rt', 'rs']],
  ['usion', ['ud', 'us']],
  ['ision', ['id', 'is']],
  ['osion', ['od']],
  ['asion', ['ad']],
  ['ation', ['', 'at']],
  ['ition', ['', 'it']],
  ['ative', ['']],
  ['ativ', ['', 'at']],
  ['ement', ['']],
  ['ment', ['']],
  ['ness', ['']],
  ['ship', ['']],
  ['hood', ['']],
  ['anc', ['', 'ant']],
  ['enc', ['', 'ent']],
  ['ancy', ['ant', '']],
  ['ency', ['ent', '']],
  ['abl', ['']],
  ['ibl', ['']],
  ['ical', ['', 'y', 'ic']],
  ['ious', ['y', 'ion', '']],
  ['ility', ['l']],
  ['ity', ['']],
  ['ous', ['']],
  ['ful', ['']],
  ['ion', ['']],
  ['ive', ['']],
  ['iv', ['', 'ion']],
  ['ial', ['', 'y']],
  ['al', ['']],
  ['ic', ['', 'y']],
  ['ly', ['']],
  ['dom', ['']],
  ['y', ['']],
];

/** Words that look derived from what they are not, or from what means another degree. */
const UNRELATED = new Set(
  (
    'hardly nearly lately shortly barely highly mostly likely station mission passion portion ration nation section mental factory party country ' +
    'county army body copy story city community university organic general several total capital personal animal comfortable vegetable table ' +
    'business apartment department comment moment directory partial original resident residence universal practical authority ' +
    'formal informal informed battery hospitable severe television service intern internal relative'
  )
    .split(' ')
    .map(inflectionOf),
);

const FAMILY_OF = readFamilies();

function readFamilies(): Map<string, string[]> {
  const families = new Map<string, string[]>();
  for (const line of FAMILIES.split('\n')) {
    const words = line.split(' ').filter((word) => word !== '');
    for (const word of words) {
      for (const form of new Set([word, inflectionOf(word)]))
        families.set(form, [...(families.get(form) ?? []), `family:${words[0]}`]);
    }
  }
  return families;
}

const STEMS = new Map<string, readonly string[]>();

/** The stems that a word may be derived from, its own base form among them: two words of one stem are a verb and its noun or adjective. */
export function stemsOf(word: string): readonly string[] {
  const known = STEMS.get(word);
  if (known !== undefined) return known;
  const found = findStems(word);
  if (STEMS.size > 20_000) STEMS.clear();
  STEMS.set(word, found);
  return found;
}

function findStems(word: string): string[] {
  const base = inflectionOf(word);
  const stems = new Set<string>([...(FAMILY_OF.get(word) ?? []), ...(FAMILY_OF.get(base) ?? [])]);
  if (!/^[a-z]+$/.test(base) || base.length < 3) return [...stems];
  stems.add(base);
  if (UNRELATED.has(base)) return [...stems];
  for (const [ending, rests] of ENDINGS) {
    if (!base.endsWith(ending)) continue;
    for (const rest of rests) {
      const stem = base.slice(0, -ending.length) + rest;
      if (stem.length < MIN_STEM) continue;
      stems.add(stem);
      stems.add(undoubled(stem));
      if (stem.endsWith('i')) stems.add(`${stem.slice(0, -1)}y`);
      for (const family of FAMILY_OF.get(stem) ?? []) stems.add(family);
    }
  }
  return [...stems];
}

function undoubled(stem: string): string {
  return /([bdfglmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}

/** Whether two words are of one stem: "accept" and "acceptance", "lend" and "loan". */
export function isDerived(one: string, other: string): boolean {
  const stems = stemsOf(one);
  return stemsOf(other).some((stem) => stems.includes(stem));
}
