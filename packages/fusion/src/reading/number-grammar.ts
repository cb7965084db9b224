import type { Token } from './tokens.ts';

/** Words of a list, from a value on, in steps. */
function counted(words: string, from: number, step: number): [string, number][] {
  return words.split(' ').map((word, index) => [word, from + index * step]);
}

export const ONES = new Map([
  ...counted(
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen',
    0,
    1,
  ),
  ...counted('seventeen eighteen nineteen', 17, 1),
]);
export const TENS = new Map([
  ...counted('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10),
  ...counted('fourty', 40, 0),
]);
export const SCALES = new Map<string, number>(
  Object.entries({
    hundred: 100,
    thousand: 1e3,
    grand: 1e3,
    lakh: 1e5,
    lakhs: 1e5,
    million: 1e6,
    mln: 1e6,
    crore: 1e7,
    crores: 1e7,
    billion: 1e9,
    bn: 1e9,
    trillion: 1e12,
    dozen: 12,
  }),
);
export const ORDINALS = new Map([
  ...counted(
    'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth',
    1,
    1,
  ),
  ...counted('fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth', 14, 1),
  ...counted(
    'twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth',
    20,
    10,
  ),
  ...counted('thousandth', 1000, 0),
]);
/** No number that people write has more. */
const MAX_WORDS = 24;

export function wordAt(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token?.kind === 'word' ? token.folded : '';
}

/**
 * The plain grammar of spelled English numbers: tens, ones, scales and ordinals.
 *
 * @param start value that a leading article stands for: "a hundred".
 */
export function readGrammar(
  tokens: readonly Token[],
  at: number,
  start = 0,
): { value: number; next: number; ordinal: boolean } | null {
  let total = 0;
  let part = start;
  let last: 'none' | 'tens' | 'ones' | 'scale' = start === 0 ? 'none' : 'ones';
  let index = at;
  let end = at;
  while (index < at + MAX_WORDS) {
    const word = wordAt(tokens, index);
    const one = ONES.get(word);
    const ordinal = ORDINALS.get(word);
    const fresh = last === 'none' || last === 'scale';
    const scale = SCALES.get(word);
    if (one !== undefined && (fresh || (last === 'tens' && one < 10 && one > 0))) {
      part += one;
      last = 'ones';
    } else if (TENS.has(word) && fresh) {
      part += TENS.get(word)!;
      last = 'tens';
    } else if (scale !== undefined && last !== 'none') {
      if (scale <= 100) part *= scale;
      else {
        total += part * scale;
        part = 0;
      }
      last = 'scale';
    } else if (
      ordinal !== undefined &&
      (fresh || (last === 'tens' && ordinal < 10)) &&
      !isSecondUnit(word, last) &&
      !isHand(tokens, index)
    ) {
      return { value: total + part + ordinal, next: index + 1, ordinal: true };
    } else {
      break;
    }
    index += 1;
    end = index;
    const joiner = tokens[index];
    const joins =
      (joiner?.text === '-' && joiner.glued && last === 'tens') ||
      (joiner?.folded === 'and' && last === 'scale');
    if (joins) index += 1;
  }
  return end === at ? null : { value: total + part, next: end, ordinal: false };
}

/** "second-hand", "first-hand": no place in a row. */
function isHand(tokens: readonly Token[], at: number): boolean {
  const dash = tokens[at + 1]?.text === '-' && tokens[at + 1]!.glued;
  return dash && wordAt(tokens, at + 2) === 'hand';
}

/** After a number, "second" is the unit of time. */
function isSecondUnit(word: string, last: string): boolean {
  return word === 'second' && last === 'scale';
}
