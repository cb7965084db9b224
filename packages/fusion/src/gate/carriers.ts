import { lemmaOf } from './lemma.ts';
import { ADDED_CARRIERS, BREEDS, CARRIER_NOUNS, CARRIER_VERBS, GLUE_FOR } from './lexicon/carriers.ts';
import { isUser } from './targets.ts';
import type { Statement, Unit } from './unit.ts';

const NOUNS = new Set([...CARRIER_NOUNS].map(lemmaOf));
const SPECIES = new Set(BREEDS.values());
const byLemma = <T>(words: ReadonlyMap<string, T>): Map<string, T> =>
  new Map([...words].map(([word, needed]) => [word.startsWith('=') ? word : lemmaOf(word), needed]));
const VERBS = byLemma(CARRIER_VERBS);
const SAID_WITH_GLUE = byLemma(GLUE_FOR);
/** Verbs that carry nothing where it is a thing that does it: "the secret lives in the vault". */
const OF_THINGS = new Set([lemmaOf('live')]);
const PUBLISH = lemmaOf('publish');
/** "The blog gets a post" is no "user gets a post". */
const RECEIVING = / (?:gets?|got|getting|receives?|received|has|have|had|takes?|took) /;
const MANAGE = lemmaOf('manage');
/** Before a number that has been reached so far. */
const NOW = new Set(['currently', 'now', 'presently']);
const CALL = lemmaOf('call');
const NAMING = / calls? (?:me|him|her|it|us|them) /;
const ADDED = byLemma(ADDED_CARRIERS);

/**
 * Whether a summary may leave out a word that only carries what stands beside it: everything else of its clause, two things at least, stands
 * together in one sentence of the summary. Never an operator, a name or a person.
 */
export function isCarried(unit: Unit, source: Statement, summary: Statement): boolean {
  if (source.language === 'en' && unit.form === 'ip' && isAddressed(unit, source, summary)) return true;
  if (source.language !== 'en' || unit.kind !== 'word' || unit.form.includes(' ')) return false;
  if (isSpeciesOfNamed(unit, source, summary)) return true;
  if (unit.person !== null) return false;
  const key = unit.keys[0]!;
  const glue = SAID_WITH_GLUE.get(key);
  const most = OF_THINGS.has(key) ? 0 : 1;
  const droppable =
    NOUNS.has(key) ||
    (glue?.test(summary.spoken) ?? false) ||
    isNaming(key, source, summary) ||
    (VERBS.has(key) &&
      !(key === PUBLISH && isReceived(unit, source, summary)) &&
      hasNeeded(unit, VERBS.get(key)!, source) &&
      personsBeside(unit, source) <= most);
  return droppable
    ? restIsTogether(unit, source, summary)
    : key === MANAGE && isStanding(unit, source, summary);
}

/** Whether a summary may add a word that only carries what one source says in one sentence. */
export function isCarrierAdded(unit: Unit, summary: Statement, sources: readonly Statement[]): boolean {
  if (summary.language !== 'en' || unit.kind !== 'word' || unit.person !== null) return false;
  const key = unit.keys.find((one) => ADDED.has(one));
  if (key === undefined || !hasNeeded(unit, ADDED.get(key)!, summary)) return false;
  // Somebody who "runs" a thing has more than the thing.
  if (personsBeside(unit, summary) > (ADDED.get(key) === null ? 0 : 1)) return false;
  return sources.some((source) => restIsTogether(unit, summary, source));
}

/** "The goal is 10,000 steps a day; user currently manages 7,200": "… 10,000 steps a day (currently 7,200)". */
function isStanding(unit: Unit, source: Statement, summary: Statement): boolean {
  const [number, ...more] = restOf(unit, source, unit.sentence);
  const goal = restOf(unit, source, unit.sentence - 1);
  if (number?.kind !== 'number' || more.length > 0 || !goal.some(({ kind }) => kind === 'number'))
    return false;
  return summary.units.some(
    (said) => NOW.has(said.before) && sharesKey(said, number) && isInSentence(goal, summary, said.sentence),
  );
}

