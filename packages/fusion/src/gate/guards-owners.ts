import type { Difference } from './coverage.ts';
import { wordList } from './lexicon/word-list.ts';
import type { Statement, Unit } from './unit.ts';

type Owner = 'he' | 'she' | 'user';

const GENDERS = new Map<string, Owner>([
  ['he', 'he'],
  ['him', 'he'],
  ['his', 'he'],
  ['she', 'she'],
  ['her', 'she'],
  ['hers', 'she'],
]);
/** A pronoun belongs to the thing right behind it. */
const BESIDE = 2;

/**
 * Whose a thing is, or who does it, where a pronoun right before it tells: "his parents' place" may not become "her parents' place", nor
 * "her book" "my book".
 */
export function exchangedOwners(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const known = new Map<string, Set<Owner>>();
  for (const [unit, owners] of sources.flatMap((source) => [...ownersIn(source)])) {
    for (const key of unit.keys) {
      const same = known.get(key) ?? new Set<Owner>();
      known.set(key, same);
      for (const owner of owners) same.add(owner);
    }
  }
  const problems: Difference[] = [];
  for (const [unit, owners] of ownersIn(summary)) {
    const had = unit.keys.flatMap((key) => [...(known.get(key) ?? [])]);
    if (had.length > 0 && !had.some((owner) => owners.has(owner)))
      problems.push({ kind: 'pairing', value: unit.form });
  }
  // What a name tells of somebody is not asked here.
  if (sources.some(({ units }) => units.some(({ kind, person }) => kind === 'name' && person !== null)))
    return problems;
  for (const gender of ['he', 'she'] as const) {
    const other = gender === 'he' ? 'she' : 'he';
    const shown = (kind: Owner): boolean => sources.some((source) => shows(source, kind));
    if (pronounOf(summary, gender) && !shown(gender) && shown(other))
      problems.push({ kind: 'pairing', value: gender });
  }
  return problems;
}

/** Words for people that tell whether they are men or women. */
const MEN = wordList(
  'father brother husband boyfriend grandfather uncle nephew son grandson godfather godson father-in-law brother-in-law man boy stepfather stepson stepbrother mr male king landlord fiance',
);
const WOMEN = wordList(
  'mother sister wife girlfriend grandmother aunt niece daughter granddaughter godmother mother-in-law sister-in-law woman girl stepmother stepsister mrs ms female queen landlady fiancee mare',
);

/** Whether a text speaks of a man, or of a woman, beyond doubt. */
function shows(source: Statement, kind: Owner): boolean {
  const words = kind === 'he' ? MEN : WOMEN;
  return pronounOf(source, kind) || source.units.some(({ keys }) => keys.some((key) => words.has(key)));
}

function pronounOf({ pronouns }: Statement, kind: Owner): boolean {
  return pronouns.some(({ form }) => GENDERS.get(form) === kind);
}

/** Whom the pronoun before each thing may mean: "she" is somebody else only where a person is named before. */
function ownersIn(statement: Statement): Map<Unit, ReadonlySet<Owner>> {
  const owners = new Map<Unit, ReadonlySet<Owner>>();
  const add = (word: number, clause: number, found: readonly Owner[]): void => {
    const unit = statement.units.find(
      (one) => one.word > word && one.clause === clause && one.kind !== 'operator' && one.keys[0] !== 'user',
    );
    if (unit && unit.word - word <= BESIDE) owners.set(unit, new Set(found));
  };
  const firstPerson = statement.userAt.some(({ form }) => form !== 'user');
  for (const { form, word, clause } of statement.pronouns) {
    const owner = GENDERS.get(form);
    if (owner === undefined) continue;
    const another = statement.units.some((unit) => unit.person !== null && unit.word < word);
    const user = statement.userAt.some((mention) => mention.word < word && !mention.possessive);
    add(word, clause, another && (firstPerson || !user) ? [owner] : [owner, 'user']);
  }
  for (const { word, clause, possessive } of statement.userAt) if (possessive) add(word, clause, ['user']);
  return owners;
}
