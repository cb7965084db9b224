import type { Difference } from './coverage.ts';
import { lemmaOf } from './lemma.ts';
import { SYMMETRIC } from './lexicon/classes.ts';
import type { Statement, Unit } from './unit.ts';

/** Who does what to whom, from where to where, and when: what the order of words and the forms of verbs tell. */
interface Role {
  verb: string;
  doer: string;
  other: string | null;
}

const SYMMETRIC_LEMMAS = new Set([...SYMMETRIC].map(lemmaOf));
const OPPOSITES: readonly [string, string][] = [
  ['from', 'to'],
  ['from', 'into'],
  ['from', 'onto'],
  ['with', 'without'],
  ['for', 'against'],
];
const USER = 'user';

interface Actor {
  name: string;
  at: number;
  clause: number;
  before: string;
}

function actorsOf(statement: Statement): Actor[] {
  const actors: Actor[] = [];
  for (const unit of statement.units) {
    if (unit.person !== null)
      actors.push({ name: unit.keys[0]!, at: unit.word, clause: unit.clause, before: unit.before });
  }
  for (const mention of statement.userAt) {
    if (!mention.possessive)
      actors.push({ name: USER, at: mention.word, clause: mention.clause, before: mention.before });
  }
  return actors.sort((one, other) => one.at - other.at);
}

/** Who does what, and to whom or with whom, as far as the order of the words tells. */
function rolesOf(statement: Statement, verbs: ReadonlySet<string>): Role[] {
  const roles: Role[] = [];
  const actors = actorsOf(statement);
  for (const verb of statement.units) {
    if (
      !(verb.verbal || (verb.kind === 'word' && verbs.has(verb.form))) ||
      verb.person !== null ||
      SYMMETRIC_LEMMAS.has(verb.keys[0]!)
    )
      continue;
    const here = actors.filter(({ clause }) => clause === verb.clause);
    const before = here.findLast(({ at }) => at < verb.word)?.name ?? null;
    const after = here.find(({ at, before: word }) => at > verb.word && word !== 'and' && word !== 'or');
    if (after?.before === 'by') roles.push({ verb: verb.keys[0]!, doer: after.name, other: before });
    else if (before !== null) roles.push({ verb: verb.keys[0]!, doer: before, other: after?.name ?? null });
  }
  return roles;
}

/** Verbs of which somebody is the doer whom the sources only know as the one done to. */
export function exchangedRoles(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const doers = new Map<string, Set<string>>();
  const others = new Map<string, Set<string>>();
  // What is a verb in one text is one in the other, whatever stands before it.
  const verbs = new Set(
    sources.flatMap(({ units }) => units.flatMap((unit) => (isThirdPerson(unit) ? [unit.form] : []))),
  );
  for (const { verb, doer, other } of sources.flatMap((source) => rolesOf(source, verbs))) {
    doers.set(verb, (doers.get(verb) ?? new Set<string>()).add(doer));
    if (other !== null) others.set(verb, (others.get(verb) ?? new Set<string>()).add(other));
  }
  return rolesOf(summary, verbs)
    .filter(({ verb, doer }) => others.get(verb)?.has(doer) === true && doers.get(verb)?.has(doer) !== true)
    .map(({ verb }) => ({ kind: 'pairing', value: verb }));
}

function isThirdPerson({ verbal, form, kind }: Unit): boolean {
  return verbal && kind === 'word' && /(?:s|ed)$/.test(form);
}

/** "one ear" that became "both ears", and the other way round. */
export function changedCounts(summary: Statement, sources: readonly Statement[]): Difference[] {
  const known = new Map<string, Set<string>>();
  for (const { keys, before } of sources.flatMap(({ units }) => units)) {
    known.set(keys[0]!, (known.get(keys[0]!) ?? new Set<string>()).add(before));
  }
  return summary.units
    .filter(({ keys, before }) => {
      const others = known.get(keys[0]!);
      if (!others || others.has(before)) return false;
      return (before === 'both' && others.has('one')) || (before === 'one' && others.has('both'));
    })
    .map(({ form }) => ({ kind: 'pairing', value: form }));
}

/** Values that had "from" before them and now have "to", and the like. */
export function turnedDirections(summary: Statement, sources: readonly Statement[]): Difference[] {
  const known = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const unit of source.units) {
      for (const key of unit.keys) known.set(key, (known.get(key) ?? new Set()).add(unit.before));
    }
  }
  const problems: Difference[] = [];
  for (const unit of summary.units) {
    const before = known.get(unit.keys[0]!);
    if (!before || before.has(unit.before)) continue;
    for (const [one, other] of OPPOSITES) {
      const turned = (unit.before === one && before.has(other)) || (unit.before === other && before.has(one));
      if (turned) problems.push({ kind: 'pairing', value: unit.form });
    }
  }
  return problems;
}

