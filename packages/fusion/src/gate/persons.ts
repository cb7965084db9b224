import type { Difference } from './coverage.ts';
import { isTitle, namesOfKin, sharedClauses } from './kin-names.ts';
import type { Statement, Unit } from './unit.ts';

/**
 * About whom each thing is said. Clauses without a person of their own go on about the one before; a note without any subject is about the
 * user. What the sources say of one person may not be said of another in the summary.
 */
const USER = 'user';

/** Operators that say nothing of anybody. */
const UNOWNED = new Set([
  'op:or',
  'op:because',
  'op:about',
  'op:since',
  'op:until',
  'op:before',
  'op:after',
  'op:if',
  'op:than',
  'op:not',
]);

/** For each clause of a text the persons it speaks of. */
function personsByClause(statement: Statement, isSource: boolean): Map<number, Set<string>> {
  const clauses = new Map<number, Set<string>>();
  for (const clause of statement.openings.keys()) clauses.set(clause, new Set());
  const of = (clause: number): Set<string> => {
    const known = clauses.get(clause) ?? new Set();
    clauses.set(clause, known);
    return known;
  };
  for (const [at, unit] of statement.units.entries()) {
    const persons = of(unit.clause);
    if (unit.person !== null && !isTitle(statement.units, at)) persons.add(unit.person);
  }
  for (const mention of statement.userAt) {
    const next = statement.units.find(({ word }) => word > mention.word);
    const owned = mention.possessive && next?.clause === mention.clause && next.person !== null;
    // "Bakshi waters User's plants" says nothing of the user.
    const named = statement.units.some(
      ({ clause, word, person }) => clause === mention.clause && person !== null && word < mention.word,
    );
    const aside = !isSource && mention.possessive && named;
    if (!owned && !aside) of(mention.clause).add(USER);
  }
  let before: Set<string> = new Set();
  let first: Set<string> = new Set();
  let subjects: Set<string> = new Set();
  let sentence = -1;
  for (const clause of [...clauses.keys()].sort((one, other) => one - other)) {
    const persons = of(clause);
    const isRelative = RELATIVE.has(statement.openings.get(clause - 1) ?? '');
    const here = statement.sentenceOf.get(clause) ?? sentence;
    const opensSentence = here !== sentence;
    const owners = isSource ? [] : ownersOf(statement, clause);
    const earlier = owners.length > 0 ? new Set(owners) : new Set([...before, ...first]);
    if (opensSentence) first = new Set();
    sentence = here;
    const leans = pointsBack(statement, clause, isSource) || isReported(statement, clause);
    if (leans || (!opensSentence && !startsWithPerson(statement, clause))) {
      const bare = !leans && !isSource && subjects.size > 0 && goesOnWithVerb(statement, clause);
      // "and owns a boat called Petrel": the boat is not who owns it.
      if (bare && !isRelative)
        for (const unit of statement.units)
          if (unit.clause === clause && isCalled(unit)) persons.delete(unit.person!);
      // "Biscuit, who is old and sleeps a lot" goes on about Biscuit, or about the subject: either will do.
      addAll(persons, bare && !isRelative ? subjects : earlier);
      if (isRelative) addAll(persons, subjects);
    }
    if (opensSentence && statement.elided.has(clause))
      addAll(persons, new Set(isSource ? [USER] : [USER, ...earlier]));
    before = persons;
    if (first.size === 0) first = persons;
    if (!isSource && (opensSentence || takesOver(statement, clause)))
      subjects = headsOf(statement, clause, persons);
  }
  return clauses;
}

/**
 * Of whom a clause goes on to speak: whoever stands before its verb. "User calls dad and ..." goes on about the user. All of its persons where
 * none stands there.
 */
function headsOf({ units, userAt }: Statement, clause: number, persons: ReadonlySet<string>): Set<string> {
  const heads = new Set<string>();
  let end = Number.POSITIVE_INFINITY;
  for (const unit of units) {
    if (unit.clause !== clause || unit.kind === 'operator' || unit.keys[0] === USER) continue;
    if (unit.person !== null) heads.add(unit.person);
    else if (heads.size > 0 || unit.verbal) {
      end = unit.word;
      break;
    }
  }
  const user = userAt.find((one) => one.clause === clause && !one.possessive && one.word < end);
  const first = units.find((unit) => unit.clause === clause && unit.person !== null);
  if (user && (heads.size === 0 || user.word < first!.word)) return new Set([USER]);
  return heads.size > 0 ? heads : new Set(persons);
}

/** Whether a clause has no subject: "... and does not drink". */
function goesOnWithVerb({ openings, units, verbalClauses, pronouns }: Statement, clause: number): boolean {
  if (!verbalClauses.has(clause) || !['and', 'but'].includes(openings.get(clause) ?? '')) return false;
  if (pronouns.some((pronoun) => pronoun.clause === clause)) return false;
  const first = units.find((unit) => unit.clause === clause && unit.keys[0] !== 'op:not');
  // "and a walk of 30 minutes" is no verb.
  return first?.kind === 'operator' || (first?.verbal === true && /(?:s|ed)$/.test(first.form));
}

/** Whether a clause brings a subject of its own, of whom later ones go on to speak: "..., and user makes risotto and ...". */
function takesOver(statement: Statement, clause: number): boolean {
  if (RELATIVE.has(statement.openings.get(clause) ?? '') || statement.asides.has(clause)) return false;
  return statement.verbalClauses.has(clause) && startsWithPerson(statement, clause);
}

