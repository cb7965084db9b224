import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

/** What adds to what was said before. */
const ADDING = new Set(['plus', 'and', 'also', 'another', 'additionally']);

/** "40 guests, 6 of them children" is not "40 guests plus 6 children": a part that became more, or the other way round. */
export function turnedParts(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const parts = new Set(sources.flatMap((source) => numbersOf(source, isPart)));
  const added = new Set(sources.flatMap((source) => numbersOf(source, isAdded)));
  return summary.units
    .filter((unit) => {
      if (unit.kind !== 'number') return false;
      const [key] = unit.keys;
      if (isPart(unit, summary)) return added.has(key!) && !parts.has(key!);
      return isAdded(unit, summary) && parts.has(key!) && !added.has(key!);
    })
    .map(({ form }) => ({ kind: 'pairing', value: form }));
}

function numbersOf(statement: Statement, is: (unit: Unit, statement: Statement) => boolean): string[] {
  return statement.units.flatMap((unit) =>
    unit.kind === 'number' && is(unit, statement) ? [unit.keys[0]!] : [],
  );
}

/** "6 of them": a pronoun two words behind, and nothing said between. */
function isPart(unit: Unit, { pronouns, units }: Statement): boolean {
  return pronouns.some(
    ({ axis }) =>
      axis > unit.axis &&
      axis < unit.axis + 0.7 &&
      !units.some((other) => other !== unit && other.axis > unit.axis && other.axis < axis),
  );
}

function isAdded(unit: Unit, statement: Statement): boolean {
  return ADDING.has(unit.before) && !isPart(unit, statement);
}
