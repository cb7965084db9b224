import { DENYING, LISTING } from './lexicon/classes.ts';
import type { Statement, Unit } from './unit.ts';

/** What a word that changes a statement acts on reaches so far. */
const REACH = 5;

/** What follows in the clause, and in the clauses that go on with a list; what stands before, where nothing follows. */
export function following(statement: Statement, index: number): Unit[] {
  const { units } = statement;
  const operator = units[index]!;
  // Turkish puts it behind: "uçakla değil".
  if (operator.form === 'değil' && units[index - 1]?.clause === operator.clause) return [units[index - 1]!];
  const english = statement.language === 'en';
  const lists = english && LISTING.has(operator.keys[0]!.slice(3));
  const targets: Unit[] = [];
  let { clause } = operator;
  let skipped = -1;
  for (let at = index + 1; at < units.length && targets.length < REACH; at += 1) {
    const unit = units[at]!;
    if (unit.sentence !== operator.sentence) break;
    if (unit.clause === skipped) continue;
    if (unit.clause !== clause && unit.keys[0] !== 'op:or') {
      const opening = statement.openings.get(unit.clause) ?? '';
      const aside = targets.length > 0 && isApposition(statement, at);
      if (lists && (opening === 'which' || opening === 'who' || aside)) {
        skipped = unit.clause;
        continue;
      }
      const goesOn =
        units[at - 1]?.keys[0] === 'op:or' || (lists && !statement.verbalClauses.has(unit.clause));
      if (!goesOn) break;
    }
    clause = unit.clause;
    if (unit.kind === 'operator') {
      // "no longer drinks coffee after 2 pm": the hour is denied with it.
      const timed = english && DENYING.has(operator.keys[0]!.slice(3)) && isTimed(units, at);
      if (unit.keys[0] !== 'op:or' && targets.length > 0 && !timed) break;
    } else if (isTarget(unit)) targets.push(unit);
  }
  const before = units[index - 1];
  // "would drink nothing", "suggest no bars": what is denied stands in front.
  const behind = before !== undefined && before.clause === operator.clause && before.kind === 'word';
  if (behind && (operator.form === 'nothing' ? before.verbal : english && isBesideNo(before, operator)))
    targets.unshift(before);
  return targets.length > 0 ? targets : around(units, index);
}

/** What goes on behind "the old address, 6 Bread Street, for deliveries". */
const GOING_ON = new Set(['for', 'in', 'on', 'at', 'to', 'with', 'from', 'by']);

/** Whether a clause, from its first unit on, is nothing but names and numbers, and what stood before it goes on behind. */
function isApposition({ units, openings, sentenceOf }: Statement, from: number): boolean {
  const { clause, sentence } = units[from]!;
  if (sentenceOf.get(clause + 1) !== sentence || !GOING_ON.has(openings.get(clause + 1) ?? '')) return false;
  let at = from;
  while (units[at]?.kind === 'name' || units[at]?.kind === 'number') {
    if (units[at]!.clause !== clause) return true;
    at += 1;
  }
  return at > from && units[at]?.clause !== clause;
}

/** The copula before a predicate. */
const IS = new Set(['is', 'are', 'was', 'were']);

/** "The old address was 6 Bread Street, don't use it": what a pronoun behind an operator stands for, where the clause before speaks of one thing only. */
export function pointedAt({ units, sentenceOf, pronouns }: Statement, operator: Unit): Unit[] {
  const clause = operator.clause - 1;
  const points = pronouns.some(
    ({ form, axis, clause: own }) =>
      form === 'it' && own === operator.clause && axis > operator.axis && axis < operator.axis + 0.1,
  );
  if (!points || sentenceOf.get(clause) !== operator.sentence) return [];
  const before = units.filter((unit) => unit.clause === clause);
  const one = before.every(({ kind, verbal, person }) => kind !== 'operator' && !verbal && person === null);
  return one && before.filter((unit) => IS.has(unit.before)).length === 1 ? before : [];
}

/** "after 2 pm", "before May": an hour or a day right behind. */
function isTimed(units: readonly Unit[], at: number): boolean {
  const next = units[at + 1];
  const bound = ['op:after', 'op:before', 'op:until'].includes(units[at]!.keys[0]!);
  return bound && (next?.kind === 'time' || next?.kind === 'date') && next.clause === units[at]!.clause;
}

/** A verb right before the "no" that denies its object. */
function isBesideNo(before: Unit, operator: Unit): boolean {
  return (
    (operator.form === 'no' || operator.form === 'none') &&
    operator.word - before.word === 1 &&
    isTarget(before)
  );
}

/** "can" says nothing of what is denied or wanted. */
function isTarget(unit: Unit): boolean {
  return !isUser(unit) && unit.keys[0] !== 'can';
}

export function isUser(unit: Unit): boolean {
  return unit.keys[0] === 'user';
}

export function around(units: readonly Unit[], index: number): Unit[] {
  const operator = units[index]!;
  return units
    .filter((unit) => unit.kind !== 'operator' && unit.clause === operator.clause && isTarget(unit))
    .sort((one, other) => Math.abs(one.axis - operator.axis) - Math.abs(other.axis - operator.axis))
    .slice(0, REACH);
}

/** Whether a pronoun stands right behind an operator: it acts on something named before. */
export function isOpen(statement: Statement, operator: Unit): boolean {
  return statement.pronouns.some(
    ({ axis, clause }) =>
      clause === operator.clause && axis > operator.axis && axis < operator.axis + POINTING,
  );
}

/** "before it" and "before which" are nearer than this. */
const POINTING = 0.7;

/** Whether two lists of units have one in common. */
export function sharesTarget(targets: readonly Unit[], wanted: readonly Unit[]): boolean {
  return targets.some((unit) => wanted.some((other) => unit.keys.some((key) => other.keys.includes(key))));
}
