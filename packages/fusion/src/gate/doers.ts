import type { Difference } from './coverage.ts';
import { lemmaOf } from './lemma.ts';
import { SYMMETRIC } from './lexicon/classes.ts';
import { wordList } from './lexicon/word-list.ts';
import { isKinWord } from './subjects.ts';
import type { Statement, Unit } from './unit.ts';

/** Verbs beside the commonest ones that somebody does to somebody, and of which it matters who. */
const OWED = [
  ...wordList(`
    owe lend report tutor mentor supervise pay repay refund reimburse feed drive fetch collect remind warn inform text message phone call email
    babysit mind nurse treat examine cover replace guide invite host forgive blame thank greet raise adopt fund sponsor represent assist
  `),
].map(lemmaOf);
const ROLE_VERBS = new Set(OWED);
const SYMMETRIC_LEMMAS = new Set([...SYMMETRIC].map(lemmaOf));
const PASSIVE = new Set(['is', 'are', 'am', 'was', 'were', 'be', 'been', 'being', 'got', 'gets', 'get']);
/** Pronouns that are always a subject, with those of the same person. */
const PRONOUNS = new Map([
  ['he', ['he', 'him', 'his']],
  ['she', ['she', 'her', 'hers']],
]);
/** What a clause opens with that goes on about the subject of its sentence. */
const GOING_ON = new Set(['and', 'but']);
const RELATIVE = new Set(['who', 'whose', 'which']);
/** "was told by Ann to carry it": Ann is no subject of what follows. */
const TOLD_BY = / (?:told|asked|advised|ordered|reminded|warned|instructed|allowed) by /;
/** How far a subject may stand before its verb, in words: "the user has also been paying". */
const REACH = 5;

/** The user, somebody's key, or somebody whom a pronoun stands for. */
type Doer = string;
const USER: Doer = 'user';
const PRONOUN: Doer = '?';
const ASSISTANT: Doer = lemmaOf('assistant');

interface Subject {
  doer: Doer;
  at: number;
  clause: number;
}

/**
 * Verbs that only the user does in the sources and somebody else does in the summary, or the other way round: "I owe my aunt", "the aunt owes them";
 * "User will drive him", "he will drive User".
 */
export function exchangedDoers(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const others = othersOf([summary, ...sources]);
  const known = new Map<string, Set<Doer | null>>();
  for (const source of sources) {
    for (const { verb, doer } of doersOf(source, others))
      known.set(verb.keys[0]!, (known.get(verb.keys[0]!) ?? new Set()).add(doer));
  }
  return doersOf(summary, others)
    .filter(({ verb, doer }) => {
      const doers = known.get(verb.keys[0]!);
      if (doer === null || doers === undefined || doers.has(null)) return false;
      return doer === USER ? !doers.has(USER) : doers.size === 1 && doers.has(USER);
    })
    .map(({ verb }) => ({ kind: 'pairing', value: verb.form }));
}

/** "I report to Ann, Ann reports to Bob": what one does it to, told of another who does the same. */
export function exchangedObjects(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const others = othersOf([summary, ...sources]);
  const objects = new Map<string, Map<Doer, Set<string>>>();
  for (const source of sources) {
    for (const { verb, doer } of doersOf(source, others)) {
      if (doer === null) continue;
      const byDoer = objects.get(verb.keys[0]!) ?? new Map<Doer, Set<string>>();
      objects.set(verb.keys[0]!, byDoer);
      for (const object of objectsOf(verb, source))
        byDoer.set(doer, (byDoer.get(doer) ?? new Set()).add(object.keys[0]!));
    }
  }
  return doersOf(summary, others).flatMap(({ verb, doer }): Difference[] => {
    const byDoer = objects.get(verb.keys[0]!);
    const own = doer === null ? undefined : byDoer?.get(doer);
    if (!byDoer || !own) return [];
    return objectsOf(verb, summary).flatMap((object): Difference[] => {
      if (object.keys.some((key) => own.has(key))) return [];
      const foreign = [...byDoer].some(
        ([other, keys]) => other !== doer && object.keys.some((key) => keys.has(key)),
      );
      return foreign ? [{ kind: 'pairing', value: `${verb.form} ${object.form}` }] : [];
    });
  });
}

/** The first thing behind a verb in its clause, and the first that is nobody: "lent Jonas 400 euros". */
function objectsOf(verb: Unit, { units }: Statement): Unit[] {
  const behind = units.filter(
    (unit) => unit.word > verb.word && unit.clause === verb.clause && !unit.soft && unit.kind !== 'operator',
  );
  const thing = behind.find(({ person }) => person === null);
  return [...new Set([behind[0], thing])].filter((unit) => unit !== undefined);
}

/** Words that change a statement and are what somebody does: "I still hope". */
const WISHES = new Set([
  'op:want',
  'op:hope',
  'op:plan',
  'op:consider',
  'op:decide',
  'op:hate',
  'op:dislike',
  'op:avoid',
  'op:refuse',
]);
/** What only a verb follows. */
const VERB_NEXT = new Set(['op:never', 'op:should', 'op:will', 'op:might']);

