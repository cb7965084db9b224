import { LEANING } from './borders.ts';
import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

/**
 * Two statements of the sources whose words are dealt crosswise to two clauses of the summary: "window seats on trains, aisle seats on
 * planes" told as "aisle seats on trains and window seats on planes".
 */
export function crossedStatements(summary: Statement, sources: readonly Statement[]): Difference[] {
  const clauses = sources.flatMap(clausesOf).filter((keys) => keys.size > 1);
  if (clauses.length > MAX_CLAUSES) return [{ kind: 'pairing', value: '' }];
  const whole = sources.map(({ units }) => keysOf(units));
  const changed = sources.flatMap(changedParts).filter((keys) => keys.size > 1);
  return [
    ...crossedIn(segmentsOf(summary, false), clauses, false),
    ...crossedIn(segmentsOf(summary, true), whole, true),
    ...crossedIn(partsOf(summary), changed, false),
    ...splitStatements(summary, sources),
  ];
}

/** @param apart leaves out pairs that have two things in common: they may tell of both by turns. */
function crossedIn(
  said: readonly Unit[][],
  clauses: readonly ReadonlySet<string>[],
  apart: boolean,
): Difference[] {
  const problems: Difference[] = [];
  for (const [index, one] of clauses.entries()) {
    for (const other of clauses.slice(index + 1)) {
      if (apart && sharedCount(one, other) > 1) continue;
      const crossed = crossing(one, other, said, clauses);
      if (crossed) problems.push({ kind: 'pairing', value: crossed.form });
    }
  }
  return problems;
}

/**
 * Two statements side by side of which one has taken a part of the other: "takes the train to work when it rains, otherwise cycles" told as
 * "cycles to work when it rains, otherwise takes the train". Only where both are told in clauses of nothing else.
 */
function splitStatements(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const said = segmentsOf(summary, false)
    .map((units) => units.filter(isWord))
    .filter((units) => units.length > 0);
  return sources.flatMap((source) => {
    const clauses = segmentsOf(source, false).map((units) => units.filter(isWord));
    return clauses.flatMap((one, at) =>
      [clauses[at - 1], clauses[at + 1]].flatMap((other): Difference[] => {
        if (!other || !isSplit(one, other, said)) return [];
        return [{ kind: 'pairing', value: one[0]!.form }];
      }),
    );
  });
}

function isWord({ kind, person, keys }: Unit): boolean {
  return kind === 'word' && person === null && keys[0] !== 'user';
}

function isSplit(one: readonly Unit[], other: readonly Unit[], said: readonly (readonly Unit[])[]): boolean {
  const has = (units: readonly Unit[], unit: Unit): boolean =>
    units.some(({ keys }) => keys.some((key) => unit.keys.includes(key)));
  const mine = one.filter((unit) => !has(other, unit));
  const theirs = other.filter((unit) => !has(one, unit));
  if (mine.length < 2 || !mine.some(({ verbal }) => verbal) || !theirs.some(({ verbal }) => verbal))
    return false;
  const near = said.filter((units) => units.every((unit) => has(one, unit) || has(other, unit)));
  return near.some((first) => {
    const rest = mine.filter((unit) => !has(first, unit));
    // The greater part of it, or the words have only been told in another order.
    if (rest.length === 0 || rest.length * 2 > mine.length || !theirs.every((unit) => has(first, unit)))
      return false;
    return near.some(
      (second) =>
        Math.abs(second[0]!.clause - first[0]!.clause) === 1 &&
        rest.every((unit) => has(second, unit)) &&
        !theirs.some((unit) => has(second, unit)),
    );
  });
}

const MAX_CLAUSES = 120;

/** How many things two statements have in common; a word and its spelling count once. */
function sharedCount(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let words = 0;
  let names = 0;
  for (const key of one) {
    if (!other.has(key)) continue;
    if (key.startsWith('=')) names += 1;
    else words += 1;
  }
  return Math.max(words, names);
}

function keysOf(units: readonly Unit[]): Set<string> {
  const keys = new Set<string>();
  for (const unit of units)
    if (unit.kind !== 'operator' && !unit.soft) for (const key of unit.keys) keys.add(key);
  return keys;
}

/** The units of each clause. @param leaning whether a clause that opens with a relative word belongs to the one before. */
function segmentsOf(summary: Statement, leaning: boolean): Unit[][] {
  const segments = new Map<number, Unit[]>();
  let segment = -1;
  let clause = -1;
  for (const unit of summary.units) {
    if (unit.clause !== clause) {
      clause = unit.clause;
      const opening = summary.openings.get(clause) ?? '';
      if (!leaning || segment === -1 || !(LEANING.has(opening) || opening === 'except')) segment = clause;
    }
    if (unit.kind === 'operator' || (unit.soft && (!unit.frame || leaning))) continue;
    const same = segments.get(segment);
    if (same) same.push(unit);
    else segments.set(segment, [unit]);
  }
  return [...segments.values()];
}

