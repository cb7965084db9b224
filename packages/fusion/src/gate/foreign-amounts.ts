import { isCurrency } from '../reading/units.ts';
import type { Statement, Unit } from './unit.ts';

const BARE = /^\d{3,}(?:\.\d+)?$/;
const MEASURED = /^(\d+(?:\.\d+)?) ([a-z]+)$/;

/**
 * Gives a bare sum the currency of the one before it in its sentence, as people leave it out the second time: "9.500 euros, no menos de 8.800". Not
 * where a word right behind says what is counted, nor where another text leaves it out of the first sum: then the two may have changed places.
 */
export function shareCurrencies(statements: readonly Statement[]): void {
  const bare = new Set(
    statements.flatMap(({ units }) => units.filter(({ kind }) => kind === 'number').map(({ form }) => form)),
  );
  for (const statement of statements) {
    let last: { sum: Unit; value: string; currency: string } | null = null;
    for (const [index, unit] of statement.units.entries()) {
      if (unit.kind !== 'number') continue;
      const measured = MEASURED.exec(unit.form);
      if (measured && isCurrency(measured[2]!)) {
        last = { sum: unit, value: measured[1]!, currency: measured[2]! };
        continue;
      }
      if (last === null || last.sum.sentence !== unit.sentence || !BARE.test(unit.form)) continue;
      const next = statement.units[index + 1];
      const counts =
        next !== undefined && next.before === '' && next.clause === unit.clause && next.kind !== 'number';
      if (counts || bare.has(last.value)) continue;
      const key = `number:${unit.form} ${last.currency}`;
      unit.keys = [...unit.keys, key];
      (statement.keys as Set<string>).add(key);
    }
  }
}
