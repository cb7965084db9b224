import { type Atom, type AtomKind, readAtomsInSlices } from '../reading/atoms.ts';
import { COMMON_VERBS, COMMON_WORDS } from '../reading/common-words.ts';
import { LANGUAGES, languageOf } from '../reading/languages/all.ts';
import { detectLanguage } from '../reading/languages/detect.ts';
import { untabledLanguage } from '../reading/languages/untabled.ts';
import { resolveRelativeDates } from '../reading/relative-dates.ts';
import { plainLatin, spokenText } from '../reading/spoken.ts';
import { readTokens, type Token } from '../reading/tokens.ts';
import { stemOf } from '../reading/words.ts';
import { inOneGo, type Slices } from '../slices.ts';
import { otherUnits } from './amount-keys.ts';

/** A text with the day on which it was said, YYYY-MM-DD; null where it is unknown. */
export interface SaidText {
  content: string;
  day: string | null;
  /** Whether it tells of an event, or of something at a time of its own; false when absent. */
  isEvent?: boolean;
}

/** A number, amount, date, time, address or code in a text. */
export interface HardFact {
  kind: AtomKind;
  /** As it is compared: canonical, without bounds and rates. */
  value: string;
  /** Spellings of the same amount in other units. */
  same: readonly string[];
  /** Whether a number is a most one or a least one; '' for an exact one and for all else. */
  bound: '' | '<' | '>';
  /** The figures of its text as they are written, without leading zeros: "815" for 08:15 and 8h15 alike; '' for words. */
  figures: string;
}

/** What of a text is compared by code. */
export interface HardFacts {
  /** What has to stand in the other text. */
  facts: HardFact[];
  /** What may stand for a fact of the other text: guesses besides ("once", "one"). */
  offered: HardFact[];
  quotes: string[];
  /** Names that are beyond doubt. */
  names: string[];
  /** Whether anything is denied. */
  denies: boolean;
  /** Names that may be plain words at the start of a sentence, as far as they are no common ones. */
  likelyNames: string[];
  /** Relative dates that code does not resolve for sure. */
  unresolved: string[];
  /** Mondays of the weeks that the text names, or means by a relative phrase ("last week"). */
  weeks: ReadonlySet<string>;
  /** Every word, folded, and without its accents. */
  words: ReadonlySet<string>;
  spoken: string;
}

const HARD: ReadonlySet<AtomKind> = new Set(['number', 'date', 'time', 'email', 'url', 'code']);
/** A rate in words ("every other week"), "one" and "first" are said in many ways: they are words, not amounts. */
const WORDED = /^per |^1(?: |th$|$)|^2th$/;
/** A quotation of more words is a speech, and no title. */
const MAX_QUOTED = 6;
/** Characters of texts that are read in one slice, tokens of a text and atoms of it whose facts are: a slice takes a few milliseconds. */
const CHARS_AT_ONCE = 2_000;
const TOKENS_AT_ONCE = 1_000;
const ATOMS_AT_ONCE = 1_000;
/** A list of more figures ("0,1,2,…") is compared number by number, and not by the figures of the whole. */
export const MAX_FIGURES = 16;

/** A week as relative phrases are resolved to it: "week of 2024-05-06". */
const WEEK = new RegExp(
  `(?:${LANGUAGES.map(({ wording }) => wording.week.split(' ').slice(-3, -1).join(' ')).join('|')}) (\\d{4}-\\d\\d-\\d\\d)`,
  'g',
);

/** Reads texts that are to be compared, in one language, with relative dates resolved. Linear in their length. */
export function readHardFacts(texts: readonly SaidText[]): HardFacts[] {
  return inOneGo(readHardFactsInSlices(texts));
}

/** The last reading of a text: it is compared with several statements, and again after the votes. Ends with the text's own object. */
const READINGS = new WeakMap<SaidText, { of: readonly (string | null)[]; facts: HardFacts }>();

/** As readHardFacts, in slices. What was read so is found again by readHardFacts, as long as the same objects are compared in the same language. */
export function* readHardFactsInSlices(texts: readonly SaidText[]): Slices<HardFacts[]> {
  const all = texts.map(({ content }) => content).join('\n');
  const untabled = untabledLanguage(all);
  const code = untabled ?? detectLanguage(all);
  const readings: HardFacts[] = [];
  let chars = 0;
  for (const said of texts) {
    const { content, day } = said;
    const of = [content, day, code, untabled];
    const known = READINGS.get(said);
    if (known?.of.every((one, at) => one === of[at])) {
      readings.push(known.facts);
      continue;
    }
    const { text, unresolved } = resolveRelativeDates(content, day, untabled);
    const facts = { ...(yield* factsOf(text, code)), unresolved: withoutHabits(unresolved, content) };
    READINGS.set(said, { of, facts });
    readings.push(facts);
    chars += content.length;
    if (chars < CHARS_AT_ONCE) continue;
    yield;
    chars = 0;
  }
  return readings;
}

/** The relative dates of a text that code does not resolve for sure ("on Friday", "in a few weeks"). */
export function openDates(text: string, day: string | null): string[] {
  return withoutHabits(resolveRelativeDates(text, day).unresolved, text);
}

