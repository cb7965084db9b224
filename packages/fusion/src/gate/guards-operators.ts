import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

/** Words that change a statement and may change another one just as well. */
const MOVABLE = new Set(
  'not never nolonger only might probably want hope plan consider attempt should usedto almost always usually often sometimes rarely regularly refuse avoid dislike hate'
    .split(' ')
    .map((name) => `op:${name}`),
);
/** How much of a statement stands where it is told. */
const TOLD = 2;
/** Statements beyond this number are not compared one by one. */
const MAX_PARTS = 200;

interface Part {
  operators: ReadonlySet<string>;
  units: Unit[];
  keys: ReadonlySet<string>;
}

/**
 * Words that change one statement in the sources and another in the summary: "wants to learn Danish and is learning Dutch" told the other way
 * round, "never a window seat" as "on trains never". The word stands with what only the other statement says, and its own is told without it.
 */
export function takenOperators(summary: Statement, sources: readonly Statement[]): Difference[] {
  const known = sources.flatMap(partsOf);
  const said = partsOf(summary);
  if (known.length * said.length > MAX_PARTS * MAX_PARTS) return [{ kind: 'pairing', value: '' }];
  const problems: Difference[] = [];
  for (const part of said) {
    for (const name of part.operators) {
      const own = known.filter(({ operators }) => operators.has(name));
      const others = known.filter(({ operators }) => !operators.has(name));
      if (own.length === 0) continue;
      const taken = others.some(
        (other) =>
          own.every((one) => isTakenBy(part, one, other)) &&
          own.some((one) => isToldBare(one, other, name, said)),
      );
      if (taken) problems.push({ kind: 'pairing', value: `${name.slice(3)} ${part.units[0]?.form ?? ''}` });
    }
  }
  return problems;
}

/** Whether a clause has something of the other statement alone, and nothing of its own alone. */
function isTakenBy(part: Part, own: Part, other: Part): boolean {
  const alone = (one: Part, more: Part): boolean =>
    part.units.some(
      ({ keys }) => keys.some((key) => one.keys.has(key)) && !keys.some((key) => more.keys.has(key)),
    );
  return (
    alone(other, own) &&
    !alone(own, other) &&
    part.units.every(({ keys }) => keys.some((key) => other.keys.has(key)))
  );
}

/** Whether a statement is told in a clause without the word that changes it. */
function isToldBare(own: Part, other: Part, name: string, said: readonly Part[]): boolean {
  const alone = own.units.filter(({ keys }) => !keys.some((key) => other.keys.has(key)));
  const wanted = Math.min(TOLD, own.units.length);
  return (
    wanted > 0 &&
    said.some(
      ({ operators, keys }) =>
        !operators.has(name) &&
        own.units.filter((unit) => unit.keys.some((key) => keys.has(key))).length >= wanted &&
        (alone.length === 0 || alone.some((unit) => unit.keys.some((key) => keys.has(key)))),
    )
  );
}

/** The statements of a text, a clause each; a clause of nothing but such words belongs to the one before. */
function partsOf({ units }: Statement): Part[] {
  const clauses = new Map<number, Unit[]>();
  for (const unit of units) clauses.set(unit.clause, [...(clauses.get(unit.clause) ?? []), unit]);
  const parts: { operators: Set<string>; units: Unit[] }[] = [];
  for (const all of clauses.values()) {
    const told = all.filter(({ kind, soft }) => kind !== 'operator' && !soft);
    const operators = all.flatMap(({ kind, keys, soft }) =>
      kind === 'operator' && !soft && MOVABLE.has(keys[0]!) ? [keys[0]!] : [],
    );
    // A figure in brackets is no statement.
    const last = parts.findLast((part) => part.units.some(({ kind }) => kind === 'word' || kind === 'gram'));
    if (told.length === 0 && last) for (const name of operators) last.operators.add(name);
    else parts.push({ operators: new Set(operators), units: told });
  }
  return parts.map((part) => ({ ...part, keys: new Set(part.units.flatMap(({ keys }) => keys)) }));
}