/** Whether the user, or somebody else, has what a source tells that he gave. */
function isReceived(unit: Unit, source: Statement, summary: Statement): boolean {
  const given = source.units.find(
    (other) => other.clause === unit.clause && other.word > unit.word && !other.soft,
  );
  return summary.units.some(
    (said) =>
      given !== undefined &&
      sharesKey(said, given) &&
      RECEIVING.test(summary.spoken) &&
      personsBeside(said, summary) > 0,
  );
}

/** "IP is 192.168.1.40": the address tells what it is. */
function isAddressed(unit: Unit, source: Statement, summary: Statement): boolean {
  const next = source.units[source.units.indexOf(unit) + 1];
  return (
    next !== undefined &&
    /^\d+\.\d+\.\d+\.\d+/.test(next.form) &&
    next.keys.some((key) => summary.keys.has(key))
  );
}

/** "call me Sasha" is "is called Sasha"; "call Sasha" is not. */
function isNaming(key: string, source: Statement, summary: Statement): boolean {
  return key === CALL && / (?:called|named) /.test(summary.spoken) && NAMING.test(source.spoken);
}

function hasNeeded(unit: Unit, needed: RegExp | null, statement: Statement): boolean {
  if (needed === null) return true;
  return statement.units.some(
    (other) => other.clause === unit.clause && other !== unit && other.keys.some((key) => needed.test(key)),
  );
}

/** How many are spoken of in the clause of a unit: of two, a verb tells who does it to whom. */
function personsBeside(unit: Unit, { units, userAt }: Statement): number {
  const persons = new Set<string>();
  for (const other of units)
    if (other.person !== null && other.clause === unit.clause) persons.add(other.keys[0]!);
  for (const { clause, possessive } of userAt) if (clause === unit.clause && !possessive) persons.add('user');
  return persons.size;
}

/**
 * Whether everything else of the clause of a unit, its operators as well, stands in one sentence of another text; of its sentence, where the
 * clause is too short to tell.
 */
function restIsTogether(unit: Unit, from: Statement, to: Statement): boolean {
  const others = restOf(unit, from, unit.sentence);
  const near = others.filter(({ clause }) => clause === unit.clause);
  const rest = isTelling(near) ? near : others;
  if (!isTelling(rest)) return false;
  const [first, ...more] = rest;
  return to.units.some((head) => sharesKey(head, first!) && isInSentence(more, to, head.sentence));
}

/** Whether all else that a word's sentence says stands in one sentence of the summary. */
export function isToldIn(unit: Unit, source: Statement, summary: Statement, sentence: number): boolean {
  const rest = restOf(unit, source, unit.sentence);
  return rest.length > 0 && isInSentence(rest, summary, sentence);
}

/** What a sentence says but for a word and for what carries it. */
function restOf(unit: Unit, { units }: Statement, sentence: number): Unit[] {
  return units.filter(
    (other) =>
      other !== unit && other.sentence === sentence && !isUser(other) && !other.soft && !isCarrier(other),
  );
}

function isInSentence(units: readonly Unit[], { units: all }: Statement, sentence: number): boolean {
  return units.every((one) => all.some((other) => other.sentence === sentence && sharesKey(other, one)));
}

function isTelling(units: readonly Unit[]): boolean {
  return units.filter(({ kind }) => kind !== 'operator').length > 1;
}

function isCarrier(unit: Unit): boolean {
  return unit.kind === 'word' && unit.person === null && NOUNS.has(unit.keys[0]!);
}

function sharesKey(one: Unit, other: Unit): boolean {
  return one.keys.some((key) => other.keys.includes(key));
}

/** "the dog Biscuit" where the summary says that Biscuit is a greyhound. */
function isSpeciesOfNamed(unit: Unit, source: Statement, summary: Statement): boolean {
  const species = unit.keys[0]!;
  if (!SPECIES.has(species)) return false;
  const name = source.units.find(
    (other) =>
      other.kind === 'name' && other.clause === unit.clause && Math.abs(other.word - unit.word) === 1,
  );
  if (!name) return false;
  return summary.units.some(
    (other) =>
      sharesKey(other, name) &&
      summary.units.some(
        ({ form, clause, word, sentence }) =>
          BREEDS.get(form) === species &&
          sentence === other.sentence &&
          Math.abs(clause - other.clause) < 2 &&
          Math.abs(word - other.word) <= 5,
      ),
  );
}