function* factsOf(text: string, code: string): Slices<Omit<HardFacts, 'unresolved'>> {
  const tokens = readTokens(text);
  const isLong = tokens.length > TOKENS_AT_ONCE;
  if (isLong) yield;
  const { atoms } = yield* readAtomsInSlices(tokens, languageOf(code) === null ? undefined : code);
  if (isLong) yield;
  const words = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'word') continue;
    words.add(token.folded);
    words.add(plainLatin(token.folded));
  }
  if (isLong) yield;
  const sure = atoms.filter((atom) => atom.sure);
  const plain = plainFactsIn(tokens);
  const facts: HardFact[] = [];
  const offered: HardFact[] = [];
  for (const [at, atom] of atoms.entries()) {
    if (at % ATOMS_AT_ONCE === ATOMS_AT_ONCE - 1) yield;
    const found = plain(atom);
    offered.push(...found);
    if (atom.sure) facts.push(...found.filter(isDemanded));
  }
  return {
    facts,
    offered: eachOnce([...offered, ...numeralsIn(text)]),
    quotes: atoms
      .filter(({ kind, value }) => kind === 'quote' && value.split(' ').length <= MAX_QUOTED)
      .map(({ value }) => value),
    names: sure.filter(({ kind }) => kind === 'name').map(({ value }) => value),
    likelyNames: atoms
      .filter(({ kind, sure, value }) => kind === 'name' && !sure && !isCommon(value))
      .map(({ value }) => value),
    denies: atoms.some(({ kind }) => kind === 'negation'),
    weeks: new Set(Array.from(text.matchAll(WEEK), ([, monday]) => monday!)),
    words,
    spoken: spokenText(tokens),
  };
}

const isDemanded = ({ kind, value }: HardFact): boolean => !(kind === 'number' && WORDED.test(value));

/** Reads the facts of atoms of these tokens. A list is one token and many atoms: the figures of a stretch are read once. */
function plainFactsIn(tokens: readonly Token[]): (atom: Atom) => HardFact[] {
  let last = { from: -1, to: -1, figures: '' };
  return ({ kind, value, from, to }) => {
    if (!HARD.has(kind)) return [];
    if (last.from !== from || last.to !== to) {
      const written = tokens.slice(from, to).map((token) => token.text);
      last = { from, to, figures: figuresOf(written.join(' ')) };
    }
    return plainFacts(kind, value, last.figures);
  };
}

/** Facts that are compared alike, once: a text may repeat one thousands of times. */
export function eachOnce(facts: readonly HardFact[]): HardFact[] {
  const distinct = new Map<string, HardFact>();
  for (const fact of facts) {
    const key = `${fact.kind} ${fact.value}\n${fact.figures}`;
    if (!distinct.has(key)) distinct.set(key, fact);
  }
  return [...distinct.values()];
}

/** An atom without what bounds it or counts it ("at least", "a day"); a range is its two ends. */
function plainFacts(kind: AtomKind, value: string, figures: string): HardFact[] {
  const sign = kind === 'number' ? (/^(?:[<>]=?|~)/.exec(value)?.[0] ?? '') : '';
  let rest = value.slice(sign.length);
  const bound = sign.startsWith('<') ? '<' : sign.startsWith('>') ? '>' : '';
  const per = kind === 'number' ? rest.lastIndexOf('/') : -1;
  if (per > 0 && /^[a-z ]+$/.test(rest.slice(per + 1))) rest = rest.slice(0, per);
  const ends = kind === 'date' || kind === 'time' || kind === 'number' ? rest.split('..') : [rest];
  const unit = kind === 'number' ? / .*$/.exec(ends.at(-1)!)?.[0] : undefined;
  return ends
    .map((end) => (unit !== undefined && !end.includes(' ') ? end + unit : end))
    .map((end) => ({
      kind,
      value: plainDay(end),
      same: kind === 'number' ? sameAmounts(end) : [],
      bound,
      figures,
    }));
}

/** An age is a count of years, the second one is number two. */
function sameAmounts(value: string): string[] {
  const plain = value.replace(/^(\d+)th$/, '$1').replace(/ old$/, '');
  return [`number:${value}`, `number:${plain}`, ...otherUnits(value), ...otherUnits(plain)];
}

const NUMERALS = '〇一二三四五六七八九';
const PLACES = new Map([
  ['十', 10],
  ['百', 100],
  ['千', 1_000],
]);

/** Numbers in Han numerals, which stand in running text without a space; offered, never demanded: 一 is many a word's part. */
function numeralsIn(text: string): HardFact[] {
  return (text.match(/[〇一二三四五六七八九十百千]+/gu) ?? []).map((written): HardFact => {
    let sum = 0;
    let digit = 0;
    for (const sign of written) {
      const place = PLACES.get(sign);
      if (place === undefined) digit = digit * 10 + NUMERALS.indexOf(sign);
      else {
        sum += (digit || 1) * place;
        digit = 0;
      }
    }
    const value = String(sum + digit);
    return { kind: 'number', value, same: [`number:${value}`], bound: '', figures: '' };
  });
}

/** A weekday and a habit on it ("on Mondays") are told alike in many languages. */
const plainDay = (value: string): string =>
  value.replace(/^((?:mon|tues|wednes|thurs|fri|satur|sun)day)s$/, '$1');

const isCommon = (word: string): boolean => COMMON_WORDS.has(word) || COMMON_VERBS.has(stemOf(word));

function figuresOf(written: string): string {
  const runs = written.match(/\d+/g) ?? [];
  if (runs.length > MAX_FIGURES) return '';
  return runs.map((run) => run.replace(/^0+(?=\d)/, '')).join(' ');
}

const HABITUAL =
  /\b(?:every|each|(?:a|per) week|except|weekdays|weekends|daily|weekly|(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:mon|tue|wed|thu|fri)[a-z]*[-–](?:wed|thu|fri|sat|sun)[a-z]*)\b/i;

/** A bare weekday in a habit ("every day except Wednesday") means no one day. */
function withoutHabits(phrases: string[], text: string): string[] {
  if (phrases.length === 0 || !HABITUAL.test(text)) return phrases;
  return phrases.filter((phrase) => !/^(?:on )?(?:mon|tue|wed|thu|fri|sat|sun)/i.test(phrase));
}