/** "respectively" and "the latter" bind by order: nothing here can check them. */
export function unknownPointers(summary: Statement, sources: readonly Statement[]): Difference[] {
  return summary.pointers
    .filter((word) => !sources.some((source) => source.pointers.includes(word)))
    .map((value) => ({ kind: 'pairing' as const, value }));
}

/** Parts of a name that stand the other way round: "M.Z." for "Z.M.". */
export function reversedNames(summary: Statement, sources: readonly Statement[]): Difference[] {
  const known = new Set<string>();
  for (const source of sources) for (const pair of namePairs(source)) known.add(pair);
  return namePairs(summary)
    .filter((pair) => !known.has(pair) && known.has(pair.split(' ').reverse().join(' ')))
    .map((pair) => ({ kind: 'pairing' as const, value: pair }));
}

function namePairs({ units }: Statement): string[] {
  const pairs: string[] = [];
  for (let at = 0; at + 1 < units.length; at += 1) {
    const [one, other] = [units[at]!, units[at + 1]!];
    // "from Denver to Halifax" is "to Halifax from Denver": there prepositions tell which is which.
    if (TELLING.has(one.before) && TELLING.has(other.before)) continue;
    if (one.kind === 'name' && other.kind === 'name' && other.axis - one.axis < 0.2)
      pairs.push(`${one.form} ${other.form}`);
  }
  return pairs;
}

const PREFERRING =
  /^(?:préfèr|préfér|prefer|prefier|prefir|bevorzug|föredra|foredra|предпоч|verkies|woli|wolę|tercih|प्राथमिकता)/u;

/** In languages other than English: what is preferred and what it is preferred to, told in the other order. */
export function turnedPreferences(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language === 'en') return [];
  const known = new Set(sources.flatMap(preferencesOf));
  return preferencesOf(summary)
    .filter((pair) => !known.has(pair) && known.has(pair.split(' ').reverse().join(' ')))
    .map((pair) => ({ kind: 'pairing' as const, value: pair }));
}

/** For each verb of preferring, what comes first in its clause with each thing that comes later. */
function preferencesOf({ units }: Statement): string[] {
  const pairs: string[] = [];
  for (const verb of units) {
    if (!PREFERRING.test(verb.form)) continue;
    const here = units.filter(
      (unit) =>
        unit !== verb &&
        unit.sentence === verb.sentence &&
        unit.kind !== 'operator' &&
        !unit.soft &&
        Math.abs(unit.axis - verb.axis) < 0.5,
    );
    for (const [at, one] of here.entries())
      for (const other of here.slice(at + 1)) pairs.push(`${one.keys[0]} ${other.keys[0]}`);
  }
  return pairs;
}

/** Two things of one clause whose prepositions have changed places: "replaces the prunes with apricots" told the other way round. */
export function exchangedPrepositions(summary: Statement, sources: readonly Statement[]): Difference[] {
  const known = new Set(sources.flatMap(prepositionPairs));
  return prepositionPairs(summary)
    .filter((pair) => !known.has(pair) && known.has(turned(pair)))
    .map((pair) => ({ kind: 'pairing' as const, value: pair.split(' ')[0]! }));
}

/** What tells which is which. */
const TELLING = new Set(['with', 'for', 'by', 'into', 'from', 'to', 'against', 'as']);

function prepositionPairs({ units }: Statement): string[] {
  const pairs: string[] = [];
  const clauses = new Map<number, Unit[]>();
  for (const unit of units) {
    if (unit.kind === 'operator' || unit.soft || unit.before === '') continue;
    const same = clauses.get(unit.clause) ?? [];
    clauses.set(unit.clause, same);
    same.push(unit);
  }
  for (const same of clauses.values()) {
    if (same.length > 40) continue;
    for (const one of same) {
      if (!TELLING.has(one.before)) continue;
      for (const other of same) {
        if (other === one || other.before === one.before) continue;
        pairs.push(`${one.keys[0]} ${one.before} ${other.keys[0]} ${other.before}`);
      }
    }
  }
  return pairs;
}

function turned(pair: string): string {
  const [one, before, other, after] = pair.split(' ');
  return `${other} ${before} ${one} ${after}`;
}
