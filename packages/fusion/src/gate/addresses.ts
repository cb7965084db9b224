import { wordList } from './lexicon/word-list.ts';
import type { Statement, Unit } from './unit.ts';

const STREETS = wordList(`
  street st road rd lane avenue ave drive close court square terrace row way place crescent gardens hill boulevard blvd grove mews park parade quay walk alley
`);
/** Words of a street's name. */
const MAX_WORDS = 4;

/**
 * Makes the number of a house a value of its own kind, where another text has the very same number and street: "27 Calder Row, flat 3" is "flat 3, 27 Calder
 * Row". It stands beside its street in both, so that no other number can have taken its place.
 */
export function settleAddresses(statements: readonly Statement[]): void {
  const found = new Map<string, { unit: Unit; text: number }[]>();
  for (const [text, { units }] of statements.entries()) {
    for (const [at, unit] of units.entries()) {
      const street = unit.kind === 'number' && /^\d+$/.test(unit.form) ? streetAt(units, at + 1) : null;
      if (street === null) continue;
      const same = found.get(`${unit.form} ${street}`) ?? [];
      found.set(`${unit.form} ${street}`, same);
      same.push({ unit, text });
    }
  }
  for (const [address, places] of found) {
    if (new Set(places.map(({ text }) => text)).size < 2) continue;
    for (const { unit } of places) {
      unit.keys = [`number:${address}`, ...unit.keys];
      unit.form = `${unit.form} address`;
    }
  }
}

/** The name of a street right behind a number. */
function streetAt(units: readonly Unit[], from: number): string | null {
  const words: string[] = [];
  for (let at = from; at < from + MAX_WORDS; at += 1) {
    const [unit, before] = [units[at], units[at - 1]!];
    if (unit?.kind !== 'name' || unit.word !== before.word + 1 || unit.clause !== before.clause) return null;
    words.push(unit.keys.find((key) => key.startsWith('title:')) ?? unit.form);
    if (words.length > 1 && STREETS.has(unit.form)) return words.join(' ');
  }
  return null;
}
