import { stemsOf } from './derived.ts';
import { lemmaOf } from './lemma.ts';
import { ORIGINS } from './lexicon/families.ts';
import { BY_KEY, ORIGIN_OF } from './replacement-table.ts';
import type { Statement, Unit } from './unit.ts';

/** Words of a phrase stand in one clause and no further apart: "picks the two kids up". */
const REACH = 5;
/** Verbs that make of a country where something is from a place that somebody left: "flew in from Italy" is no "Italian". */
const MOTION = new Set(
  'move fly travel return arrive drive send bring relocate emigrate migrate leave come_back back go'
    .split(' ')
    .map(lemmaOf),
);

/**
 * Gives words of the summary that no source has the keys of the words that they stand for: a derived form ("acceptance" for "accepted"), an
 * everyday replacement ("collects" for "picks up"), what comes from a country. From then on they are one thing to every check, so that what
 * stands with them is compared as well. A word is explained only by a word that is lost, only where something else of that statement is kept
 * beside it, and only where the order of the persons does not turn.
 */
export function alignWords(sources: readonly Statement[], summary: Statement): void {
  if (summary.language !== 'en') return;
  const known = new Set<string>();
  for (const { keys } of sources) for (const key of keys) known.add(key);
  const open = new Set(
    summary.units.filter((unit) => isWord(unit) && !unit.keys.some((key) => known.has(key))),
  );
  const said = readWords(summary);
  const keys = summary.keys as Set<string>;
  const isLost = (unit: Unit): boolean => !unit.keys.some((key) => keys.has(key));
  const align = (source: Statement, at: number): void => {
    const unit = source.units[at]!;
    const derived = derivedFrom(unit, said.byStem, open, isLost(unit));
    const found =
      derived ?? originOf(unit, source, open) ?? replacementOf(at, source, summary, said.byKey, open);
    if (!found) return;
    const [mine, theirs] = found;
    const place = theirs.find((here) => isPlace(mine, here, source, summary));
    if (!place) return;
    const own = [...new Set(mine.flatMap((one) => one.keys))];
    for (const key of own) keys.add(key);
    for (const one of place) {
      one.keys = [...new Set([...own, ...one.keys])];
      open.delete(one);
    }
  };
  // What is lost first; what is told in its own word as well may explain what is left.
  for (const lost of [true, false]) {
    for (const source of sources) {
      for (const [at, unit] of source.units.entries()) {
        if (open.size === 0 && !lost) return;
        if (isWord(unit) && !unit.soft && isLost(unit) === lost) align(source, at);
      }
    }
  }
}

/** The words of a summary by key and by the stems that they may be derived from. */
function readWords({ units }: Statement): { byKey: Map<string, number[]>; byStem: Map<string, Unit[]> } {
  const byKey = new Map<string, number[]>();
  const byStem = new Map<string, Unit[]>();
  const add = <T>(map: Map<string, T[]>, key: string, one: T): void => {
    const same = map.get(key);
    if (same) same.push(one);
    else map.set(key, [one]);
  };
  for (const [at, unit] of units.entries()) {
    if (!isWord(unit)) continue;
    for (const key of unit.keys) add(byKey, key, at);
    if (unit.kind === 'word') for (const stem of stemsOf(unit.form)) add(byStem, stem, unit);
  }
  return { byKey, byStem };
}

function isWord(unit: Unit): boolean {
  return unit.kind === 'word' || (unit.kind === 'name' && unit.person === null);
}

/** The units of the source that are explained, and the places in the summary that may explain them. */
type Found = [Unit[], Unit[][]];

/** @param lost a word that is lost may be told by a form that another source has as well; another only by one that nothing else explains. */
function derivedFrom(
  unit: Unit,
  byStem: ReadonlyMap<string, Unit[]>,
  open: ReadonlySet<Unit>,
  lost: boolean,
): Found | null {
  if (unit.kind !== 'word' || unit.form.includes(' ')) return null;
  const found = new Set(stemsOf(unit.form).flatMap((stem) => byStem.get(stem) ?? []));
  const words = [...found].filter((one) => open.has(one) || (lost && !one.soft));
  return words.length > 0 ? [[unit], words.map((one) => [one])] : null;
}

/** "beans from Ethiopia" is "Ethiopian beans". */
function originOf(unit: Unit, source: Statement, open: ReadonlySet<Unit>): Found | null {
  const others = ORIGIN_OF.get(unit.form);
  if (!others) return null;
  const found = [...open].filter((one) => others.includes(one.form));
  const country = ORIGIN_FIRST.has(unit.form) ? unit : null;
  const moves = source.units.some(({ clause, keys }) => clause === unit.clause && MOTION.has(keys[0]!));
  const fits = found.filter((one) => !moves && (country ?? one).before === 'from');
  return fits.length > 0 ? [[unit], fits.map((one) => [one])] : null;
}

