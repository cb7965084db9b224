import type { Difference } from './coverage.ts';
import { byLanguage, wordList } from './lexicon/word-list.ts';
import type { Statement, Unit } from './unit.ts';

const COMPARING = new Set(['op:than', 'op:morethan', 'op:lessthan']);
const USER = 'user';
/** How many words may stand between "than" and what is compared with. */
const REACH = 3;

/**
 * What is compared with something in the summary and never so in the sources: "Priya is older than Marek", where it is Marek who is older than
 * Priya.
 */
export function turnedComparisons(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const known = new Map<string, Set<string>>();
  for (const { quality, standard, more } of sources.flatMap(comparisonsOf))
    for (const key of [standard, ...more]) known.set(quality, (known.get(quality) ?? new Set()).add(key));
  const spoken = new Set(sources.flatMap(({ units }) => units.map(({ keys }) => keys[0]!)));
  for (const source of sources) if (source.userAt.length > 0) spoken.add(USER);
  return comparisonsOf(summary)
    .filter(({ quality, standard }) => {
      const standards = known.get(quality);
      return standards !== undefined && spoken.has(standard) && !standards.has(standard);
    })
    .map(({ standard }) => ({ kind: 'pairing', value: `than ${standard.replace(/^=/, '')}` }));
}

interface Comparison {
  quality: string;
  standard: string;
  /** What else stands behind: "than when flying west" is "than west". */
  more: string[];
}

/** What is compared, and with whom: "older" with Priya, "earn more" with the user. */
function comparisonsOf({ units, userAt }: Statement): Comparison[] {
  return units.flatMap((operator, at) => {
    if (operator.kind !== 'operator' || !COMPARING.has(operator.keys[0]!)) return [];
    const quality = units.slice(0, at).findLast((unit) => unit.clause === operator.clause && isSaid(unit));
    const behind = units.slice(at + 1).filter((unit) => unit.clause === operator.clause && isSaid(unit));
    const [next, ...others] = behind;
    const user = userAt.find(
      ({ clause, possessive, word }) => clause === operator.clause && !possessive && word > operator.word,
    );
    const last = operator.word + operator.form.split(' ').length - 1;
    const isUser = user !== undefined && (next === undefined || user.word < next.word);
    const word = isUser ? user.word : next?.word;
    if (!quality || word === undefined || word - last > REACH || (!isUser && next!.kind === 'number'))
      return [];
    const standard = isUser ? USER : next!.keys[0]!;
    const more = others.filter(({ person }) => person === null).map(({ keys }) => keys[0]!);
    return [{ quality: `${operator.keys[0]} ${quality.keys[0]}`, standard, more: isUser ? [] : more }];
  });
}

function isSaid({ kind, soft, person, keys }: Unit): boolean {
  return kind !== 'operator' && keys[0] !== USER && (!soft || person !== null);
}

/** By language: words for more, and for less. */
const MORE = byLanguage({
  en: 'more',
  de: 'mehr',
  fr: 'plus',
  es: 'más mas',
  it: 'più piu',
  pt: 'mais',
  nl: 'meer',
  pl: 'bardziej więcej',
  sv: 'mer',
  ru: 'больше более',
});
const LESS = byLanguage({
  en: 'less fewer',
  de: 'weniger',
  fr: 'moins',
  es: 'menos',
  it: 'meno',
  pt: 'menos',
  nl: 'minder',
  pl: 'mniej',
  sv: 'mindre',
  ru: 'меньше менее',
});
/** Words that tell nothing of what there is more of. */
const BETWEEN = wordList(
  'than als que di de do da dan niż чем än a the is are der die das el la le es ist sind est and or und y e et och и',
);

/** What there is more of in the sources and less of in the summary: "younger" and "earns less" with their words exchanged. */
export function turnedDegrees(summary: Statement, sources: readonly Statement[]): Difference[] {
  const known = new Map<string, Set<string>>();
  for (const [word, degree] of sources.flatMap(degreesOf))
    known.set(word, (known.get(word) ?? new Set()).add(degree));
  return degreesOf(summary)
    .filter(([word, degree]) => known.has(word) && !known.get(word)!.has(degree))
    .map(([word]) => ({ kind: 'pairing', value: word }));
}

/** The word right behind such a word, or where that tells nothing the one right before it. */
function degreesOf({ spoken, language }: Statement): [string, 'more' | 'less'][] {
  const [more, less] = [MORE.get(language), LESS.get(language)];
  if (!more || !less) return [];
  const words = spoken.trim().split(' ');
  return words.flatMap((word, at): [string, 'more' | 'less'][] => {
    const degree = more.has(word) ? 'more' : less.has(word) ? 'less' : null;
    if (degree === null) return [];
    const next = words[at + 1] ?? '';
    const told = next === '' || BETWEEN.has(next) || /^\d/.test(next) ? words[at - 1] : next;
    return told === undefined || BETWEEN.has(told) ? [] : [[told, degree]];
  });
}

const EXCHANGED = new Set(['exchange', 'return']);

/** "20 seedlings in exchange for a rose" told as "a rose in exchange for 20 seedlings". */
export function turnedExchanges(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const known = sources.flatMap(exchangesOf);
  return exchangesOf(summary)
    .filter(({ given, got }) => {
      const turned = known.some(
        (one) => given.some((key) => one.got.includes(key)) && got.some((key) => one.given.includes(key)),
      );
      return turned && !known.some((one) => got.some((key) => one.got.includes(key)));
    })
    .map(({ got }) => ({ kind: 'pairing', value: got[0]! }));
}

function exchangesOf({ units }: Statement): { given: string[]; got: string[] }[] {
  return units.flatMap((unit) => {
    if (!EXCHANGED.has(unit.form) || unit.before !== 'in') return [];
    const here = units.filter(
      (other) => other.clause === unit.clause && isSaid(other) && other.person === null,
    );
    const keysOf = (side: readonly Unit[]): string[] => side.flatMap(({ keys }) => keys.slice(0, 1));
    return [
      {
        given: keysOf(here.filter(({ word }) => word < unit.word)),
        got: keysOf(here.filter(({ word }) => word > unit.word)),
      },
    ];
  });
}
