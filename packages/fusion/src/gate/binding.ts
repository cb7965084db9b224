import { LEANING } from './borders.ts';
import type { Difference } from './coverage.ts';
import { slotOf, valuesOf } from './slots.ts';
import type { Statement, Unit } from './unit.ts';

/** What each key stands with in the clauses of the sources, by kind of value. */
interface Bound {
  values: Set<string>;
  /** It also stands where no value of the kind is. */
  free: boolean;
}

type BindingTable = Map<string, Map<string, Bound>>;

/** The kinds of which the sources have more than one value: only those can change places. */
function contestedSlots(sources: readonly Statement[]): string[] {
  const kinds = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const [slot, units] of valuesOf(source)) {
      const known = kinds.get(slot) ?? new Set<string>();
      kinds.set(slot, known);
      for (const unit of units) known.add(unit.keys[0]!);
    }
  }
  return [...kinds].filter(([, values]) => values.size > 1).map(([slot]) => slot);
}

/**
 * Things that share a clause with another value in the summary than in any source, while their own value stands elsewhere: "eating out 450"
 * where the source has 120.
 */
export function exchangedValues(summary: Statement, sources: readonly Statement[]): Difference[] {
  const contested = contestedSlots(sources);
  if (contested.length === 0) return [];
  const bindings: BindingTable = new Map();
  const names = new Set(summary.units.filter(({ kind }) => kind === 'name').map(({ keys }) => keys[0]!));
  for (const source of sources) bindSource(source, contested, bindings, names);
  const said = valuesOf(summary);
  const lists = listClauses(summary);
  const problems: Difference[] = [];
  for (const unit of summary.units) {
    if (unit.kind === 'operator' || unit.soft) continue;
    const bound = unit.keys.map((key) => bindings.get(key)).find((found) => found !== undefined);
    if (!bound) continue;
    for (const [slot, { values, free }] of bound) {
      if (free || slotOf(unit) === slot || values.size === 0) continue;
      if (leans(unit, summary)) continue;
      if (!standsRight(unit, said.get(slot) ?? [], values, lists, summary))
        problems.push({ kind: 'pairing', value: unit.form });
    }
  }
  return problems;
}

/** Whether the clause of a unit goes on about something named before. */
function leans(unit: Unit, statement: Statement): boolean {
  return LEANING.has(statement.openings.get(unit.clause) ?? '');
}

/** The clause that a clause goes on about: "..., and it stands in the cellar"; null where it speaks for itself. */
function antecedentOf(clause: number, statement: Statement): number | null {
  const before = clause - 1;
  if (statement.sentenceOf.get(before) !== statement.sentenceOf.get(clause)) return null;
  if (LEANING.has(statement.openings.get(clause) ?? '')) return before;
  const first = statement.units.find((unit) => unit.clause === clause && unit.kind !== 'operator');
  const pointing = statement.pronouns.some(
    (pronoun) => pronoun.clause === clause && (!first || pronoun.axis < first.axis),
  );
  return pointing ? before : null;
}

/** @param names keys of the names in the summary: a source may have written them as plain words. */
function bindSource(
  source: Statement,
  contested: readonly string[],
  bindings: BindingTable,
  names: ReadonlySet<string>,
): void {
  const values = valuesOf(source);
  const lists = listClauses(source);
  const antecedents = new Map(
    [...source.openings.keys()].map((clause) => [clause, antecedentOf(clause, source)]),
  );
  for (const unit of source.units) {
    if (unit.kind === 'operator') continue;
    for (const slot of contested) {
      const found = (values.get(slot) ?? []).filter(
        (value) => value !== unit && isListedWith(value, unit, lists),
      );
      if (found.length > 0)
        for (const value of values.get(slot) ?? [])
          if (source.asides.get(value.clause) === unit.clause) found.push(value);
      const antecedent = antecedents.get(unit.clause) ?? null;
      if (
        antecedent !== null &&
        (found.length === 0 || LEANING.has(source.openings.get(unit.clause) ?? ''))
      ) {
        for (const value of values.get(slot) ?? []) if (value.clause === antecedent) found.push(value);
      }
      const written =
        slot === 'name' && found.length > 0
          ? source.units.filter((one) => one.clause === unit.clause && one !== unit && one.kind === 'word')
          : [];
      found.push(...written.filter(({ keys }) => keys.some((key) => names.has(key))));
      for (const key of unit.keys) {
        const bySlot = bindings.get(key) ?? new Map<string, Bound>();
        bindings.set(key, bySlot);
        const known: Bound = bySlot.get(slot) ?? { values: new Set<string>(), free: false };
        bySlot.set(slot, known);
        if (found.length === 0) known.free = true;
        for (const value of found) for (const name of value.keys) known.values.add(name);
      }
    }
  }
}

/** Clauses that hold values of one kind and nothing else: the later items of a list. */
function listClauses(statement: Statement): Map<number, string> {
  const slots = new Map<number, string | null>();
  for (const unit of statement.units) {
    if (unit.kind === 'operator' || unit.soft) continue;
    const slot = slotOf(unit);
    const known = slots.get(unit.clause);
    slots.set(unit.clause, known === undefined || known === slot ? slot : null);
  }
  const lists = new Map<number, string>();
  for (const [clause, slot] of slots) if (slot !== null) lists.set(clause, slot);
  return lists;
}

/** Whether a value stands in the clause of a unit, or goes on a list from there: "speaks Hindi and Tamil". */
function isListedWith(value: Unit, unit: Unit, lists: ReadonlyMap<number, string>): boolean {
  if (value.clause === unit.clause) return true;
  if (value.clause < unit.clause || value.sentence !== unit.sentence || value.clause - unit.clause > 8)
    return false;
  for (let clause = unit.clause + 1; clause <= value.clause; clause += 1) {
    if (lists.get(clause) !== slotOf(value)) return false;
  }
  return true;
}

function standsRight(
  unit: Unit,
  values: readonly Unit[],
  bound: ReadonlySet<string>,
  lists: ReadonlyMap<number, string>,
  summary: Statement,
): boolean {
  const isBound = (value: Unit): boolean => value.keys.some((key) => bound.has(key));
  if (!values.some(isBound)) return true;
  let here = values.filter(
    (value) =>
      value !== unit &&
      (isListedWith(value, unit, lists) || summary.asides.get(value.clause) === unit.clause),
  );
  if (here.length === 0) {
    const antecedent = antecedentOf(unit.clause, summary);
    here = values.filter(({ clause }) => clause === antecedent);
  }
  return here.length === 0 || here.some(isBound);
}
