import { afterwards, EXACT, foreignStem } from './foreign-stems.ts';
import { nonfiniteKeys, prefixedKeys, withoutEnclitic } from './foreign-verbs.ts';
import { formOf } from './lexicon/foreign-forms.ts';

/** Where a noun in -mento is what its verb says. */
const ROMANCE = new Set(['es', 'it', 'pt']);

/** By language: an ending of a finite past, of its participle, of a future; what stands before it is one verb in all persons. */
const TENSES = new Map<string, readonly (readonly [RegExp, string])[]>(
  Object.entries({
    de: [
      [/^(.{3,}?)(?:e?te|e?ten)$/, '|'],
      [/^ge(.{3,}?)e?t$/, '|'],
    ],
    fr: [
      [/^(.{3,})(?:ais|ait|aient)$/, '|i'],
      [/^(.{2,}r)(?:ai|a|ons|ont)$/, '|f'],
    ],
    es: [
      [/^(.{2,}[aei]r)(?:é|á|án|emos)$/, '|f'],
      [/^(.{2,}?)(?:é|ó|aron|ado|ada|ados|adas)$/, '|'],
      [/^(.{2,}?)(?:í|ió|ieron|ido|idos)$/, '|'],
    ],
    it: [
      [/^(.{2,}r)(?:ò|à|anno)$/, '|f'],
      [/^(.{2,}r)(?:ei|ebbe|ebbero)$/, '|c'],
      [/^(.{3,}?)(?:ò|arono|at[oaie])$/, '|'],
      [/^(.{3,}?)(?:ì|irono|it[oaie])$/, '|'],
      [/^(.{3,}?)(?:é|erono|ut[oaie])$/, '|'],
    ],
    pt: [
      [/^(.{2,}[aei]r)(?:ei|á|ão)$/, '|f'],
      [/^(.{2,}?)(?:ei|ou|aram|ado|ada|ados|adas)$/, '|'],
      [/^(.{2,}?)(?:i|eu|iu|eram|iram|ido|idos)$/, '|'],
    ],
  }),
);

/**
 * The keys of a word of a language other than English, without that of its spelling: its stem first; the verb of a finite past or future in
 * all persons; a noun whose plural changes its vowel.
 *
 * @param capital it is written with a capital.
 */
export function foreignKeys(written: string, code: string, capital: boolean): string[] {
  if (EXACT.has(written) || formOf(written, code) !== null) return [foreignStem(written, code)];
  const word = withoutEnclitic(written, code);
  const keys = [foreignStem(word, code), ...prefixedKeys(word, code), ...nonfiniteKeys(word, code)];
  if (code === 'tr') keys.push(...turkishStems(word));
  // "late", "laat"
  if (code === 'nl') keys.push(afterwards(word, code));
  if (word !== written) keys.push(...foreignKeys(word, code, false));
  for (const [ending, mark] of TENSES.get(code) ?? []) {
    const stem = ending.exec(word)?.[1];
    if (stem !== undefined) keys.push(`${stem}${mark}`);
  }
  if (code === 'de' && capital && /[äöü]/.test(keys[0]!)) {
    keys.push(keys[0]!.replaceAll('äu', 'au').replaceAll('ä', 'a').replaceAll('ö', 'o').replaceAll('ü', 'u'));
  }
  // A noun with "do" is a verb: 예약, 예약하다.
  if (code === 'ko' && keys[0]!.length > 2 && keys[0]!.endsWith('하')) keys.push(keys[0]!.slice(0, -1));
  if (ROMANCE.has(code)) {
    const root = /^(.{3,})(?:amento|imento|amiento|imiento|[aei]re?)s?$/.exec(word)?.[1];
    if (root !== undefined) keys.push(`${root}~`);
  }
  // "I live", "he lives", "she lives".
  if (code === 'ar' && /^[أيت]/.test(keys[0]!) && keys[0]!.length > 3) keys.push(`|${keys[0]!.slice(1)}`);
  return keys;
}

/** Shorter stems may be other words. */
const MIN_TURKISH = 4;
const TURKISH_CASE =
  /(?:(?:s[ıiuü])?n[ıiuü]n?|s[ıiuü]|n?[dt][ae]n?|[yn]?[ae]|y?[ıiuü]|l[ae]r|y?l[ae]|[ıiuü]?m)$/;

/** What stands before each of the endings of a Turkish noun: "düğünü", "düğününe" and "düğünden" are of one. */
function turkishStems(word: string): string[] {
  const stems: string[] = [];
  let stem = word;
  for (let round = 0; round < 3; round += 1) {
    stem = stem.replace(TURKISH_CASE, '');
    if (stem.length < MIN_TURKISH || stem === (stems.at(-1) ?? word)) break;
    stems.push(stem);
  }
  return stems.map((one) => `${one}~`);
}
