import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

/**
 * Names and dates that the summary puts beside things with which no source speaks of them: "three children in Winnipeg", where one source has
 * the children and another has Winnipeg.
 */
export function strangersIn(summary: Statement, sources: readonly Statement[]): Difference[] {
  const problems: Difference[] = [];
  const clauses = new Map<number, Unit[]>();
  for (const unit of summary.units) {
    if (unit.kind === 'operator' || unit.soft || unit.frame) continue;
    const clause = summary.asides.get(unit.clause) ?? unit.clause;
    clauses.set(clause, [...(clauses.get(clause) ?? []), unit]);
  }
  for (const units of clauses.values()) {
    for (const unit of units) {
      if (!isTied(unit)) continue;
      const others = units.filter(
        (other) => other !== unit && !other.keys.some((key) => unit.keys.includes(key)),
      );
      const homes = sources.filter(({ keys }) => unit.keys.some((key) => keys.has(key)));
      if (others.length < 2 || homes.length === 0) continue;
      const known = homes.some(({ keys }) => others.some((other) => other.keys.some((key) => keys.has(key))));
      if (!known) problems.push({ kind: 'pairing', value: unit.form });
    }
  }
  return problems;
}

/** A place, a company, a day or an hour: it is said of what stands beside it. */
function isTied(unit: Unit): boolean {
  if (unit.kind === 'name') return unit.person === null;
  return unit.kind === 'date' || unit.kind === 'time';
}
