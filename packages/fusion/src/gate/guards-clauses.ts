import type { Difference } from './coverage.ts';
import { DENYING } from './lexicon/classes.ts';
import { type Statement, sharesKey, type Unit } from './unit.ts';

/** Openings of a clause that speaks of the thing named right before it. */
const POINTING = new Set(['which', 'it', 'its', 'where']);

/**
 * Clauses that go on about a thing with which no source has what they say: "allergic to penicillin, which gives her hives", where it is
 * ibuprofen that does.
 */
export function strayClauses(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const problems: Difference[] = [];
  let sentence = -1;
  let before: Unit[] = [];
  for (const { clause, units } of clausesOf(summary)) {
    const here = summary.sentenceOf.get(clause) ?? -1;
    if (here !== sentence) before = [];
    sentence = here;
    const said = units.filter(isThing);
    const nearest = before.findLastIndex(({ kind }) => kind !== 'name');
    const named = before.filter((unit, at) => isThing(unit) || at > nearest || at === before.length - 1);
    before = [...before, ...units].slice(-MAX_BEFORE);
    if (!POINTING.has(summary.openings.get(clause) ?? '') || said.length === 0 || named.length === 0)
      continue;
    const homes = homesOf(said, sources);
    const meant = nearestOf(summary.openings.get(clause)!, named, summary);
    const fits = homes.some((home) => meant.some((unit) => unit.keys.some((key) => home.keys.has(key))));
    const elsewhere = homes.some((home) =>
      home.units.some(
        (unit) =>
          isThing(unit) &&
          !said.some((one) => sharesKey(one, unit)) &&
          unit.keys.some((key) => summary.keys.has(key)),
      ),
    );
    if (!fits && elsewhere) problems.push({ kind: 'pairing', value: said[0]!.form });
  }
  return problems;
}

/** "a van and an old motorbike, which has a dent": of two things joined by a verb of its own each, the nearer one is meant. */
function nearestOf(
  opening: string,
  named: readonly Unit[],
  { verbalClauses, openings }: Statement,
): readonly Unit[] {
  const last = named.at(-1)!;
  const near = named.filter(({ clause }) => clause === last.clause);
  // "tried fasting, eating only at noon, which gave headaches": all of it is meant.
  const participle = /ing$/.test(openings.get(last.clause) ?? '');
  const apart =
    opening === 'which' &&
    !participle &&
    verbalClauses.has(last.clause) &&
    near.some((unit) => isThing(unit) && !unit.verbal);
  return apart ? near : named;
}

/** So many words before a clause are looked at. */
const MAX_BEFORE = 30;

function clausesOf({ units }: Statement): { clause: number; units: Unit[] }[] {
  const clauses = new Map<number, Unit[]>();
  for (const unit of units) {
    const same = clauses.get(unit.clause) ?? [];
    clauses.set(unit.clause, same);
    same.push(unit);
  }
  return [...clauses].map(([clause, same]) => ({ clause, units: same }));
}

/** "landlord", "uncle": who is named by what he is to somebody. */
function isKin({ kind, person }: Unit): boolean {
  return kind === 'word' && person !== null;
}

function isThing(unit: Unit): boolean {
  return (
    unit.kind !== 'operator' && !unit.soft && !unit.frame && unit.person === null && unit.keys[0] !== 'user'
  );
}

/** The sources that have most of what a clause says. */
function homesOf(said: readonly Unit[], sources: readonly Statement[]): Statement[] {
  const counts = sources.map(
    ({ keys }) => said.filter((unit) => unit.keys.some((key) => keys.has(key))).length,
  );
  const most = Math.max(...counts);
  return most === 0 ? [] : sources.filter((_, at) => counts[at] === most);
}

/**
 * Days, hours and places in a clause with which no source has them, while what has them is told in another clause: "got a hip replacement and can
 * no longer drive in 2023".
 */
export function strayValues(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const problems: Difference[] = [];
  for (const { clause, units } of clausesOf(summary)) {
    const things = units.filter(isThing);
    // "from Finnish into Swedish who charges": two statements in one clause.
    const joined = summary.pronouns.some((pronoun) => pronoun.clause === clause);
    if (joined || !things.some(({ verbal }) => verbal)) continue;
    for (const unit of things) {
      if (unit.kind !== 'date' && unit.kind !== 'time' && unit.kind !== 'name') continue;
      const mates = units.filter(
        (other) => (isThing(other) || isKin(other)) && other !== unit && !sharesKey(other, unit),
      );
      const homes = sources.filter(({ keys }) => unit.keys.some((key) => keys.has(key)));
      if (mates.length === 0 || homes.length === 0) continue;
      if (homes.some(({ keys }) => mates.some((mate) => mate.keys.some((key) => keys.has(key))))) continue;
      const own = new Set(homes.flatMap((home) => home.units.filter(isThing).flatMap(({ keys }) => keys)));
      const told = summary.units.some(
        (other) => other.clause !== clause && isThing(other) && other.keys.some((key) => own.has(key)),
      );
      if (told) problems.push({ kind: 'pairing', value: unit.form });
    }
  }
  return problems;
}

/** A denial that denies a wish, a duty or a doubt in the summary and not in the sources: "does want children and is not unsure". */
export function movedDenials(summary: Statement, sources: readonly Statement[]): Difference[] {
  const known = new Set(sources.flatMap(deniedOperators));
  const said = new Set(deniedOperators(summary));
  const problems: Difference[] = [];
  for (const name of new Set([...known, ...said])) {
    if (known.has(name) === said.has(name)) continue;
    const other = known.has(name) ? [summary] : sources;
    if (other.some(({ units }) => units.some(({ kind, keys }) => kind === 'operator' && keys[0] === name)))
      problems.push({ kind: 'negation', value: `not ${name.slice(3)}` });
  }
  return problems;
}

/** What a denial before it makes its opposite. */
const DENIABLE = new Set(
  ['want', 'need', 'should', 'plan', 'hope', 'uncertain', 'consider', 'decide', 'might', 'seem', 'will'].map(
    (name) => `op:${name}`,
  ),
);

function deniedOperators({ units }: Statement): string[] {
  return units.flatMap((unit, at) => {
    const next = units[at + 1];
    const denies = unit.kind === 'operator' && DENYING.has(unit.keys[0]!.slice(3));
    return denies && next?.clause === unit.clause && DENIABLE.has(next.keys[0]!) ? [next.keys[0]!] : [];
  });
}
