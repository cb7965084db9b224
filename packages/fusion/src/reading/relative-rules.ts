import type { DayPart, Language } from './languages/language.ts';

/** What a rule stands for. `amount` is a fixed number, or null when the phrase says it. */
export type RelativeMeaning =
  | { kind: 'day'; offset: number; part: DayPart | null }
  /** The unit that the phrase names, or `unit`, `offset` of them from now. */
  | { kind: 'span'; offset: number; unit: string | null }
  | { kind: 'ago'; amount: number | null }
  /** "three weeks ago today": to the day. */
  | { kind: 'exact'; amount: number | null }
  /** Surely in the future. */
  | { kind: 'in'; amount: number | null }
  /** In the future, or a duration: the sentence decides. */
  | { kind: 'future'; amount: number | null }
  | { kind: 'weekday'; which: Which }
  | { kind: 'month'; which: Which }
  | { kind: 'season'; which: Which }
  | { kind: 'holiday' }
  /** "the last week": seven days up to now or a week of its own. */
  | { kind: 'loose' }
  /** Relative, and not to be resolved for sure. */
  | { kind: 'vague' }
  /** Looks relative and is not. */
  | { kind: 'none' };

export type Which = 'last' | 'past' | 'this' | 'coming' | 'next' | 'bare';
type Slot = 'n' | 'unit' | 'weekday' | 'month' | 'season' | 'part' | 'holiday';
type Element = { slot: Slot } | { words: ReadonlySet<string> };

interface Rule {
  elements: Element[];
  meaning: RelativeMeaning;
}

/** A word of a text, with where it stands. */
export interface Word {
  /** Lower case, apostrophes straight, without a possessive ending. */
  folded: string;
  from: number;
  to: number;
  /** Written with a capital. */
  capital: boolean;
  possessive: boolean;
  /** Only spaces or one hyphen stand between the word before and this one. */
  joined: boolean;
  /** First word of a sentence or line. */
  opens: boolean;
}

/** What the slots of a rule were filled with. */
export interface Match {
  meaning: RelativeMeaning;
  /** Index of the word after the last one. */
  next: number;
  amount: number | null;
  unit: string | null;
  /** 1 to 7 and 1 to 12. */
  weekday: number | null;
  month: number | null;
  season: { canonical: string; written: string } | null;
  part: DayPart | null;
  holiday: string | null;
}

const PARTS = new Map<string, DayPart>(
  Object.entries({ morning: 'morning', afternoon: 'afternoon', evening: 'evening', night: 'night' }),
);
const HOLIDAYS = new Set([
  'christmas',
  'halloween',
  'thanksgiving',
  'easter',
  'ramadan',
  'diwali',
  'eid',
  'hanukkah',
]);
/** Names of months and abbreviations of weekdays that are other words too: they count with a capital only. */
const NEED_CAPITAL = new Set([
  'may',
  'march',
  'mars',
  'mai',
  'mon',
  'sat',
  'sun',
  'wed',
  'fri',
  'thu',
  'tue',
  'thur',
  'dec',
  'mar',
]);
const SPACE = ' ';

/** The rules of one language, by the first word they can begin with; rules that begin with a slot stand under ''. */
export type RuleBook = ReadonlyMap<string, readonly Rule[]>;

/**
 * Compiles the rules of a language, one a line: `pattern = meaning`. A pattern is words, `a|b` for either, `word?` for one that may be missing,
 * and the slots {n} (a number), {unit}, {weekday}, {month}, {season}, {part} (of the day), {holiday}.
 */
export function compileRules(language: Language): RuleBook {
  const book = new Map<string, Rule[]>();
  for (const line of language.relative.split('\n')) {
    const [pattern = '', meaning = ''] = line.split('=');
    if (pattern.trim() === '') continue;
    for (const elements of patternsOf(pattern.trim().split(/\s+/))) {
      const rule = { elements, meaning: meaningOf(meaning.trim().split(/\s+/)) };
      const first = elements[0]!;
      for (const start of 'words' in first ? first.words : ['']) {
        const rules = book.get(start);
        if (rules) rules.push(rule);
        else book.set(start, [rule]);
      }
    }
  }
  return book;
}

