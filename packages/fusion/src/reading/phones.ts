import type { Token } from './tokens.ts';

const MIN_DIGITS = 7;
const MAX_DIGITS = 19;
const MAX_GROUPS = 8;
const MAX_TOKEN = 40;

/**
 * A telephone, card or account number written in groups, from token `at` on: +44 20 7946 0958, (555) 123-4567, 4111 1111 1111 1111. Canonical:
 * its digits, after a plus when there was one. Thousands in groups of three are no such number.
 */
export function readPhone(tokens: readonly Token[], at: number): { values: string[]; next: number } | null {
  const first = tokens[at]!;
  const plus = first.text === '+' && tokens[at + 1]?.glued === true;
  const paren = first.text === '(';
  if (!plus && !paren && first.kind !== 'digits') return null;
  const groups: string[] = [];
  let index = plus ? at + 1 : at;
  let next = index;
  let parens = 0;
  while (groups.length < MAX_GROUPS) {
    const token = tokens[index];
    if (token === undefined) break;
    if (token.kind === 'digits' && token.text.length <= MAX_TOKEN && /^\d+(?:-\d+)*$/.test(token.text)) {
      groups.push(...token.text.split('-'));
      index += 1;
      next = index;
    } else if (
      token.text === '(' &&
      tokens[index + 1]?.kind === 'digits' &&
      tokens[index + 2]?.text === ')'
    ) {
      parens += 1;
      groups.push(tokens[index + 1]!.text);
      index += 3;
      next = index;
    } else if ((token.text === '-' || token.text === '/') && token.glued && groups.length > 0) {
      index += 1;
    } else break;
  }
  const after = tokens[next];
  if (after?.glued && (after.kind === 'word' || after.kind === 'digits')) return null;
  const digits = groups.join('');
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS || !/^\d+$/.test(digits)) return null;
  const grouped = groups.length >= 3 && !isThousands(groups) && digits.length >= 9;
  const marked = plus || (parens > 0 && groups.length > 1);
  return marked || grouped ? { values: [`${plus ? '+' : ''}${digits}`], next } : null;
}

function isThousands(groups: string[]): boolean {
  return /^[1-9]\d{0,2}$/.test(groups[0]!) && groups.slice(1).every((group) => group.length === 3);
}
