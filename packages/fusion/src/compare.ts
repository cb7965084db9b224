import type { Atom, AtomKind } from './atoms.ts';
import type { Profile } from './profile.ts';
import { gramsKept, stemOf } from './words.ts';

/** One thing that a text has and another lacks. `word` is a content word; an empty value stands for text that cannot be compared. */
export interface Difference {
  kind: AtomKind | 'word';
  value: string;
}

/** What `source` says that `summary` does not, as far as code can tell; empty means covered. In doubt something is listed. */
export function lostFrom(source: Profile, summary: Profile): Difference[] {
  const lost: Difference[] = [];
  for (const atom of source.atoms) {
    if (!isKept(atom, summary)) lost.push({ kind: atom.kind, value: atom.value });
  }
  for (const topic of source.negated) {
    if (!summary.negated.some((other) => sharesMost(topic, other, topic.size))) {
      lost.push({ kind: 'negation', value: 'not' });
    }
  }
  for (const stem of source.content) {
    if (!summary.stems.has(stem)) lost.push({ kind: 'word', value: stem });
  }
  if (!gramsKept(source.grams, summary.grams)) lost.push({ kind: 'word', value: '' });
  const comparable =
    source.atoms.length +
    source.content.size +
    source.grams.loose.size +
    source.grams.solid.size +
    source.grams.kana.size;
  if (comparable === 0) lost.push({ kind: 'word', value: '' });
  return lost;
}

function isKept(atom: Atom, summary: Profile): boolean {
  if (atom.kind === 'negation') return true; // judged by clause
  if (atom.kind === 'name') return summary.words.has(atom.value);
  return !atom.sure || summary.values.has(atom.value);
}

/** What `summary` says that none of the sources does. */
export function inventedIn(summary: Profile, sources: Profile[]): Difference[] {
  const invented: Difference[] = [];
  const implied = new Set<string>();
  for (const source of sources) {
    for (const value of source.values) addImplied(implied, value);
  }
  for (const atom of summary.atoms) {
    const known =
      atom.kind === 'negation' ||
      (atom.kind === 'name' ? isKnownName(atom, sources) : !atom.sure || implied.has(atom.value));
    if (!known) invented.push({ kind: atom.kind, value: atom.value });
  }
  for (const topic of summary.negated) {
    const known = sources.some((source) =>
      source.negated.some((other) => sharesMost(topic, other, Math.min(topic.size, other.size))),
    );
    if (!known) invented.push({ kind: 'negation', value: 'not' });
  }
  return invented;
}

/** Leaving out a unit or a part of a date is a loss, not an invention. */
function addImplied(implied: Set<string>, value: string): void {
  implied.add(value);
  const unitAt = value.indexOf(' ');
  if (unitAt !== -1) implied.add(value.slice(0, unitAt));
  const date = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(value);
  if (date) {
    implied.add(date[1]!);
    implied.add(`--${date[2]}`);
    implied.add(`${date[1]}-${date[2]}`);
    if (date[3]) implied.add(`--${date[2]}-${date[3]}`);
  } else if (/^--\d\d-\d\d$/.test(value)) {
    implied.add(value.slice(0, 4));
  }
}

function isKnownName(atom: Atom, sources: Profile[]): boolean {
  if (sources.some((source) => source.words.has(atom.value))) return true;
  if (atom.sure) return false;
  // A capital at a sentence start may be a plain word in another form.
  const stem = stemOf(atom.value);
  return /(?:s|ed|ing|ly)$/.test(atom.value) || sources.some((source) => source.stems.has(stem));
}

/** Whether two clauses speak of the same thing: more than half of `size` words in common. */
function sharesMost(one: Set<string>, other: Set<string>, size: number): boolean {
  if (size === 0) return true;
  let shared = 0;
  for (const word of one) {
    if (other.has(word)) shared += 1;
  }
  return shared * 2 > size;
}

/** How two texts of nearly the same meaning relate. */
export type TwinKind = 'conflict' | 'duplicate' | 'related';

export interface TwinComparison {
  kind: TwinKind;
  /** The kinds of atoms that differ, for a conflict. */
  differs: AtomKind[];
}

/**
 * A conflict when each has a hard atom of one kind that the other lacks, or when one negates and the other does not; a duplicate
 * when the atoms are equal and the words are, in whatever form; related otherwise.
 */
export function compareTwins(one: Profile, other: Profile): TwinComparison {
  const differs = new Set<AtomKind>();
  const ones = missingKinds(one, other);
  const others = missingKinds(other, one);
  for (const kind of ones) {
    if (others.has(kind)) differs.add(kind);
  }
  if (one.negated.length > 0 !== other.negated.length > 0) differs.add('negation');
  if (differs.size > 0) return { kind: 'conflict', differs: [...differs].sort() };
  const equal =
    ones.size === 0 &&
    others.size === 0 &&
    sameSet(one.content, other.content) &&
    sameSet(one.grams.solid, other.grams.solid);
  return { kind: equal && sameLoose(one, other) ? 'duplicate' : 'related', differs: [] };
}

function missingKinds(one: Profile, other: Profile): Set<AtomKind> {
  const kinds = new Set<AtomKind>();
  for (const atom of one.atoms) {
    if (!isKept(atom, other)) kinds.add(atom.kind);
  }
  return kinds;
}

function sameLoose(one: Profile, other: Profile): boolean {
  return gramsKept(one.grams, other.grams) && gramsKept(other.grams, one.grams);
}

function sameSet(one: Set<string>, other: Set<string>): boolean {
  if (one.size !== other.size) return false;
  for (const value of one) {
    if (!other.has(value)) return false;
  }
  return true;
}