/** Words that open a statement of their own in the middle of a clause: "lost after winning". */
const OPENING = new Set([
  'op:after',
  'op:before',
  'op:because',
  'op:if',
  'op:unless',
  'op:until',
  'op:since',
  'op:than',
]);
/** Words that only join, or that may stand on either side. */
const JOINING = new Set(['op:or', 'op:because', 'op:about', 'op:need', 'op:also', 'op:since']);

/**
 * The units of each statement, with the words that change it: "must not eat before the operation" and "may eat broth after it" have them to tell
 * one from the other.
 */
function partsOf({ units }: Statement): Unit[][] {
  const parts: Unit[][] = [];
  let clause = -1;
  for (const unit of units) {
    const opens = unit.kind === 'operator' && OPENING.has(unit.keys[0]!);
    if (unit.clause !== clause || opens || parts.length === 0) parts.push([]);
    clause = unit.clause;
    if (JOINING.has(unit.keys[0]!) || (unit.soft && !unit.frame)) continue;
    parts.at(-1)!.push(unit);
  }
  return parts.filter((part) => part.length > 0);
}

function changedParts(source: Statement): Set<string>[] {
  return partsOf(source).map((part) => new Set(part.flatMap(({ keys }) => keys)));
}

/** The keys of each clause. */
function clausesOf(statement: Statement): Set<string>[] {
  const clauses = new Map<number, Set<string>>();
  for (const unit of statement.units) {
    if (unit.kind === 'operator' || (unit.soft && !unit.frame)) continue;
    const known = clauses.get(unit.clause) ?? new Set<string>();
    clauses.set(unit.clause, known);
    for (const key of unit.keys) known.add(key);
  }
  for (const clause of statement.elided) clauses.get(clause)?.add('user');
  return [...clauses.values()];
}

/** A unit of one statement that stands in a clause with words of the other, while the rest of both stands crosswise in a second clause. */
function crossing(
  one: ReadonlySet<string>,
  other: ReadonlySet<string>,
  said: readonly Unit[][],
  clauses: readonly ReadonlySet<string>[],
): Unit | null {
  let first: Unit | null = null;
  for (const units of said) {
    const mine = units.find(
      (unit) => isOnly(unit, one, other) && !isElsewhere(unit, one, units, clauses, said),
    );
    const theirs =
      mine &&
      units.find((unit) => isOnly(unit, other, one) && !isElsewhere(unit, other, units, clauses, said));
    if (!mine || !theirs) continue;
    if (first) return first;
    first = mine;
  }
  return null;
}

function isOnly(unit: Unit, one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return unit.keys.some((key) => one.has(key)) && !unit.keys.some((key) => other.has(key));
}

/** Whether a third statement, of which the clause holds more, brought the unit there. */
function isElsewhere(
  unit: Unit,
  owner: ReadonlySet<string>,
  units: readonly Unit[],
  clauses: readonly ReadonlySet<string>[],
  said: readonly (readonly Unit[])[],
): boolean {
  const held = countIn(units, owner);
  return clauses.some(
    (third) =>
      third !== owner &&
      unit.keys.some((key) => third.has(key)) &&
      countIn(units, third) > held &&
      !isToldElsewhere(third, units, said),
  );
}

/** Whether another clause of the summary holds more of a statement: then the statement is told there. */
function isToldElsewhere(
  third: ReadonlySet<string>,
  units: readonly Unit[],
  said: readonly (readonly Unit[])[],
): boolean {
  const held = countIn(units, third);
  return said.some((other) => other !== units && countIn(other, third) > held);
}

function countIn(units: readonly Unit[], keys: ReadonlySet<string>): number {
  let count = 0;
  for (const unit of units) if (unit.keys.some((key) => keys.has(key))) count += 1;
  return count;
}

/**
 * Words that the summary repeats beside something that no source puts them with: "a truck accident" where the sources have a truck driver and
 * an accident.
 */
export function novelNeighbours(summary: Statement, sources: readonly Statement[]): Difference[] {
  const clauses = sources.flatMap(clausesOf);
  const told = new Map<string, number>();
  for (const { keys } of summary.units) told.set(keys[0]!, (told.get(keys[0]!) ?? 0) + 1);
  const problems: Difference[] = [];
  for (let at = 0; at + 1 < summary.units.length; at += 1) {
    const [one, other] = [summary.units[at]!, summary.units[at + 1]!];
    if (other.axis - one.axis > 0.05 || [one, other].some((unit) => unit.soft || unit.kind === 'operator'))
      continue;
    if (
      clauses.some((keys) => one.keys.some((key) => keys.has(key)) && other.keys.some((key) => keys.has(key)))
    )
      continue;
    const repeated = [one, other].some((unit) => {
      const had = clauses.filter((keys) => unit.keys.some((key) => keys.has(key))).length;
      return had > 0 && (told.get(unit.keys[0]!) ?? 0) > had;
    });
    if (repeated) problems.push({ kind: 'pairing', value: `${one.form} ${other.form}` });
  }
  return problems;
}
