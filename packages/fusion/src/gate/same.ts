import type { AtomKind } from '../reading/atoms.ts';
import { COMMON_VERBS, COMMON_WORDS } from '../reading/common-words.ts';
import { type Difference, inventedBy, lostFrom } from './coverage.ts';
import { lemmaOf } from './lemma.ts';
import { pairingProblems } from './pairing.ts';
import { readTogether, type SaidText, type TextReading } from './reading.ts';

import { isAtomKind, type Statement, type Unit } from './unit.ts';

export type TwinKind = 'conflict' | 'duplicate' | 'related';
export type TwinDifference = AtomKind | 'word' | 'pairing';

export interface TwinComparison {
  kind: TwinKind;
  /** What differs, for a conflict. */
  differs: TwinDifference[];
}

const NO_YEARS: ReadonlySet<string> = new Set();
/** Fillers that one of two duplicates may have alone. */
const EMPTY = new Set(
  'feel honest personally obviously definitely certain sure absolutely totally truly literally thing stuff way actually person own'
    .split(' ')
    .map(lemmaOf),
);

/**
 * How two texts of nearly the same meaning relate: a duplicate when each holds all of the other and puts it together in the same way; a
 * conflict when both have a hard atom of one kind that the other lacks, or when one denies or orders what the other does not; related
 * otherwise, as when one of them says more.
 */
export function compareTexts(a: SaidText, b: SaidText): TwinComparison {
  const [one, other] = readTogether([a, b]);
  if (!one || !other) return { kind: 'related', differs: [] };
  const [first, second] = [one.statement, other.statement];
  const lost = [...lostFrom(first, second), ...unevenly(first, second)].map((one) =>
    named(one, a.content, first),
  );
  const found = [...lostFrom(second, first), ...unevenly(second, first)].map((one) =>
    named(one, b.content, second),
  );
  const differs = new Set<TwinDifference>();
  for (const { kind } of lost)
    if (kind !== 'relative_date' && kind !== 'word' && found.some((more) => more.kind === kind))
      add(differs, kind);
  if ([...lost, ...found].some(({ kind }) => kind === 'negation')) differs.add('negation');
  const turned = [...pairingProblems(first, [second]), ...pairingProblems(second, [first])];
  if (turned.length > 0 && lost.length + found.length === 0) differs.add('pairing');
  if (differs.size > 0) return { kind: 'conflict', differs: [...differs].sort() };
  const equal =
    lost.length + found.length + turned.length === 0 &&
    sameUnresolved(one, other, a.day === b.day) &&
    inventedBy(first, [second], NO_YEARS).length === 0 &&
    inventedBy(second, [first], NO_YEARS).length === 0 &&
    sameOrder(first, second) &&
    sameHead(first, second) &&
    samePronouns(first, second);
  return { kind: equal ? 'duplicate' : 'related', differs: [] };
}

/** A capital on a word at the start of a sentence proves no name; on one that is no common word it is one for a comparison. */
function named<D extends { kind: Difference['kind']; value: string }>(
  one: D,
  content: string,
  { language }: Statement,
): D {
  const { kind, value } = one;
  if (kind !== 'word' || language !== 'en' || value.length < 2) return one;
  const capital = value[0]!.toUpperCase() + value.slice(1);
  const common = COMMON_WORDS.has(value) || COMMON_VERBS.has(value) || lemmaOf(value) !== value;
  return !common && content.includes(capital) ? { ...one, kind: 'name' } : one;
}

/** A relative date that nothing resolves is the same only when it was said on one day. */
function sameUnresolved(one: TextReading, other: TextReading, sameDay: boolean): boolean {
  if (one.unresolved.length + other.unresolved.length === 0) return true;
  const [first, second] = [one, other].map(({ unresolved }) =>
    [...unresolved]
      .map((phrase) => phrase.toLowerCase())
      .sort()
      .join(' | '),
  );
  return sameDay && first === second;
}

function add(differs: Set<TwinDifference>, kind: Unit['kind'] | 'pairing'): void {
  if (kind !== 'operator' && kind !== 'gram') differs.add(kind);
}

/** Soft words that are no mere fillers, and things that one text has more often: both count between two texts that should be equal. */
function unevenly(source: Statement, other: Statement): { kind: Unit['kind']; value: string }[] {
  const uneven: { kind: Unit['kind']; value: string }[] = [];
  for (const unit of source.units) {
    if (
      unit.soft &&
      !unit.frame &&
      !EMPTY.has(unit.keys[0]!) &&
      !unit.keys.some((key) => other.keys.has(key))
    ) {
      uneven.push({ kind: isAtomKind(unit.kind) ? unit.kind : 'word', value: unit.form });
    }
  }
  return uneven;
}

/** Whether the names and persons of two texts come in the same order; the order of a list and of one person does not matter. */
function sameOrder(first: Statement, second: Statement): boolean {
  const one = orderedNames(first);
  const other = orderedNames(second);
  if (one.length < 2 || one.length !== other.length || isList(first)) return true;
  return one.every((key, at) => key === other[at]) || passive(first) !== passive(second);
}

function orderedNames({ units }: Statement): string[] {
  const names: string[] = [];
  for (const { person, keys } of units) {
    if (person !== null && !names.includes(keys[0]!)) names.push(keys[0]!);
  }
  return names;
}

/** Names with nothing but commas and "and" between them. */
function isList({ units }: Statement): boolean {
  const named = units.filter(({ kind, person }) => kind === 'name' || person !== null);
  return named.length > 1 && named.every(({ word }, at) => at === 0 || word - named[at - 1]!.word <= 2);
}

function passive({ units }: Statement): boolean {
  return units.some(({ before }) => before === 'by');
}

/**
 * Whether both say the same of the same subject: what stands before the verb of one and behind that of the other, both ways, has changed
 * places. A passive turns them rightly.
 */
function sameHead(first: Statement, second: Statement): boolean {
  if (first.language !== 'en' || passive(first) !== passive(second)) return true;
  const [one, other] = [headsOf(first), headsOf(second)];
  const only = (mine: readonly Unit[], theirs: readonly Unit[]): boolean =>
    mine.some((unit) => !theirs.some((more) => more.keys.some((key) => unit.keys.includes(key))));
  return !(only(one, other) && only(other, one));
}

/** The units before the first verb. */
function headsOf({ units, verbAt }: Statement): Unit[] {
  return units.filter(({ kind, soft, word }) => kind !== 'operator' && !soft && word < verbAt);
}

const GROUPS = [
  ['he', 'him', 'his', 'himself'],
  ['she', 'her', 'hers', 'herself'],
];

/** "She is vegan" is not "He is vegan", nor is what "we" have what "they" have. */
function samePronouns(first: Statement, second: Statement): boolean {
  const has = (text: Statement, words: readonly string[]): boolean =>
    words.some((word) => text.spoken.includes(` ${word} `));
  const [he, she] = GROUPS as [string[], string[]];
  for (const [one, other] of [
    [first, second],
    [second, first],
  ] as const) {
    if (has(one, he) && !has(one, she) && has(other, she) && !has(other, he)) return false;
    if (has(one, ['we']) && has(other, ['they']) && !has(one, ['user'])) return false;
  }
  return true;
}
