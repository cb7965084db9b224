import { NAMED } from './clocks.ts';
import { COMPARING } from './comparators.ts';
import { FEAST_STARTS } from './date-parts.ts';
import { ENGLISH } from './languages/en.ts';
import type { Language } from './languages/language.ts';
import { ALL_MONTHS, WEEKDAYS } from './months.ts';
import { ONES, ORDINALS, SCALES, TENS } from './number-grammar.ts';
import { FIRST_WORDS } from './number-words.ts';
import { DECADES } from './numeric-dates.ts';
import { EVERY } from './repeated-days.ts';
import type { Token } from './tokens.ts';
import { CURRENCIES } from './units.ts';

/** Every word that a time, a date or a number can begin with, in whatever language is not asked for separately. */
const STARTS = new Set<string>([
  ...'a an half quarter between zwischen aged age once twice thrice minus negative q'.split(' '),
  ...[ONES, TENS, SCALES, ORDINALS, FIRST_WORDS, COMPARING, NAMED, DECADES, EVERY, CURRENCIES].flatMap(
    (words) => [...words.keys()],
  ),
  ...FEAST_STARTS,
  ...ALL_MONTHS.keys(),
  ...ENGLISH.seasons.keys(),
  ...Array.from(WEEKDAYS.keys(), (name) => name.split(' ')[0]!),
]);
const MARKS = new Set([..."+(-.'<>≤≥$€£¥₹₽₺₩₿¢"]);

/** Whether a time, a date or a number may begin at a token: a quick look that spares most words the slow ones. */
export function mayBegin(token: Token, next: Token | undefined, language: Language | null): boolean {
  if (token.kind === 'digits') return true;
  if (token.kind === 'mark') return next !== undefined && MARKS.has(token.text);
  if (token.kind !== 'word') return false;
  const { folded } = token;
  if (folded === 'a' || folded === 'an') return next?.kind === 'word' || next?.glued === true;
  if (STARTS.has(folded) || (folded.endsWith('s') && STARTS.has(folded.slice(0, -1)))) return true;
  // US$5, Q3
  if (next?.glued && (next.kind === 'digits' || next.text === '$')) return true;
  return (
    language !== null &&
    (language.scales.has(folded) || language.seasons.has(folded) || language.months.has(folded))
  );
}
