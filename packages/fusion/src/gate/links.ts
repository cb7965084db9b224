import { lemmaOf } from './lemma.ts';
import { isOpen, isUser } from './targets.ts';
import { type Statement, sharesKey, type Unit } from './unit.ts';

/** Two things that a statement ties: a cause and what comes of it, or what happens first and what happens after it. */
export interface Link {
  first: Unit[];
  second: Unit[];
  /** The word stands in front of the second ("so", "afterwards"), not of the first ("because", "after"). */
  back: boolean;
}

const LINKING = new Set(['op:because', 'op:after']);
const BACK = new Set(
  'so|therefore|thus|hence|consequently|as a result|which is why|that s why|leading to|resulting in|afterwards|then'.split(
    '|',
  ),
);
const ASIDE = new Set(['which', 'who', 'whose', 'where']);
const JOINED = new Set(['and', 'or', 'but']);
/** Words that open a statement with a subject of its own. */
const SUBJECTS = new Set('he she it they i we the my her his their our its this user there'.split(' '));
/** What asks for a reason when it is said. */
const ASKING = new Set(['op:not', 'op:never', 'op:nolonger', 'op:avoid', 'op:refuse', 'op:fail']);

const BADLY = lemmaOf('badly');

/** What a word for a reason or for what came before ties; null where its two sides cannot be told apart. */
export function linkOf(statement: Statement, operator: Unit): Link | null {
  if (statement.language !== 'en' || !LINKING.has(operator.keys[0]!)) return null;
  const { units } = statement;
  const index = units.indexOf(operator);
  const pointing = operator.form === 'after' && isPointing(statement, operator);
  const back = BACK.has(operator.form) || pointing;
  const before = nearBefore(statement, index);
  const after = nearAfter(statement, index);
  if (back) {
    const trailing = operator.form === 'afterwards' && !clauseAfter(units, index);
    const own = trailing ? units.slice(0, index).filter(({ clause }) => clause === operator.clause) : [];
    const main = mainUnits(statement);
    const first = trailing ? lastClause(main, main.indexOf(operator), operator.clause) : before;
    return linkBetween(first, trailing ? own : after, true);
  }
  const opens = !units.slice(0, index).some((unit) => unit.sentence === operator.sentence && isSaid(unit));
  return linkBetween(after, opens ? nextStatement(statement, index) : before, false);
}

function linkBetween(first: readonly Unit[], second: readonly Unit[], back: boolean): Link | null {
  return first.some(isSaid) && second.some(isSaid) ? { first: [...first], second: [...second], back } : null;
}

/** "after which", "after that": a pronoun right behind, for what was said before. */
function isPointing(statement: Statement, operator: Unit): boolean {
  const next = statement.units.find((unit) => unit.axis > operator.axis && isSaid(unit));
  return (
    isOpen(statement, operator) &&
    statement.pronouns.some(
      ({ axis }) => axis > operator.axis && axis < operator.axis + 0.7 && (!next || axis < next.axis),
    )
  );
}

function isSaid(unit: Unit): boolean {
  return unit.kind !== 'operator' && !unit.soft;
}

function clauseAfter(units: readonly Unit[], index: number): boolean {
  const { clause } = units[index]!;
  return units.slice(index + 1).some((unit) => unit.clause === clause && isSaid(unit));
}

/** The units before a word in its clause, or those of the nearest clause before it. */
function nearBefore({ units }: Statement, index: number): Unit[] {
  const { clause } = units[index]!;
  const here = units.slice(0, index).filter((unit) => unit.clause === clause && unit.kind !== 'operator');
  return here.some(isSaid) ? here : lastClause(units, index, clause);
}

/** Without the clauses that go on aside about a thing: "was operated on at the clinic, which cost 180, and rested afterwards". */
function mainUnits({ units, openings }: Statement): Unit[] {
  return units.filter(({ clause }) => !ASIDE.has(openings.get(clause) ?? ''));
}

/** The units of the last clause before another that says anything. */
function lastClause(units: readonly Unit[], index: number, clause: number): Unit[] {
  for (let at = index - 1; at >= 0; at -= 1) {
    const unit = units[at]!;
    if (unit.clause !== clause && isSaid(unit))
      return units
        .slice(0, at + 1)
        .filter((other) => other.clause === unit.clause && other.kind !== 'operator');
  }
  return [];
}

function nearAfter({ units }: Statement, index: number): Unit[] {
  const { sentence } = units[index]!;
  const next = units.slice(index + 1).find((unit) => isSaid(unit));
  if (!next || next.sentence !== sentence) return [];
  return units.slice(index + 1).filter(({ clause }) => clause === next.clause);
}

