import { isToldIn } from './carriers.ts';
import { lemmaOf } from './lemma.ts';
import { isUser } from './targets.ts';
import { type Statement, sharesKey, type Unit } from './unit.ts';

/** What is asked for of things that a list then holds. */
const LISTED: ReadonlyMap<string, RegExp> = new Map([
  ['buy', /^(?:shopping|grocery|groceries)$/],
  ['add', /./],
]);
const ARRIVE = lemmaOf('arrive');
const LEAVE = lemmaOf('leave');
const STAYS = new Set(['visit', 'stay'].map(lemmaOf));

/** Whether a summary tells with another form of words what a word of a source does. In doubt it does not. */
export function isRetold(unit: Unit, source: Statement, summary: Statement): boolean {
  if (source.language !== 'en' || unit.kind !== 'word') return false;
  if (unit.keys[0] === 'allofthem') return isEachOfThem(unit, source, summary);
  if (LISTED.has(unit.form)) return isOnList(unit, source, summary);
  return (unit.keys[0] === ARRIVE || unit.keys[0] === LEAVE) && isStay(unit, source, summary);
}

/** "six evenings, all of them Wednesdays" is "six Wednesday evenings". */
function isEachOfThem(unit: Unit, { units }: Statement, summary: Statement): boolean {
  const at = units.indexOf(unit);
  const [counted, kind] = [units[at - 1], units[at + 1]];
  const number = units[at - 2];
  if (number?.kind !== 'number' || !counted || !kind || counted.word !== number.word + 1) return false;
  if (counted.clause === unit.clause || kind.word !== unit.word + 3 || kind.clause !== unit.clause)
    return false;
  return summary.units.some((said, index) => {
    const [first, second] = [summary.units[index + 1], summary.units[index + 2]];
    return (
      sharesKey(said, number) &&
      first?.word === said.word + 1 &&
      second?.word === said.word + 2 &&
      sharesKey(first, kind) &&
      sharesKey(second, counted)
    );
  });
}

/** "Buy oats", "add oats to the shopping list" is kept by "Shopping list: oats". */
function isOnList(unit: Unit, source: Statement, summary: Statement): boolean {
  const ordered = source.openings.get(unit.clause) === unit.form;
  if (!ordered || source.units.some(({ kind, clause }) => kind === 'operator' && clause === unit.clause))
    return false;
  return summary.units.some((list, at) => {
    if (list.form !== 'list' || summary.said[list.word + 1] !== ':') return false;
    const kind = summary.units[at - 1];
    const named = kind?.word === list.word - 1 && LISTED.get(unit.form)!.test(kind.form);
    const opens = summary.openings.get(list.clause);
    return named && opens === kind.form && isToldIn(unit, source, summary, list.sentence);
  });
}

/** "Greta arrives on the 4th and leaves on the 9th" is "Greta visits from the 4th to the 9th". */
function isStay(unit: Unit, source: Statement, summary: Statement): boolean {
  const days = [ARRIVE, LEAVE].map((key) => {
    const at = source.units.findIndex((one) => one.keys[0] === key && one.sentence === unit.sentence);
    const next = source.units[at + 1];
    return (at !== -1 && next?.kind === 'date') || /^\d+th$/.test(next?.form ?? '') ? next : undefined;
  });
  const [from, to] = days;
  if (!from || !to || from.before !== 'on' || to.before !== 'on') return false;
  const whose = personsIn(source, unit.sentence, null);
  return summary.units.some((stay) => {
    if (!STAYS.has(stay.keys[0]!)) return false;
    const clause = summary.units.filter((other) => other.clause === stay.clause && other.word > stay.word);
    const [first, second] = clause;
    return (
      first?.before === 'from' &&
      sharesKey(first, from) &&
      (second?.before === 'to' || second?.before === 'until') &&
      sharesKey(second, to) &&
      personsIn(summary, stay.sentence, stay.clause) === whose &&
      (whose !== '' || isSameFirst(stay, summary, from, source))
    );
  });
}

/** Whether the clauses of two units begin with the same thing. */
function isSameFirst(one: Unit, text: Statement, other: Unit, source: Statement): boolean {
  const [first, second] = [
    text.units.find(({ clause }) => clause === one.clause),
    source.units.find(({ clause }) => clause === other.clause),
  ];
  return first !== undefined && first !== one && second !== undefined && sharesKey(first, second);
}

/** Who is spoken of in a sentence, or in one clause of it. */
function personsIn(
  { units, userAt, sentenceOf }: Statement,
  sentence: number,
  clause: number | null,
): string {
  const persons = new Set<string>();
  const isHere = (one: number): boolean =>
    sentenceOf.get(one) === sentence && (clause === null || one === clause);
  for (const unit of units) if (unit.person !== null && isHere(unit.clause)) persons.add(unit.keys[0]!);
  if (
    userAt.some((mention) => isHere(mention.clause)) ||
    units.some((unit) => isUser(unit) && isHere(unit.clause))
  )
    persons.add('user');
  return [...persons].sort().join(' ');
}
