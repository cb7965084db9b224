import type { Difference } from './coverage.ts';
import { areLabelled, labelsIn } from './labels.ts';
import { listedTogether, slotOf, valuesOf } from './slots.ts';
import type { Statement, Unit } from './unit.ts';

const MARGIN = 0.005;
/** Pairs of values beyond this number are not compared one by one: the summary is refused. */
const MAX_PAIRS = 1_000;
/** How many of the words next to a value tell which one it is. */
const CONTEXT = 4;

interface Value {
  unit: Unit;
  /** The units around it in its source, nearest first. */
  around: Unit[];
  /** Those of another kind. */
  others: ReadonlySet<Unit>;
}

/**
 * Two values of one kind that fit their sources better, or as well, when they change places in the summary: Ann's birthday on Bob's day.
 * Each value is told by the words around it in its source that the other does not have around it.
 */
export function swappedValues(summary: Statement, sources: readonly Statement[]): Difference[] {
  const bySlot = new Map<string, Value[]>();
  const listed = listedTogether(sources);
  for (const source of sources) {
    for (const [slot, units] of valuesOf(source, listed)) {
      const known = bySlot.get(slot) ?? [];
      bySlot.set(slot, known);
      for (const unit of units) {
        const around = contextOf(unit, source);
        const others = around.filter(
          (other) => (slotOf(other) ?? listed.get(other.keys[0]!) ?? null) !== slot,
        );
        known.push({ unit, around, others: new Set(others) });
      }
    }
  }
  const places = placesOf(summary);
  const [labels, saidLabels] = [labelsIn(sources), labelsIn([summary])];
  const problems: Difference[] = [];
  let pairs = 0;
  for (const [slot, values] of bySlot) {
    for (const [index, one] of values.entries()) {
      for (const other of values.slice(index + 1)) {
        pairs += 1;
        if (pairs > MAX_PAIRS) return [{ kind: 'pairing', value: '' }];
        if (isEqual(one.unit, other.unit) || isOneName(one, other, slot, values)) continue;
        if (areLabelled(one.unit, other.unit, labels, saidLabels)) continue;
        if (isSwapped(one, other, values, places)) problems.push({ kind: 'pairing', value: one.unit.form });
      }
    }
  }
  return problems;
}

/** The same value; a day is also one without its year. */
function isEqual(one: Unit, other: Unit): boolean {
  if (one.keys.some((key) => other.keys.includes(key))) return true;
  return (
    one.kind === 'date' &&
    other.kind === 'date' &&
    one.form.replace(/^\d{4}/, '-') === other.form.replace(/^\d{4}/, '-')
  );
}

/** Parts of one name or number ("Wärme Krüger", "88-4410"), or two names of one clause, which nothing but their order tells apart. */
function isOneName(one: Value, other: Value, slot: string, all: readonly Value[]): boolean {
  if (slot === 'name' && isBeside(one, other, all)) return true;
  if (!one.around.includes(other.unit)) return false;
  return Math.abs(one.unit.word - other.unit.word) <= 2;
}

/** Whether some clause of the sources has both. */
function isBeside(one: Value, other: Value, all: readonly Value[]): boolean {
  return all.some(
    ({ unit, around }) =>
      unit.keys[0] === one.unit.keys[0] &&
      around.some(({ keys, clause }) => clause === unit.clause && keys[0] === other.unit.keys[0]),
  );
}

function contextOf(unit: Unit, source: Statement): Unit[] {
  return source.units
    .filter(
      (other) =>
        other !== unit && other.kind !== 'operator' && other.sentence === unit.sentence && !other.soft,
    )
    .sort((one, other) => Math.abs(one.axis - unit.axis) - Math.abs(other.axis - unit.axis))
    .slice(0, CONTEXT * 2);
}

function placesOf(statement: Statement): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const { keys, axis } of statement.units) {
    for (const key of keys) {
      const known = places.get(key);
      if (known) known.push(axis);
      else places.set(key, [axis]);
    }
  }
  return places;
}

function isSwapped(
  one: Value,
  other: Value,
  all: readonly Value[],
  places: ReadonlyMap<string, number[]>,
): boolean {
  const mine = ownContext(one, other, all);
  const theirs = ownContext(other, one, all);
  if (mine.length + theirs.length === 0) return false;
  const [here, there] = [axesOf(one.unit, places), axesOf(other.unit, places)];
  if (here.length === 0 || there.length === 0) return false;
  let compared = 0;
  for (const [context, own, foreign] of [
    [mine, here, there],
    [theirs, there, here],
  ] as const) {
    let told = 0;
    let turned = 0;
    for (const unit of context) {
      const axes = axesOf(unit, places);
      if (axes.length === 0) continue;
      told += distance(axes, own);
      turned += distance(axes, foreign);
    }
    if (told === 0) continue;
    if (turned > told + MARGIN) return false;
    compared += 1;
  }
  return compared === 2;
}

/** The context of one value that the other, and every equal of the other, does not share. */
function ownContext(one: Value, other: Value, all: readonly Value[]): Unit[] {
  const equals = all.filter((value) => value.unit.keys.some((key) => other.unit.keys.includes(key)));
  const unshared = (reach: number): Unit[] => {
    const shared = new Set(
      equals.flatMap(({ around }) => around.slice(0, reach).flatMap(({ keys }) => keys)),
    );
    return one.around
      .filter((unit) => one.others.has(unit) && !unit.keys.some((key) => shared.has(key)))
      .slice(0, CONTEXT);
  };
  const far = unshared(CONTEXT * 2);
  const own = far.length > 0 ? far : unshared(CONTEXT);
  // Values move together (a day and its hour): what does not move tells more.
  const fixed = own.filter((unit) => slotOf(unit) === null || unit.kind === 'word');
  return fixed.length > 0 ? fixed : own;
}

function axesOf(unit: Unit, places: ReadonlyMap<string, number[]>): number[] {
  for (const key of unit.keys) {
    const axes = places.get(key);
    if (axes) return axes;
  }
  return [];
}

function distance(one: readonly number[], other: readonly number[]): number {
  let best = Number.POSITIVE_INFINITY;
  for (const a of one) for (const b of other) best = Math.min(best, Math.abs(a - b));
  return best;
}
