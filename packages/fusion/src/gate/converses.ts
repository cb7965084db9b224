import { wordList } from './lexicon/word-list.ts';
import { isUser } from './targets.ts';
import { type Statement, sharesKey, type Unit } from './unit.ts';

/** What somebody is to one who is this to him: the user's godson is he whose godfather the user is. */
export const CONVERSES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  `godson godchild:godfather godmother godparent
goddaughter:godfather godmother godparent
godfather godmother:godson goddaughter godchild
nephew niece:uncle aunt auntie
uncle aunt:nephew niece
grandson granddaughter grandchild:grandmother grandfather grandparent grandma grandpa granny
grandmother grandfather grandma grandpa:grandson granddaughter grandchild
son daughter child:mother father parent mum mom dad
tenant:landlord landlady
landlord landlady:tenant
mentee:mentor
mentor:mentee`
    .split('\n')
    .flatMap((line) => {
      const [words = '', others = ''] = line.split(':');
      return words.split(' ').map((word): [string, Set<string>] => [word, wordList(others)]);
    }),
);
/** "is the nephew" */
export const IS = /^(?:is|am|are|became|was|be|being)$/;
const SMALL = wordList('little young baby small');
/** Who was dealt with, by the deal that the summary tells: "the buyer" is he to whom it was sold. */
const DEALS: ReadonlyMap<string, { verbs: ReadonlySet<string>; way: string }> = new Map([
  ['buyer', { verbs: wordList('sold sell sells selling'), way: 'to' }],
  ['purchaser', { verbs: wordList('sold sell sells selling'), way: 'to' }],
  ['seller', { verbs: wordList('bought buy buys buying purchased'), way: 'from' }],
  ['vendor', { verbs: wordList('bought buy buys buying purchased'), way: 'from' }],
  ['borrower', { verbs: wordList('lent lend lends lending'), way: 'to' }],
  ['lender', { verbs: wordList('borrowed borrow borrows borrowing'), way: 'from' }],
]);
const TEACHERS = wordList('teacher tutor instructor coach');
const LESSONS = wordList('lesson lessons tuition');
/** Who teaches gives the lesson: then "with" is another thing. */
const GIVING = /^(?:gi|ga|teach|taught|tutor|instruct|coach)/;

/** Whether a summary tells with another word what somebody is to another by a word of a source. In doubt it does not. */
export function isConverseKept(unit: Unit, source: Statement, summary: Statement): boolean {
  if (source.language !== 'en' || unit.kind !== 'word' || unit.form.includes(' ')) return false;
  const converses = CONVERSES.get(unit.form);
  if (converses) return isOtherSide(unit, converses, source, summary);
  if (DEALS.has(unit.form)) return isDealtWith(unit, source, summary);
  return TEACHERS.has(unit.form) && isLessonWith(unit, source, summary);
}

/** "User's godson Anselm" is kept by "User is godfather of little Anselm". */
function isOtherSide(unit: Unit, converses: ReadonlySet<string>, source: Statement, summary: Statement) {
  const name = source.units[source.units.indexOf(unit) + 1];
  if (!isUsers(unit, source) || name?.kind !== 'name' || name.word !== unit.word + 1) return false;
  return summary.units.some((said, at) => {
    if (!converses.has(said.form) || !IS.test(said.before)) return false;
    const next = summary.units.slice(at + 1, at + 3).find(({ form }) => !SMALL.has(form));
    return (
      next !== undefined &&
      sharesKey(next, name) &&
      next.clause === said.clause &&
      summary.said[said.word + 1] === 'of' &&
      isLast(next, summary) &&
      isOfUser(said, summary)
    );
  });
}

/** "user's nephew" */
export function isUsers(unit: Unit, { userAt }: Statement): boolean {
  return userAt.some(
    ({ possessive, word, clause }) => possessive && clause === unit.clause && word === unit.word - 1,
  );
}

/** Whether nothing but the user stands before a word in its clause. */
export function isOfUser({ clause, word }: Unit, { units, userAt }: Statement): boolean {
  const before = units.filter((unit) => unit.clause === clause && unit.word < word);
  return (
    before.every((unit) => isUser(unit) || unit.soft) &&
    userAt.some((mention) => mention.clause === clause && mention.word < word && !mention.possessive)
  );
}

/** Whether nothing of its clause follows right behind: "of Anselm's brother" speaks of another. */
function isLast(unit: Unit, { units }: Statement): boolean {
  return !units.some((other) => other.clause === unit.clause && other.word === unit.word + 1);
}

/** "The buyer of the bike owes user 400" is kept by "sold the bike to a man, who owes user 400". */
function isDealtWith(unit: Unit, source: Statement, summary: Statement): boolean {
  const { verbs, way } = DEALS.get(unit.form)!;
  const inside = source.units.filter(
    (other) => other.clause === unit.clause && !isUser(other) && !other.soft,
  );
  const [thing, ...rest] = inside.slice(inside.indexOf(unit) + 1);
  if (inside[0] !== unit || !thing || rest.length === 0 || thing.word - unit.word > 3) return false;
  return summary.units.some((verb) => {
    if (!verbs.has(verb.form)) return false;
    const deal = summary.units.filter(({ clause }) => clause === verb.clause);
    const partner = deal.findLast(({ before }) => before === way);
    const later = deal.filter(({ word }) => partner !== undefined && word > partner.word);
    const told = summary.units.filter(
      (other) => other.clause === verb.clause + 1 && other.sentence === verb.sentence && !other.soft,
    );
    return (
      partner !== undefined &&
      partner.kind !== 'number' &&
      later.every(({ before, kind }) => before === 'from' && kind === 'name') &&
      deal.some((other) => sharesKey(other, thing)) &&
      summary.openings.get(verb.clause + 1) === 'who' &&
      rest.every((one) => told.some((other) => sharesKey(one, other))) &&
      isUserBehind(rest[0]!, source) === isUserBehind(told[0], summary)
    );
  });
}

/** Whether the user stands behind the first thing that is said in its clause, not before it. */
function isUserBehind(first: Unit | undefined, { userAt }: Statement): boolean | null {
  const here = userAt.filter(({ clause }) => clause === first?.clause);
  if (here.length === 0 || first === undefined) return null;
  return here.every(({ word }) => word > first.word);
}

/** "The cello teacher is Mrs. Vance; lessons are on Mondays" is kept by "has lessons with Mrs. Vance on Mondays". */
function isLessonWith(unit: Unit, source: Statement, summary: Statement): boolean {
  const name = source.units.find(
    ({ word, clause, soft }) => clause === unit.clause && word > unit.word && !soft,
  );
  if (name?.kind !== 'name' || source.said[unit.word + 1] !== 'is' || name.word > unit.word + 4) return false;
  if (!source.units.some(({ form }) => LESSONS.has(form))) return false;
  return summary.units.some((lesson) => {
    if (!LESSONS.has(lesson.form)) return false;
    const clause = summary.units.filter((other) => other.clause === lesson.clause);
    const partner = clause.find(({ word, soft }) => word > lesson.word && !soft);
    const others = summary.units.filter(
      ({ sentence, person, word }) => sentence === lesson.sentence && person !== null && word < lesson.word,
    );
    return (
      partner !== undefined &&
      sharesKey(partner, name) &&
      summary.said[lesson.word + 1] === 'with' &&
      others.length === 0 &&
      !clause.some(({ form }) => GIVING.test(form))
    );
  });
}
