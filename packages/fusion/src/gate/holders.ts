import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

/**
 * Whose each thing is, in languages whose sentences are not taken apart: what a source says after the name of somebody may not stand after
 * the name of somebody else in the summary.
 */
type Holders = ReadonlyMap<Unit, ReadonlySet<string>>;

/** Names that stand side by side in a list are one group: the distance of two neighbours over a comma or an "and". */
const LISTED = 1.2;

export function misheldFacts(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language === 'en') return [];
  const named = new Set([summary, ...sources].flatMap(({ named }) => [...named]));
  if (named.size < 2) return [];
  const bound = new Map<string, Set<string>>();
  const free = new Set<string>();
  for (const source of sources) {
    const holders = holdersOf(source, named, true);
    for (const unit of source.units) {
      if (!isHeld(unit, named)) continue;
      const here = holders.get(unit);
      for (const key of unit.keys) {
        if (!here || here.size === 0) free.add(key);
        const known = bound.get(key) ?? new Set<string>();
        bound.set(key, known);
        for (const name of here ?? []) known.add(name);
      }
    }
  }
  const problems: Difference[] = [];
  for (const [unit, here] of holdersOf(summary, named, false)) {
    if (!isHeld(unit, named) || here.size === 0 || unit.keys.some((key) => free.has(key))) continue;
    const wanted = unit.keys.flatMap((key) => [...(bound.get(key) ?? [])]);
    if (wanted.length > 0 && !wanted.some((name) => here.has(name)))
      problems.push({ kind: 'pairing', value: unit.form });
  }
  return problems;
}

function isHeld(unit: Unit, named: ReadonlySet<string>): boolean {
  return unit.kind !== 'operator' && !unit.soft && nameOf(unit, named) === null;
}

function nameOf(unit: Unit, named: ReadonlySet<string>): string | null {
  return unit.keys.find((key) => named.has(key)) ?? null;
}

/**
 * The names with which each unit stands: the last one before it in its clause, the first one after it there ("his brother Jan"), or else the
 * last one before it in its sentence.
 *
 * @param wide names of the same clause count as well: somebody may be named beside the one who is meant.
 */
function holdersOf(statement: Statement, named: ReadonlySet<string>, wide: boolean): Holders {
  const holders = new Map<Unit, Set<string>>();
  const groups = groupsOf(statement.units, named);
  for (const unit of statement.units) {
    const here = groups.filter(({ sentence }) => sentence === unit.sentence);
    const near = here.filter(({ clause }) => clause === unit.clause);
    const group =
      near.findLast(({ from }) => from <= unit.axis) ??
      near[0] ??
      here.findLast(({ from }) => from <= unit.axis);
    const found = new Set(group?.names);
    if (wide) for (const { names } of near) for (const name of names) found.add(name);
    holders.set(unit, found);
  }
  return holders;
}

interface Group {
  names: string[];
  from: number;
  to: number;
  clause: number;
  sentence: number;
}

function groupsOf(units: readonly Unit[], named: ReadonlySet<string>): Group[] {
  const groups: Group[] = [];
  let before: Unit | null = null;
  for (const unit of units) {
    const name = nameOf(unit, named);
    const last = groups.at(-1);
    if (name !== null) {
      const goesOn =
        last &&
        before &&
        nameOf(before, named) !== null &&
        last.sentence === unit.sentence &&
        unit.axis - last.to < LISTED;
      if (goesOn) {
        last.names.push(name);
        last.to = unit.axis;
      } else
        groups.push({
          names: [name],
          from: unit.axis,
          to: unit.axis,
          clause: unit.clause,
          sentence: unit.sentence,
        });
    }
    before = unit;
  }
  return groups;
}
