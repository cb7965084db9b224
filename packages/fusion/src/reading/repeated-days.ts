import type { Language } from './languages/language.ts';
import { weekdayAt } from './months.ts';
import type { Token } from './tokens.ts';
import { isEachWeek } from './weekday-habits.ts';

export const EVERY = new Set(['every', 'each', 'jeden', 'chaque', 'cada', 'ogni', 'elke', 'iedere']);

/**
 * Whether a weekday means one of each week by what stands around it.
 *
 * @param at its first token. @param next the token behind it.
 */
export function isRepeatedDay(
  tokens: readonly Token[],
  at: number,
  next: number,
  language: Language | null,
): boolean {
  return isEachWeek(plainBefore(tokens, at), plainAfter(tokens, next)) || isAfterEvery(tokens, at, language);
}

function plainBefore(tokens: readonly Token[], at: number): string {
  const before = tokens[at - 1];
  return before?.kind === 'word' && before.sentence === tokens[at]!.sentence ? before.folded : '';
}

/** The words right behind, up to a mark. */
function plainAfter(tokens: readonly Token[], at: number): string[] {
  const after: string[] = [];
  for (let index = at; index < at + 3 && tokens[index]?.kind === 'word'; index += 1)
    after.push(tokens[index]!.folded);
  return after;
}

/** "every Tuesday, Thursday and Saturday": the word holds for all of them. */
function isAfterEvery(tokens: readonly Token[], at: number, language: Language | null): boolean {
  for (let index = at; index > at - 14; index -= 2) {
    const joiner = tokens[index - 1];
    if (joiner === undefined) return false;
    if (EVERY.has(joiner.folded)) return true;
    if (joiner.folded !== 'and' && joiner.folded !== '&' && joiner.text !== ',') return false;
    if (weekdayAt(tokens, index - 2, language)?.plural !== false) return false;
  }
  return false;
}