function isCalled({ person, before }: Unit): boolean {
  return person !== null && (before === 'called' || before === 'named');
}

const RELATIVE = new Set(['who', 'whose', 'which']);

/** Of whom an apposition or a relative clause speaks: whoever is named right before it, by name or as kin. Nobody where that is not plain. */
function ownersOf({ units, openings, verbalClauses }: Statement, clause: number): string[] {
  const opening = openings.get(clause) ?? '';
  if (!RELATIVE.has(opening) && (verbalClauses.has(clause) || !['a', 'an'].includes(opening))) return [];
  const start = units.findIndex((unit) => unit.clause === clause);
  const owners: string[] = [];
  for (let at = start - 1; at >= 0 && units[at]!.person !== null; at -= 1) {
    const { clause: later } = units[at + 1]!;
    // "the dentist, Dr. Okafor, who": another name of the same person.
    const renamed =
      openings.get(later) !== 'and' && units.every((unit) => unit.clause !== later || unit.person !== null);
    if (owners.length > 0 && units[at]!.clause !== later && !renamed) break;
    owners.push(units[at]!.person!);
  }
  return owners;
}

function addAll(set: Set<string>, more: ReadonlySet<string>): void {
  for (const value of more) set.add(value);
}

/** Whether a pronoun of a clause means somebody named before: "her father" speaks of the father, at least in a summary. */
function pointsBack({ pronouns, units }: Statement, clause: number, isSource: boolean): boolean {
  return pronouns.some((pronoun) => {
    if (pronoun.clause !== clause) return false;
    const next = units.find((unit) => unit.clause === clause && unit.axis > pronoun.axis);
    return isSource || next === undefined || next.person === null || next.axis - pronoun.axis > BESIDE;
  });
}

/** Two words stand side by side. */
const BESIDE = 0.04;

/** Whether nobody is named in a clause but who said it: it goes on about the one before. */
function isReported({ units, reporters }: Statement, clause: number): boolean {
  const persons = units.filter((unit) => unit.clause === clause && unit.person !== null);
  return persons.length > 0 && persons.every(({ word }) => reporters.has(word));
}

function startsWithPerson(statement: Statement, clause: number): boolean {
  // "Amara (2.1 kg) and Kofi were born": the second of two subjects.
  if (statement.openings.get(clause) === 'and' && !statement.verbalClauses.has(clause - 1)) return false;
  const unit = statement.units.find(
    (other) => other.clause === clause && other.kind !== 'operator' && other.keys[0] !== 'user',
  );
  const user = statement.userAt.find((mention) => mention.clause === clause && !mention.possessive);
  return (
    (unit !== undefined && unit.person !== null) ||
    (user !== undefined && (unit === undefined || user.word < unit.word))
  );
}

/** Things that the summary says of somebody of whom no source says them. */
export function misattributed(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const names = namesOfKin([...sources, summary]);
  // A kin word and the one name that stands beside it are one person; of two neighbours "the neighbour" may be either.
  const name = (person: string): string => {
    const known = names.get(person);
    return known?.size === 1 ? [...known][0]! : person;
  };
  const isOne = (person: string, wanted: ReadonlySet<string>): boolean =>
    wanted.has(person) ||
    [...(names.get(person) ?? [])].some((one) => wanted.has(one)) ||
    [...wanted].some((one) => names.get(one)?.has(person) === true);
  const bound = new Map<string, Set<string>>();
  const free = new Set<string>();
  for (const source of sources) {
    const persons = personsByClause(source, true);
    for (const unit of source.units) {
      if (!isCarrier(unit)) continue;
      const here = persons.get(unit.clause);
      for (const key of unit.keys) {
        if (!here || here.size === 0) free.add(key);
        const known = bound.get(key) ?? new Set();
        bound.set(key, known);
        for (const person of here ?? []) known.add(name(person));
      }
    }
  }
  const said = personsByClause(summary, false);
  const fits = new Map<string, boolean>();
  const forms = new Map<string, string>();
  for (const unit of summary.units) {
    if (!isCarrier(unit)) continue;
    const key = unit.keys[0]!;
    const wanted = bound.get(key);
    const here = [...(said.get(unit.clause) ?? [])].map(name);
    if (!wanted || wanted.size === 0 || free.has(key) || here.length === 0) continue;
    const fit = here.some((person) => isOne(person, wanted));
    fits.set(key, (fits.get(key) ?? false) || fit);
    forms.set(key, unit.form);
  }
  const problems: Difference[] = [];
  for (const { persons, units } of sharedClauses(summary)) {
    for (const unit of units.filter(isCarrier)) {
      const wanted = bound.get(unit.keys[0]!);
      if (!wanted || wanted.size === 0 || free.has(unit.keys[0]!)) continue;
      if (!persons.map(name).every((person) => isOne(person, wanted)))
        problems.push({ kind: 'pairing', value: unit.form });
    }
  }
  for (const [key, fit] of fits) if (!fit) problems.push({ kind: 'pairing', value: forms.get(key)! });
  return problems;
}

function isCarrier(unit: Unit): boolean {
  return unit.person === null && !unit.soft && !unit.frame && !UNOWNED.has(unit.keys[0]!);
}
