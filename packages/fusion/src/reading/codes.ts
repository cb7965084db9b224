import type { Reading } from './number-reading.ts';
import type { Token } from './tokens.ts';

const ASCII_WORD = /^[A-Za-z]+$/;
/** Things whose designation may be written with a space: flight LH 1234. */
const CARRIERS = new Set(
  'flight flug vol vuelo volo voo vlucht train ice gate room bus tram line bahn platform'.split(' '),
);

/**
 * Tokens of one identifier, at most: of a longer one the rest is read as further identifiers. Each token may be the first of a run, so that
 * without a limit a long run would be read to its end from each of them.
 */
export const MAX_CODE_TOKENS = 64;

/** Whether letters or digits go on right after token `at - 1`, so that what was read ends within an identifier. */
export function goesOn(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token === undefined || !token.glued) return false;
  return (
    token.kind === 'digits' || (token.kind === 'word' && ASCII_WORD.test(token.text)) || token.text === '_'
  );
}

/**
 * An identifier of letters and digits without spaces (LH1234, 12B, x86_64, B12), or the designation of a flight, train or room with one. A version
 * with its v is the bare version, as people write it both ways.
 */
export function readCode(tokens: readonly Token[], at: number): (Reading & { version: boolean }) | null {
  const first = tokens[at]!;
  if (first.kind !== 'word' && first.kind !== 'digits') return null;
  if (first.kind === 'word' && !ASCII_WORD.test(first.text)) return null;
  let value = first.folded;
  let next = at + 1;
  while (next - at < MAX_CODE_TOKENS && goesOn(tokens, next)) {
    value += tokens[next]!.folded;
    next += 1;
  }
  if (/\d/.test(value) && /[a-z]/.test(value)) {
    const version = /^v(\d[\d.]*)$/.exec(value);
    return { values: [version ? version[1]! : value], next, version: version !== null };
  }
  const after = tokens[next];
  const designated =
    first.kind === 'word' &&
    first.text.length <= 3 &&
    first.text === first.text.toUpperCase() &&
    CARRIERS.has(tokens[at - 1]?.folded ?? '');
  return designated && after?.kind === 'digits' && /^\d{1,4}$/.test(after.text)
    ? { values: [value + after.text], next: next + 1, version: false }
    : null;
}

const GROUPS = new Set(['a', 'b', 'ab', 'o']);
const RHESUS = new Map(Object.entries({ positive: '+', pos: '+', negative: '-', neg: '-' }));

/** "O positive", "type AB negative"; with a sign (O+) it was lifted out. */
export function readBloodType(tokens: readonly Token[], at: number): Reading | null {
  const token = tokens[at]!;
  const next = tokens[at + 1];
  if (token.kind !== 'word' || !GROUPS.has(token.folded) || token.text !== token.text.toUpperCase())
    return null;
  const sign = RHESUS.get(next?.folded ?? '');
  if (sign === undefined || token.opens) return null;
  return { values: [`${token.folded}${sign}`], next: at + 2 };
}
