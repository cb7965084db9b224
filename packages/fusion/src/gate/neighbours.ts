import type { Difference } from './coverage.ts';
import { isAtomKind, type Statement, type Unit } from './unit.ts';

/** Two things stand side by side, a value and what it is said of: by the one the other, both ways. */
interface Neighbours {
  after: Map<string, Set<string>>;
  pairs: { one: Unit; other: Unit }[];
}

function neighboursOf(statements: readonly Statement[]): Neighbours {
  const after = new Map<string, Set<string>>();
  const pairs: Neighbours['pairs'] = [];
  for (const { units } of statements) {
    const said = units.filter(({ kind }) => kind !== 'operator');
    for (let at = 0; at + 1 < said.length; at += 1) {
      const [one, other] = [said[at]!, said[at + 1]!];
      if (other.axis - one.axis > 0.05 || isAtom(one) === isAtom(other)) continue;
      pairs.push({ one, other });
      const known = after.get(one.keys[0]!) ?? new Set<string>();
      after.set(one.keys[0]!, known.add(other.keys[0]!));
    }
  }
  return { after, pairs };
}

function isAtom({ kind }: Unit): boolean {
  return isAtomKind(kind) && kind !== 'name';
}

/**
 * Two values that have changed places between the things right beside them: "Oriente 09:39 to Campanhã 12:50" told as "Campanhã 09:39 to
 * Oriente 12:50".
 */
export function exchangedNeighbours(summary: Statement, sources: readonly Statement[]): Difference[] {
  const told = neighboursOf(sources);
  const said = neighboursOf([summary]);
  const isTold = (one: string, other: string): boolean => told.after.get(one)?.has(other) === true;
  const problems: Difference[] = [];
  const fresh = said.pairs.filter(({ one, other }) => !isTold(one.keys[0]!, other.keys[0]!));
  const byOther = new Map<string, Set<string>>();
  for (const { one, other } of fresh)
    byOther.set(other.keys[0]!, (byOther.get(other.keys[0]!) ?? new Set<string>()).add(one.keys[0]!));
  for (const { one, other } of fresh) {
    for (const own of told.after.get(one.keys[0]!) ?? []) {
      const others = byOther.get(own);
      if (others && [...others].some((key) => key !== one.keys[0] && isTold(key, other.keys[0]!)))
        problems.push({ kind: 'pairing', value: other.form });
    }
  }
  return problems;
}

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