/** "Because it was cold and wet, Ann stayed": the statement after the one that a word opens. */
function nextStatement({ units, openings }: Statement, index: number): Unit[] {
  const { clause, sentence } = units[index]!;
  const next = units
    .slice(index + 1)
    .find(
      (unit) =>
        unit.clause !== clause &&
        unit.sentence === sentence &&
        !JOINED.has(openings.get(unit.clause) ?? '') &&
        isSaid(unit),
    );
  return next ? units.slice(index + 1).filter((unit) => unit.clause === next.clause) : [];
}

/** Whether two links tie the same things in the same direction. */
export function isSameLink(one: Link, other: Link): boolean {
  const [first, second] = [unshared(one.first, one.second), unshared(one.second, one.first)];
  return isSide(other.first, first, second, one.first) && isSide(other.second, second, first, one.second);
}

/** Whether what is the cause in one is the consequence in the other. */
export function isTurnedLink(one: Link, other: Link): boolean {
  return (
    isSameLink(one, { first: other.second, second: other.first, back: other.back }) || isExchanged(one, other)
  );
}

/** "replaced the valve first and then the pump": whatever is told on the other side now was on this one, and the other way round. */
function isExchanged(one: Link, other: Link): boolean {
  const [first, second] = [unshared(one.first, other.first), unshared(one.second, other.second)];
  const all = (units: readonly Unit[], side: readonly Unit[]): boolean =>
    units.length > 0 && countIn(units, side) === units.length;
  return all(first, other.second) && all(second, other.first);
}

function unshared(units: readonly Unit[], others: readonly Unit[]): Unit[] {
  return units.filter((unit) => isSaid(unit) && !others.some((other) => sharesKey(unit, other)));
}

function isSide(
  said: readonly Unit[],
  own: readonly Unit[],
  foreign: readonly Unit[],
  whole: readonly Unit[],
): boolean {
  const mine = countIn(said, own);
  const verbs = said.filter(({ verbal }) => verbal);
  const people = new Set(whole.flatMap(peopleOf));
  if (people.size > 0 && said.flatMap(peopleOf).some((one) => !people.has(one))) return false;
  const same = verbs.length === 0 || !whole.some(({ verbal }) => verbal) || countIn(verbs, whole) > 0;
  // Whoever both sides speak of tells nothing.
  const strange = foreign.filter(({ person, kind }) => person === null && kind !== 'name');
  return mine > 0 && mine > countIn(said, strange) && same;
}

function peopleOf(unit: Unit): string[] {
  return isUser(unit) ? ['user'] : unit.person === null ? [] : [unit.person];
}

function countIn(units: readonly Unit[], others: readonly Unit[]): number {
  return units.filter((unit) => others.some((other) => sharesKey(unit, other))).length;
}

/**
 * Reasons told without a word for it: "Ann can't come, her passport expired". Only a statement of its own right behind a refusal or a failure
 * is taken for its reason.
 */
function impliedReasons(statement: Statement): Link[] {
  const known = REASONS.get(statement) ?? readReasons(statement);
  REASONS.set(statement, known);
  return known;
}

/** Read once for each text, however many reasons a summary gives. */
const REASONS = new WeakMap<Statement, Link[]>();

function readReasons(statement: Statement): Link[] {
  if (statement.language !== 'en') return [];
  const { units, openings, sentenceOf, verbalClauses } = statement;
  const links: Link[] = [];
  for (const [clause, opening] of openings) {
    const before = clause - 1;
    if (sentenceOf.get(before) !== sentenceOf.get(clause)) continue;
    if (!(SUBJECTS.has(opening) || opening === '') || !verbalClauses.has(clause)) continue;
    const [effect, cause] = [before, clause].map((which) => units.filter((unit) => unit.clause === which));
    if (!effect!.some(({ keys }) => ASKING.has(keys[0]!) || keys[0] === BADLY)) continue;
    const link = linkBetween(cause!, effect!, false);
    if (link) links.push(link);
  }
  return links;
}

/** Whether some source tells of both sides of a link. */
export function isToldTogether(link: Link, sources: readonly Statement[]): boolean {
  return sources.some(({ keys }) =>
    [link.first, link.second].every((side) => side.some((unit) => unit.keys.some((key) => keys.has(key)))),
  );
}

/** "Ann can't come because her passport expired", where a source says so in two statements side by side. */
export function isImpliedReason(link: Link, sources: readonly Statement[]): boolean {
  return sources.some((source) => impliedReasons(source).some((other) => isSameLink(other, link)));
}