function patternsOf(items: string[]): Element[][] {
  let patterns: Element[][] = [[]];
  for (const item of items) {
    const optional = item.endsWith('?');
    const bare = optional ? item.slice(0, -1) : item;
    const element: Element = bare.startsWith('{')
      ? { slot: bare.slice(1, -1) as Slot }
      : { words: new Set(bare.split('|')) };
    const longer = patterns.map((pattern) => [...pattern, element]);
    patterns = optional ? [...patterns, ...longer] : longer;
  }
  return patterns;
}

function meaningOf([kind = '', first, second]: string[]): RelativeMeaning {
  const amount = first === undefined ? null : Number(first);
  switch (kind) {
    case 'day':
      return { kind, offset: amount ?? 0, part: PARTS.get(second ?? '') ?? null };
    case 'span':
      return { kind, offset: amount ?? 0, unit: null };
    case 'year':
      return { kind: 'span', offset: amount ?? 0, unit: 'year' };
    case 'ago':
    case 'exact':
    case 'in':
    case 'future':
      return { kind, amount };
    case 'weekday':
    case 'month':
    case 'season':
      return { kind, which: (first ?? 'bare') as Which };
    case 'holiday':
    case 'loose':
    case 'none':
      return { kind };
    default:
      return { kind: 'vague' };
  }
}

/** The longest rule that the words from `at` on match, or null. */
export function matchRule(
  words: readonly Word[],
  at: number,
  language: Language,
  book: RuleBook,
): Match | null {
  let best: Match | null = null;
  for (const start of [words[at]!.folded, '']) {
    for (const rule of book.get(start) ?? []) {
      const match = fill(words, at, rule, language);
      if (match && match.next > (best?.next ?? at)) best = match;
    }
  }
  return best;
}

function fill(words: readonly Word[], at: number, rule: Rule, language: Language): Match | null {
  const match: Match = {
    meaning: rule.meaning,
    next: at,
    amount: null,
    unit: null,
    weekday: null,
    month: null,
    season: null,
    part: null,
    holiday: null,
  };
  for (const element of rule.elements) {
    const word = words[match.next];
    if (word === undefined || (match.next > at && (!word.joined || words[match.next - 1]!.possessive)))
      return null;
    const used =
      'words' in element
        ? element.words.has(word.folded)
          ? 1
          : 0
        : fillSlot(words, match, element.slot, language);
    if (used === 0) return null;
    match.next += used;
  }
  return match;
}

/** @returns how many words the slot took; 0 when it cannot be filled. */
function fillSlot(words: readonly Word[], match: Match, slot: Slot, language: Language): number {
  const word = words[match.next]!;
  const { folded } = word;
  const proper = word.capital || !NEED_CAPITAL.has(folded);
  switch (slot) {
    case 'n':
      return fillNumber(words, match, language);
    case 'unit':
      match.unit = language.units.get(folded) ?? null;
      return match.unit === null ? 0 : 1;
    case 'weekday': {
      const after = words[match.next + 1];
      const both = after?.joined ? language.weekdays.get(folded + SPACE + after.folded) : undefined;
      match.weekday = both ?? (proper ? (language.weekdays.get(folded) ?? null) : null);
      return match.weekday === null ? 0 : both === undefined ? 1 : 2;
    }
    case 'month':
      match.month = proper && folded.length > 2 ? (language.months.get(folded) ?? null) : null;
      return match.month === null ? 0 : 1;
    case 'season': {
      const canonical = language.seasons.get(folded);
      match.season = canonical === undefined ? null : { canonical, written: folded };
      return canonical === undefined ? 0 : 1;
    }
    case 'part':
      match.part = PARTS.get(folded) ?? null;
      return match.part === null ? 0 : 1;
    case 'holiday':
      match.holiday = HOLIDAYS.has(folded) ? folded : null;
      return match.holiday === null ? 0 : 1;
  }
}

const MAX_NUMBER_WORDS = 4;

function fillNumber(words: readonly Word[], match: Match, language: Language): number {
  const first = words[match.next]!;
  if (/^\d{1,4}$/.test(first.folded)) {
    match.amount = Number(first.folded);
    return 1;
  }
  let phrase = '';
  let best = 0;
  for (let count = 1; count <= MAX_NUMBER_WORDS; count += 1) {
    const word = words[match.next + count - 1];
    if (word === undefined || (count > 1 && !word.joined)) break;
    phrase = count === 1 ? word.folded : phrase + SPACE + word.folded;
    const value = language.numbers.get(phrase) ?? (phrase === 'one' ? 1 : undefined);
    if (value === undefined) continue;
    match.amount = value;
    best = count;
  }
  return best;
}
