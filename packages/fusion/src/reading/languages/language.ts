/** How the rules of `relative` are worded when they are resolved. `D` stands for a date, `M` for a month's name, `Y` for a year. */
export interface ResolvedWording {
  day: string;
  week: string;
  weekend: string;
  month: string;
  year: string;
  quarter: string;
  /** `S` stands for the season as the language writes it. */
  season: string;
  /** Month names as they are written inside a sentence, from January. */
  monthNames: readonly string[];
  /** Words after which a date stands without its own preposition: "since 2024-05-03", not "since on 2024-05-03". */
  prepositions: ReadonlySet<string>;
  /** How a part of the day is said after a date. */
  parts: Readonly<Record<DayPart, string>>;
}

export type DayPart = 'morning' | 'afternoon' | 'evening' | 'night';

/** What reading needs to know of one language. All words are lower case and NFC. */
export interface Language {
  /** ISO 639-1. */
  code: string;
  /** Words without content of their own: articles, pronouns, prepositions, auxiliaries, and the stock subject "user". */
  stopWords: ReadonlySet<string>;
  /** Spelled numbers from 2 to 99, words joined by one space, to their value. */
  numbers: ReadonlyMap<string, number>;
  /** Of `numbers` and `scales`: words that mean something else in another language, so that they count in this one only. */
  ambiguousNumbers: ReadonlySet<string>;
  /** Words that multiply or stand for 100, 1,000, 1,000,000. */
  scales: ReadonlyMap<string, number>;
  /** Month names and their abbreviations, 1 to 12. */
  months: ReadonlyMap<string, number>;
  /** Names of weekdays, 1 (Monday) to 7. Parts of hyphenated names are joined by one space. */
  weekdays: ReadonlyMap<string, number>;
  negators: ReadonlySet<string>;
  /** Units of time by spelling: day, week, month, year, hour, min, second. */
  units: ReadonlyMap<string, string>;
  /** Seasons by spelling: spring, summer, autumn, winter. */
  seasons: ReadonlyMap<string, string>;
  /** Rules for relative dates, one a line: see `compileRules`. */
  relative: string;
  wording: ResolvedWording;
  /** Every noun has a capital: a capital proves no name. */
  capitalNouns: boolean;
}

/** A list of words in one string. */
export function words(text: string): Set<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}

/** Groups of spellings, numbered from 1: "january jan|february feb". Underscores stand for spaces. */
export function numbered(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [index, group] of text.split('|').entries()) {
    for (const spelling of words(group)) found.set(spelling.replaceAll('_', ' '), index + 1);
  }
  return found;
}

/** Groups of spellings of which the first is canonical: "day tag tage|week woche". */
export function named(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const group of text.split('|')) {
    const [canonical, ...spellings] = group.trim().split(/\s+/);
    for (const spelling of spellings) found.set(spelling, canonical!);
  }
  return found;
}

/**
 * Spelled numbers from 2 to 99.
 *
 * @param small words for 0, 1, 2 ... up to 15, 16, 19 or 20, as far as they are words of their own.
 * @param tens word for 20, 30 ... 90, from 2.
 * @param join all spellings of tens and ones together.
 */
export function spelledNumbers(
  small: string,
  tens: string,
  join: (ten: string, one: string, values: { ten: number; one: number }) => string[],
): Map<string, number> {
  const found = new Map<string, number>();
  const ones = small.split(' ').map((word) => word.replaceAll('_', ' '));
  for (const [value, word] of ones.entries()) {
    if (value >= 2) found.set(word, value);
  }
  for (const [index, ten] of tens.split(' ').entries()) {
    const base = (index + 2) * 10;
    found.set(ten.replaceAll('_', ' '), base);
    for (let one = 1; one < 10; one += 1) {
      for (const spelling of join(ten.replaceAll('_', ' '), ones[one]!, { ten: base, one })) {
        if (!found.has(spelling)) found.set(spelling, base + one);
      }
    }
  }
  return found;
}
