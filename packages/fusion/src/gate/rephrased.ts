import { lemmaOf } from './lemma.ts';
import { following, isOpen, isUser } from './targets.ts';
import { type Statement, sharesKey, type Unit } from './unit.ts';

const GOALS = new Set(['goal', 'aim', 'dream', 'wish', 'target', 'resolution'].map(lemmaOf));
/** What an assistant brings: how it should come is how the user would like it. */
const BROUGHT = new Set(
  ['reminder', 'answer', 'reply', 'summary', 'translation', 'notification', 'alert', 'draft'].map(lemmaOf),
);
const MARRY = lemmaOf('marry');
const RELATIVE = new Set(['who', 'which', 'whose']);

/** Whether a summary says with other means what a word of a source does that changes a statement. In doubt it does not. */
export function isRephrased(operator: Unit, source: Statement, summary: Statement): boolean {
  const index = source.units.indexOf(operator);
  if (index === -1) return false;
  switch (operator.keys[0]) {
    case 'op:until':
      return summary.units.some(({ before }) => before === 'to' || before === 'through');
    case 'op:since':
      return isMarriedIn(index, source, summary);
    case 'op:want':
      return isGoal(index, source, summary);
    case 'op:should':
      return isWished(index, source, summary);
    case 'op:because':
      return isRelative(index, source, summary);
    case 'op:than':
      return isNamedBefore(index, source, summary);
    case 'op:if':
      return isAttribute(index, source, summary);
    case 'op:after':
      return isFollowed(index, source, summary);
    default:
      return false;
  }
}

/** "married since 2011" is "married in 2011". */
function isMarriedIn(index: number, source: Statement, summary: Statement): boolean {
  const day = source.units[index + 1];
  const { clause } = source.units[index]!;
  const married = (units: readonly Unit[], at: number): boolean =>
    units.some((unit) => unit.clause === at && unit.keys[0] === MARRY);
  if (day?.kind !== 'date' || !married(source.units, clause)) return false;
  return summary.units.some(
    (unit) => sharesKey(unit, day) && unit.before === 'in' && married(summary.units, unit.clause),
  );
}

/** "My goal: I want to lose weight" is "the goal is to lose weight". */
function isGoal(index: number, source: Statement, summary: Statement): boolean {
  const operator = source.units[index]!;
  const [head] = following(source, index);
  const has = (units: readonly Unit[]): boolean => units.some(({ keys }) => GOALS.has(keys[0]!));
  if (!head || !has(source.units.filter(({ sentence }) => sentence === operator.sentence))) return false;
  return summary.units.some(
    (unit) => sharesKey(unit, head) && has(summary.units.filter(({ clause }) => clause === unit.clause)),
  );
}

/** "Reminders for bills should come in the morning" is "user would like reminders of bills in the morning". */
function isWished(index: number, source: Statement, summary: Statement): boolean {
  const { clause, sentence } = source.units[index]!;
  const told = source.units.filter((unit) => unit.sentence === sentence && !unit.soft);
  const [subject] = told;
  const plain = told.every((unit) => unit.kind !== 'operator' || unit === source.units[index]);
  const comes = source.units[index + 1];
  if (!subject || !BROUGHT.has(subject.keys[0]!) || subject.clause !== clause || !plain) return false;
  if (comes?.soft !== true || comes.clause !== clause) return false;
  return summary.units.some((wish, at) => {
    if (wish.keys[0] !== 'op:want') return false;
    const his = summary.userAt.some(
      (user) => user.clause === wish.clause && user.word < wish.word && !user.possessive,
    );
    const rest = told.filter((unit) => unit.kind !== 'operator');
    const there = summary.units.filter((unit) => unit.sentence === wish.sentence);
    return (
      his &&
      sharesKey(summary.units[at + 1] ?? wish, subject) &&
      rest.every((one) => there.some((unit) => sharesKey(unit, one)))
    );
  });
}

/** "replaces Lotte because Lotte has a cold" is "replaces Lotte, who has a cold". */
function isRelative(index: number, source: Statement, summary: Statement): boolean {
  const [subject, ...said] = following(source, index);
  if (!subject || said.length === 0 || subject.kind !== 'name' || isOpen(source, source.units[index]!))
    return false;
  return summary.units.some((unit, at) => {
    const next = summary.units[at + 1];
    if (!next || next.clause === unit.clause || next.sentence !== unit.sentence || !sharesKey(unit, subject))
      return false;
    if (!RELATIVE.has(summary.openings.get(next.clause) ?? '')) return false;
    const inside = summary.units.filter(({ clause }) => clause === next.clause);
    return said.every((one) => inside.some((other) => sharesKey(one, other)));
  });
}

/** "dislikes decaf and would rather drink nothing than decaf": what it is compared with was named just before. */
function isNamedBefore(index: number, source: Statement, summary: Statement): boolean {
  const operator = source.units[index]!;
  const targets = following(source, index);
  const earlier = source.units.slice(0, index).filter(({ sentence }) => sentence === operator.sentence);
  const compared = earlier.findLast((unit) => !isUser(unit));
  if (targets.length !== 1 || !compared || !earlier.some((unit) => sharesKey(unit, targets[0]!)))
    return false;
  return summary.units.some((unit, at) => {
    if (!sharesKey(unit, compared)) return false;
    return summary.units
      .slice(0, at)
      .some((other) => other.sentence === unit.sentence && sharesKey(other, targets[0]!));
  });
}

/** "oats if they are certified" is "certified oats"; "if the flight is shorter than" is "for flights shorter than". */
function isAttribute(index: number, source: Statement, summary: Statement): boolean {
  const operator = source.units[index]!;
  const targets = following(source, index);
  const [head] = targets;
  const main = source.units
    .slice(0, index)
    .filter(({ sentence, kind }) => sentence === operator.sentence && kind !== 'operator');
  if (!head || main.length === 0) return false;
  const open = isOpen(source, operator);
  return summary.units.some((unit, at) => {
    if (!sharesKey(unit, head)) return false;
    const next = summary.units[at + 1];
    if (!next || next.clause !== unit.clause) return false;
    if (open)
      return targets.length === 1 && next.word === unit.word + 1 && main.some((one) => sharesKey(one, next));
    const after = source.units[source.units.indexOf(head) + 1];
    return (
      unit.before === 'for' &&
      after !== undefined &&
      sharesKey(after, next) &&
      main.some((one) => summary.keys.has(one.keys[0]!))
    );
  });
}

/** "After the operation: exercises" is "the operation, followed by exercises". */
function isFollowed(index: number, source: Statement, summary: Statement): boolean {
  const operator = source.units[index]!;
  const [head] = following(source, index);
  if (!head) return false;
  return summary.units.some(({ form, sentence }, at) => {
    const next = summary.units[at + 1];
    if (form !== 'followed' || next?.before !== 'by' || next.sentence !== sentence || sharesKey(next, head))
      return false;
    const known = source.units.some(
      (unit) => unit.sentence === operator.sentence && unit !== head && sharesKey(unit, next),
    );
    const before = summary.units
      .slice(0, at)
      .some((unit) => unit.sentence === sentence && sharesKey(unit, head));
    const later = summary.units.slice(at).some((unit) => unit.sentence === sentence && sharesKey(unit, head));
    return known && before && !later;
  });
}