const ORIGIN_FIRST = new Set(ORIGINS.split('|').map((line) => line.trim().split(' ')[0]!));

function replacementOf(
  at: number,
  source: Statement,
  summary: Statement,
  byKey: ReadonlyMap<string, number[]>,
  open: ReadonlySet<Unit>,
): Found | null {
  const unit = source.units[at]!;
  for (const key of unit.keys) {
    for (const { from, to } of BY_KEY.get(key) ?? []) {
      const starts = byKey.get(to[0]!);
      if (!starts) continue;
      const mine = sequenceAround(source.units, at, from);
      if (!mine) continue;
      const theirs = starts
        .map((start) => sequenceAt(summary.units, start, to))
        .filter((units) => units?.some((one) => open.has(one)) === true);
      if (theirs.length > 0) return [mine, theirs as Unit[][]];
    }
  }
  return null;
}

/** The units of a phrase of which one stands at `at`. */
function sequenceAround(units: readonly Unit[], at: number, keys: readonly string[]): Unit[] | null {
  for (let start = at; start >= 0 && start > at - REACH; start -= 1) {
    const found = sequenceAt(units, start, keys);
    if (found?.includes(units[at]!)) return found;
  }
  return null;
}

/** The units of a phrase that begins at `at`. */
function sequenceAt(units: readonly Unit[], at: number, keys: readonly string[]): Unit[] | null {
  const first = units[at]!;
  if (!isWord(first) || !first.keys.includes(keys[0]!)) return null;
  const found = [first];
  for (const key of keys.slice(1)) {
    const next = units
      .slice(at + 1, at + REACH)
      .find(
        (unit) =>
          isWord(unit) &&
          unit.clause === first.clause &&
          unit.word > found.at(-1)!.word &&
          unit.word <= first.word + REACH &&
          unit.keys.includes(key),
      );
    if (!next) return null;
    found.push(next);
  }
  return found;
}

/** Whether a place in the summary tells of the same: something else of the statement stands there, and its persons in the same order. */
function isPlace(
  mine: readonly Unit[],
  theirs: readonly Unit[],
  source: Statement,
  summary: Statement,
): boolean {
  const { sentence } = theirs[0]!;
  const here = summary.units.filter((unit) => unit.sentence === sentence && !theirs.includes(unit));
  const isKept = (unit: Unit): boolean =>
    here.some((other) => other.keys.some((key) => unit.keys.includes(key)));
  const isContext = (unit: Unit): boolean => !mine.includes(unit) && !unit.soft && unit.kind !== 'operator';
  const near = source.units.filter((unit) => unit.clause === mine[0]!.clause && isContext(unit));
  const wide = source.units.filter((unit) => unit.sentence === mine[0]!.sentence && isContext(unit));
  if (!(near.length > 0 ? near : wide).some(isKept)) return false;
  if (mine.some(({ verbal }) => verbal) && theirs.some(({ verbal }) => verbal)) return true;
  return keepsPersons(mine[0]!.sentence, sentence, source, summary);
}

/** Where the verb is no longer told as one, nothing but the order of the persons tells who does it to whom. */
function keepsPersons(from: number, to: number, source: Statement, summary: Statement): boolean {
  const before = personsIn(source, from);
  if (before.length < 2) return true;
  const after = personsIn(summary, to);
  if (after.some(({ before: word }) => word === 'from' || word === 'by')) return false;
  const names = before.map(({ name }) => name);
  const kept = after.map(({ name }) => name).filter((name) => names.includes(name));
  const wanted = names.filter((name) => kept.includes(name));
  return kept.length > 0 && kept[0] === names[0] && kept.every((name, at) => name === wanted[at]);
}

/** Who is spoken of in a sentence, each once, in order. */
function personsIn(statement: Statement, sentence: number): { name: string; before: string; at: number }[] {
  const persons = statement.units
    .filter((unit) => unit.person !== null && unit.sentence === sentence)
    .map(({ keys, before, word }) => ({ name: keys[0]!, before, at: word }));
  for (const { clause, before, word } of statement.userAt) {
    if (statement.sentenceOf.get(clause) === sentence) persons.push({ name: 'user', before, at: word });
  }
  persons.sort((one, other) => one.at - other.at);
  return persons.filter(({ name }, at) => persons.findIndex((other) => other.name === name) === at);
}
