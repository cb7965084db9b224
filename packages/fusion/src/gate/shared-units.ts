import { isCurrency } from '../reading/units.ts';
import type { Statement, Unit } from './unit.ts';

const BARE = /^\d+(?:\.\d+)?$/;
const MEASURED = /^\d+(?:\.\d+)? ((?:[a-z]+|°[cf]?))$/;
/** Before a number these make it a name of its own: "size 42", "chapter 3". */
const LABELS = new Set(
  'size chapter number no page grade level stage version aged age bus line flight room floor step part day week year phase round test exam question lesson unit class plot gate seat platform apartment flat at by'.split(
    ' ',
  ),
);
/** What is counted through: "day one" is the first day. */
const IN_ORDER = new Set(
  'day week month year chapter stage phase round part test lesson session season book grade level floor attempt'.split(
    ' ',
  ),
);
/** Currencies of a hundred cents. */
const HUNDREDTHS = new Set(['eur', 'usd', 'aud', 'cad', 'nzd']);
const PAYING = new Set(
  'pay paid repaid pays repays owe owes owed back returned cost costs asked for of is'.split(' '),
);
const PAYMENT = /(?:^| )(?:pa(?:y|ys|id|ying)|repa(?:y|ys|id)|owe[sd]?|lent|loan|borrowed|returned)(?: |$)/;

/**
 * Gives a bare number the unit of the amount before it in the sentence, as people leave it out the second time: "19 degrees by day and 16 at night",
 * "600 pounds, 100 a month". A sum that was paid takes the only currency that any of the texts speaks of.
 */
export function shareUnits(statements: readonly Statement[]): void {
  const currencies = new Set(statements.flatMap(({ units }) => units.flatMap(currenciesOf)));
  const only = currencies.size === 1 ? [...currencies][0]! : null;
  for (const { units, spoken } of statements) {
    let last: Unit | null = null;
    let shared: readonly string[] = [];
    for (const [index, unit] of units.entries()) {
      if (unit.form === 'fortnight') add(unit, 'number:2 week', 'amount:14 day');
      if (unit.kind !== 'number') continue;
      const cents = /^(\d{1,2}) cent$/.exec(unit.form)?.[1];
      if (cents !== undefined && only !== null && HUNDREDTHS.has(only))
        add(unit, `number:${Number(cents) / 100} ${only}`);
      const measured = unitsOf(unit);
      if (measured.length > 0) {
        last = unit;
        shared = measured;
        continue;
      }
      if (!BARE.test(unit.form)) continue;
      if (IN_ORDER.has(unit.before)) add(unit, `number:${Number(unit.form)}th`);
      if (LABELS.has(unit.before) || isCounting(unit, units[index + 1])) continue;
      if (last !== null && isTurned(last, unit, statements)) continue;
      if (last !== null && (last.sentence === unit.sentence || isPriced(last, unit)))
        for (const one of shared) add(unit, `number:${unit.form} ${one}`);
      else if (only !== null && PAYING.has(unit.before) && PAYMENT.test(spoken))
        add(unit, `number:${unit.form} ${only}`);
    }
  }
}

/** Where another text leaves out the unit of the first amount instead, the two may have changed places: "budget 18k dollars, cap 20k". */
function isTurned(last: Unit, unit: Unit, statements: readonly Statement[]): boolean {
  const bare = `number:${last.form.slice(0, last.form.indexOf(' '))}`;
  return statements.some(({ units, keys }) => keys.has(bare) && !units.includes(unit));
}

/** "Offered 82,000 euros; asked for 88,000." */
function isPriced(last: Unit, unit: Unit): boolean {
  return currenciesOf(last).length > 0 && unit.sentence - last.sentence === 1 && PAYING.has(unit.before);
}

function add(unit: Unit, ...keys: string[]): void {
  unit.keys = [...new Set([...unit.keys, ...keys])];
}

function unitsOf(unit: Unit): string[] {
  const own = MEASURED.exec(unit.form)?.[1];
  if (own === undefined) return [];
  return own === 'pound' ? ['lb', 'gbp'] : [own];
}

function currenciesOf(unit: Unit): string[] {
  return unit.kind === 'number' ? unitsOf(unit).filter((one) => isCurrency(one)) : [];
}

/** A word right behind is what is counted: "2 tests". */
function isCounting(unit: Unit, next: Unit | undefined): boolean {
  return (
    next !== undefined &&
    next.word === unit.word + 1 &&
    (next.kind === 'word' || next.kind === 'name' || next.kind === 'code')
  );
}
