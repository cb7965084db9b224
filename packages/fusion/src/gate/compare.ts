import type { Atom, AtomKind } from '../reading/atoms.ts';
import type { Profile } from '../reading/profile.ts';
import { hasPhrase } from '../reading/spoken.ts';
import { stemOf } from '../reading/words.ts';

/** One thing that a text has and another lacks. `word` is a content word; an empty value stands for text that cannot be compared. */
export interface Difference {
  kind: AtomKind | 'word';
  value: string;
}

/**
 * The hard atoms of `summary` that none of the sources has. For summaries of sessions, which supersede nothing: words are not compared.
 */
export function inventedIn(summary: Profile, sources: Profile[]): Difference[] {
  const invented: Difference[] = [];
  const implied = new Set<string>();
  for (const source of sources) {
    for (const value of source.values) addImplied(implied, value);
  }
  for (const atom of summary.atoms) {
    const known =
      atom.kind === 'negation' ||
      (atom.kind === 'quote'
        ? sources.some(({ spoken }) => hasPhrase(spoken, atom.value))
        : atom.kind === 'name'
          ? isKnownName(atom, sources)
          : !atom.sure || implied.has(atom.value));
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
  const words = atom.value.split(' ');
  if (words.every((word) => sources.some((source) => source.words.has(word)))) return true;
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