/** Whether a word is what somebody does: by its form, or behind a word that only a verb follows. */
function isDone(unit: Unit, at: number, units: readonly Unit[]): boolean {
  if (unit.kind === 'operator') return WISHES.has(unit.keys[0]!) && !unit.soft;
  if (unit.person !== null || SYMMETRIC_LEMMAS.has(unit.keys[0]!)) return false;
  // A word that stands for a verb, as "the loan", has no subject before it.
  if (unit.keys[1] !== `=${unit.form}`) return false;
  const before = units[at - 1];
  const led = before !== undefined && VERB_NEXT.has(before.keys[0]!) && before.word + 1 === unit.word;
  return unit.verbal || ROLE_VERBS.has(unit.keys[0]!) || led;
}

/** Null where it cannot be told, as in passives and behind another verb. */
function doersOf(statement: Statement, others: ReadonlySet<string>): { verb: Unit; doer: Doer | null }[] {
  const subjects = subjectsOf(statement, others);
  const verbs = statement.units.filter(isDone);
  const first = new Map<number, Doer | null>();
  return verbs.map((verb, index) => {
    const subject = subjects.findLast(({ at, clause }) => at < verb.word && clause === verb.clause);
    const earlier = verbs[index - 1];
    const behind = earlier !== undefined && earlier.clause === verb.clause;
    const passive = PASSIVE.has(verb.before);
    let doer: Doer | null = null;
    if (subject === undefined) {
      // "manages the shop, and reports to Ann": the subject of the sentence goes on.
      const resumes = !behind && GOING_ON.has(statement.openings.get(verb.clause) ?? '');
      if (resumes && GOING_ON.has(verb.before) && !passive && !isBehindAside(verb, statement))
        doer = first.get(verb.sentence) ?? null;
    } else if (
      !sharesClause(subject, subjects, earlier?.word ?? -1) &&
      verb.word - subject.at <= REACH &&
      !(verb.before === 'to' && TOLD_BY.test(statement.spoken)) &&
      !passive &&
      !(behind && earlier.word > subject.at) &&
      !isObject(verb, subject, statement)
    )
      doer = subject.doer;
    if (!first.has(verb.sentence)) first.set(verb.sentence, doer);
    return { verb, doer };
  });
}

/** "I drew Pete, who collects vinyl and hates gifts": whether it goes on about the one or the other cannot be told. */
function isBehindAside(verb: Unit, { openings, sentenceOf }: Statement): boolean {
  return [...openings].some(
    ([clause, opening]) =>
      RELATIVE.has(opening) && clause < verb.clause && sentenceOf.get(clause) === verb.sentence,
  );
}

/** "My wife and I bought a house": both did. */
function sharesClause(subject: Subject, subjects: readonly Subject[], after: number): boolean {
  return subjects.some(
    ({ at, clause, doer }) =>
      clause === subject.clause &&
      at > after &&
      at < subject.at &&
      (doer === USER) !== (subject.doer === USER),
  );
}

/** A subject stands before its verb with nothing but names, operators and light words between. */
function isObject(verb: Unit, subject: Subject, { units }: Statement): boolean {
  return units.some(
    ({ word, kind, person, soft }) =>
      word > subject.at &&
      word < verb.word &&
      kind !== 'operator' &&
      kind !== 'name' &&
      person === null &&
      !soft,
  );
}

/** Pronouns that stand for somebody else than the user: where nobody else is named, or a note about nobody else has them, they may be the user's. */
function othersOf(statements: readonly Statement[]): Set<string> {
  const alone = statements.filter(({ units }) => units.every(({ person }) => person === null));
  if (alone.length === statements.length) return new Set();
  const own = new Set(alone.flatMap(ownPronouns));
  return new Set([...PRONOUNS].filter(([form]) => !own.has(form)).map(([form]) => form));
}

/** "User likes her coffee", "She owns a machine", but not "His check-up: user will drive him". */
function ownPronouns({ pronouns, userAt }: Statement): string[] {
  const user = userAt[0]?.word ?? -1;
  return [...PRONOUNS].flatMap(([form, forms]) => {
    const first = pronouns.find((pronoun) => forms.includes(pronoun.form));
    return first && first.word > user ? [form] : [];
  });
}

/** "a friend slept": a verb stands right behind. */
function isBeforeVerb(word: number, clause: number, units: readonly Unit[]): boolean {
  return units.some((unit) => unit.clause === clause && unit.word === word + 1 && unit.verbal);
}

function subjectsOf({ units, userAt, pronouns }: Statement, others: ReadonlySet<string>): Subject[] {
  const subjects: Subject[] = [];
  for (const { person, keys, word, clause } of units)
    if (
      person !== null ||
      keys[0] === ASSISTANT ||
      (isKinWord(keys[0]!) && isBeforeVerb(word, clause, units))
    )
      subjects.push({ doer: keys[0]!, at: word, clause });
  for (const { possessive, word, clause } of userAt)
    if (!possessive) subjects.push({ doer: USER, at: word, clause });
  for (const { form, word, clause } of pronouns)
    if (others.has(form)) subjects.push({ doer: PRONOUN, at: word, clause });
  return subjects.sort((one, other) => one.at - other.at);
}
