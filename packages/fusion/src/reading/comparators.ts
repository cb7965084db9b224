import type { Token } from './tokens.ts';

/** What narrows a number down, as words before it. Longer ones first. */
const COMPARATORS: readonly [readonly string[], string][] = (
  [
    ['no more than', '<='],
    ['not more than', '<='],
    ['no less than', '>='],
    ['no fewer than', '>='],
    ['not less than', '>='],
    ['at least', '>='],
    ['at most', '<='],
    ['up to', '<='],
    ['a maximum of', '<='],
    ['a minimum of', '>='],
    ['more than', '>'],
    ['greater than', '>'],
    ['less than', '<'],
    ['fewer than', '<'],
    ['over', '>'],
    ['above', '>'],
    ['under', '<'],
    ['below', '<'],
  ] as const
).map(([words, sign]) => [words.split(' '), sign]);

export const COMPARING = new Set(COMPARATORS.map(([words]) => words[0]!));

const RISING = new Set(
  'go goes going gone went rise rises rising rose risen increase increases increased put puts bring brings brought move moved moves bump bumped'.split(
    ' ',
  ),
);
const SIGNS = new Map(Object.entries({ '<': '<', '>': '>', '≤': '<=', '≥': '>=' }));

export function readComparator(tokens: readonly Token[], at: number): { sign: string; next: number } | null {
  const token = tokens[at]!;
  if (token.kind === 'mark') {
    const sign = SIGNS.get(token.text);
    if (sign === undefined) return null;
    const equals = tokens[at + 1]?.text === '=' && tokens[at + 1]!.glued;
    return { sign: equals ? `${sign}=` : sign, next: at + (equals ? 2 : 1) };
  }
  if (!COMPARING.has(token.folded)) return null;
  // "goes up to 1,420": it rises to that very amount.
  if (token.folded === 'up' && RISING.has(tokens[at - 1]?.folded ?? '')) return null;
  for (const [words, sign] of COMPARATORS) {
    if (words.every((word, index) => tokens[at + index]?.folded === word))
      return { sign, next: at + words.length };
  }
  return null;
}

/** "50+", "50 or more", "50 and up", "5 or less". */
export function readComparatorAfter(
  tokens: readonly Token[],
  at: number,
): { sign: string; next: number } | null {
  const token = tokens[at];
  if (token?.text === '+' && token.glued && tokens[at + 1]?.kind !== 'digits')
    return { sign: '>=', next: at + 1 };
  const next = tokens[at + 1]?.folded ?? '';
  if (token?.folded === 'or') {
    if (next === 'more' || next === 'above' || next === 'older') return { sign: '>=', next: at + 2 };
    if (next === 'less' || next === 'fewer' || next === 'below' || next === 'younger')
      return { sign: '<=', next: at + 2 };
  }
  if (token?.folded === 'and' && (next === 'up' || next === 'over' || next === 'above'))
    return { sign: '>=', next: at + 2 };
  return null;
}
