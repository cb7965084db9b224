import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

/**
 * Days, hours and amounts that one verb of the sources has and another verb of theirs in the summary: "emigrated in 1952 and worked in a bakery" told as
 * "emigrated and worked in a bakery in 1952".
 */
export function movedValues(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const said = [...clausesOf(summary).values()];
  const clauses = sources.flatMap((source) => [...clausesOf(source).values()]);
  const problems: Difference[] = [];
  for (const source of sources) {
    for (const own of clausesOf(source).values()) {
      for (const value of own.filter(isValue)) {
        const others = sources.filter(({ keys }) => value.keys.some((key) => keys.has(key)));
        const places = said.filter((units) => units.some((unit) => shares(unit, value)));
        if (others.length > 1 || places.length !== 1) continue;
        if (isMoved(value, own, clauses, places[0]!, said))
          problems.push({ kind: 'pairing', value: value.form });
      }
    }
  }
  return problems;
}

function isMoved(
  value: Unit,
  own: readonly Unit[],
  clauses: readonly (readonly Unit[])[],
  place: readonly Unit[],
  said: readonly (readonly Unit[])[],
): boolean {
  const rest = own.filter((unit) => unit !== value);
  // With a verb of its own, and nothing of what it stood with.
  if (!rest.some(({ verbal }) => verbal) || place.some((unit) => rest.some((one) => shares(unit, one))))
    return false;
  const verb = place.find(({ verbal }) => verbal);
  if (!verb) return false;
  const foreign = clauses.some(
    (clause) => clause !== own && clause.some((unit) => unit.verbal && shares(unit, verb)),
  );
  const told = said.some(
    (units) => units !== place && rest.some((one) => one.verbal && units.some((unit) => shares(unit, one))),
  );
  return foreign && told;
}

function isValue({ kind }: Unit): boolean {
  return kind === 'date' || kind === 'time' || kind === 'number';
}

function shares(one: Unit, other: Unit): boolean {
  return one.keys.some((key) => other.keys.includes(key));
}

function clausesOf({ units }: Statement): Map<number, Unit[]> {
  const clauses = new Map<number, Unit[]>();
  for (const unit of units) {
    if (unit.kind === 'operator' || unit.soft) continue;
    const same = clauses.get(unit.clause);
    if (same) same.push(unit);
    else clauses.set(unit.clause, [unit]);
  }
  return clauses;
}
