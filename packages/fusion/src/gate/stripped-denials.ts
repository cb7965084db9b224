import type { Scope } from './operator-scope.ts';
import { sharesTarget } from './targets.ts';
import type { Statement, Unit } from './unit.ts';

/** A denial with its subject alone, and what the clause before says of another: "35 guests are invited, but not uncle Stefan". */
export interface StrippedDenial {
  scope: Scope;
  said: Unit[];
}

export function strippedDenials(
  { units, openings, verbalClauses, language }: Statement,
  said: readonly Scope[],
): StrippedDenial[] {
  if (language !== 'en') return [];
  return said.flatMap((scope): StrippedDenial[] => {
    const { operator, targets } = scope;
    const opening = openings.get(operator.clause);
    if (operator.form !== 'not' || (opening !== 'but' && opening !== 'not')) return [];
    if (verbalClauses.has(operator.clause) || !targets.some(({ person }) => person !== null)) return [];
    const before = units.filter(
      ({ clause, sentence }) => clause === operator.clause - 1 && sentence === operator.sentence,
    );
    return [{ scope, said: before }];
  });
}

/** Whether a source denies of the same subject what is said of another before it. */
export function isStripped({ scope, said }: StrippedDenial, other: Scope, source: Statement): boolean {
  if (other.name !== scope.name || other.targets.length === 0) return false;
  const { operator, targets } = other;
  const subject = source.units.filter(
    ({ clause, axis }) => clause === operator.clause && axis < operator.axis,
  );
  const persons = scope.targets.filter(({ person }) => person !== null);
  return persons.every((one) => sharesTarget(subject, [one])) && sharesTarget(said, targets.slice(0, 1));
}
