import { createRandom, LENGTH_SHARE, MAX_SOURCES } from '@slowwave/fusion';
import { claimsOf } from '../fixtures/facts/claims.ts';
import { honestJudge } from './fact-model.ts';
import type { ShownNote, StatementScript } from './statement-model.ts';

/**
 * How a writer lies about the notes that it is given; each hard fact of a note stays where it can.
 * - `spreading`: what one source says of its own is told of all of them.
 * - `disputed`: it reports a conflict, and tells one of the two in a statement of others.
 * - `reversing`: who did it and to whom it was done change places.
 * - `exchanging`: two sources exchange what is said of them.
 * - `borrowing`: it tells what a note says that is no source of the statement.
 */
export const LIES = ['spreading', 'disputed', 'reversing', 'exchanging', 'borrowing'] as const;
export type Lie = (typeof LIES)[number];
/** What a writer did: it lied in a way, or not. */
export type Told = Lie | 'honest';

/** Statements proposed by what they were, and what the judge said of statements. */
export interface LieCounts {
  proposed: Record<Told, number>;
  judged: { same: number; changed: number };
}

export interface LyingScript extends StatementScript {
  counts(): LieCounts;
}

interface Answer {
  told: Told;
  statements: { sources: number[]; text: string }[];
  conflicts: { a: number; b: number; kind: string; slot: string }[];
}

/** A fact as its note says it: subject, object where there is one, and what is said of them. */
interface Fact {
  n: number;
  kind: string;
  parts: string[];
}

/** How often a writer lies that can. */
const LIE_SHARE = 0.6;

/**
 * A writer that lies about notes of the known forms, each time otherwise and always alike for the same notes, and a judge that is honest and sees
 * nothing but its request.
 */
export function createLyingScript(seed: number | string, { lieShare = LIE_SHARE } = {}): LyingScript {
  const counts: LieCounts = {
    proposed: { honest: 0, spreading: 0, disputed: 0, reversing: 0, exchanging: 0, borrowing: 0 },
    judged: { same: 0, changed: 0 },
  };
  return {
    counts: () => structuredClone(counts),
    write(notes, isRepair) {
      const random = createRandom(`${seed} ${isRepair} ${notes.map(({ text }) => text).join('\n')}`);
      const possible = LIES.filter((lie) => tellLie(notes, lie) !== null);
      const isLie = possible.length > 0 && random() < lieShare;
      const lie = possible[Math.floor(random() * possible.length)];
      const { told, statements, conflicts } = isLie ? tellLie(notes, lie!)! : tellTruth(notes);
      counts.proposed[told] += statements.length;
      return { statements, conflicts };
    },
    judge(item) {
      const judgement = honestJudge(item);
      counts.judged[judgement] += 1;
      return judgement;
    },
  };
}

/** What the notes say, in one statement where it is short enough. */
export function tellTruth(notes: readonly ShownNote[]): Answer {
  return {
    told: 'honest',
    statements: statementOf(notes, factsOf(notes).slice(0, MAX_SOURCES)),
    conflicts: [],
  };
}

/** A lie of a kind about notes; null where they do not allow one. */
export function tellLie(notes: readonly ShownNote[], lie: Lie): Answer | null {
  const facts = factsOf(notes).slice(0, MAX_SOURCES);
  const [first, second] = facts;
  if (!first || !second) return null;
  const answer = (statements: Answer['statements'], conflicts: Answer['conflicts'] = []): Answer | null =>
    statements.length === 0 ? null : { told: lie, statements, conflicts };
  switch (lie) {
    case 'spreading': {
      const spread = facts.map((fact) => retold(fact, propertyOf(fact), first.parts[propertyOf(first)]!));
      return isSame(spread, facts) ? null : answer(statementOf(notes, facts, spread));
    }
    case 'exchanging': {
      const at = facts.findIndex((fact) => fact.parts[propertyOf(fact)] !== first.parts[propertyOf(first)]);
      if (at < 0) return null;
      const exchanged = [...facts];
      exchanged[0] = retold(first, propertyOf(first), facts[at]!.parts[propertyOf(facts[at]!)]!);
      exchanged[at] = retold(facts[at]!, propertyOf(facts[at]!), first.parts[propertyOf(first)]!);
      return answer(statementOf(notes, facts, exchanged));
    }
    case 'reversing': {
      const reversed = facts.map((fact) => reverse(fact));
      return isSame(reversed, facts) ? null : answer(statementOf(notes, facts, reversed));
    }
    case 'borrowing': {
      return answer(withStranger(notes, facts.slice(0, -1), facts.at(-1)!));
    }
    case 'disputed': {
      const conflict = { a: first.n, b: second.n, kind: 'contradictory', slot: 'what is right' };
      return answer(withStranger(notes, facts.slice(2), first), [conflict]);
    }
  }
}

/**
 * What is no source is told: of the last source besides its own, where a list has room for it, or in the place of its own; else as it
 * stands, which a floor sees.
 */
function withStranger(
  notes: readonly ShownNote[],
  sources: readonly Fact[],
  stranger: Fact,
): Answer['statements'] {
  const [last, others] = [sources.at(-1), sources.slice(0, -1)];
  if (!last || others.length === 0) return [];
  const property = stranger.parts[propertyOf(stranger)]!;
  const isSoft = last.kind === 'allergy' || last.kind === 'thing';
  const isNew = sources.every((fact) => fact.parts[propertyOf(fact)] !== property);
  const lent = retold(last, propertyOf(last), property);
  const ways = [
    ...(isSoft && isNew
      ? [
          [...sources, lent],
          [...others, lent],
        ]
      : []),
    [...sources, stranger],
    [...others, stranger],
  ];
  return ways.map((told) => statementOf(notes, sources, told)).find((found) => found.length > 0) ?? [];
}

/** Notes of the commonest form among them, since a statement is about one kind of thing. */
function factsOf(notes: readonly ShownNote[]): Fact[] {
  const read = notes.flatMap(({ n, text }): Fact[] => {
    const [claim, beside, ...more] = [...claimsOf(text)].map((one) => one.split('|'));
    const [kind, ...parts] = claim ?? [];
    if (kind === undefined || !(kind in PROPERTY) || more.length > 0) return [];
    return [{ n, kind, parts: beside === undefined ? parts : [...parts, beside.at(-1)!] }];
  });
  const kinds = Object.keys(PROPERTY).map((kind) => read.filter((fact) => fact.kind === kind));
  return kinds.reduce((most, some) => (some.length > most.length ? some : most), []);
}

/** Which part of a claim is what is said of its subject: a place, what a person is allergic to, a day, a dose. */
const PROPERTY: Readonly<Record<string, number>> = { thing: 3, allergy: 1, loan: 4, dose: 2 };
/** Which parts change places where roles are reversed: what stands and where, who lends and who borrows. */
const ROLES: Readonly<Record<string, readonly [number, number]>> = { thing: [0, 3], loan: [0, 1] };

const propertyOf = ({ kind }: Fact): number => PROPERTY[kind]!;
const retold = (fact: Fact, at: number, value: string): Fact => ({
  ...fact,
  parts: fact.parts.with(at, value),
});
const isSame = (some: readonly Fact[], others: readonly Fact[]): boolean =>
  some.every(({ parts }, at) => parts.join('|') === others[at]!.parts.join('|'));

function reverse(fact: Fact): Fact {
  const roles = ROLES[fact.kind];
  if (!roles) return fact;
  const [one, other] = roles;
  return { ...fact, parts: fact.parts.with(one, fact.parts[other]!).with(other, fact.parts[one]!) };
}

/** @param told what the statement says, when it is not what its sources say */
function statementOf(
  notes: readonly ShownNote[],
  sources: readonly Fact[],
  told: readonly Fact[] = sources,
): Answer['statements'] {
  if (sources.length < 2) return [];
  const numbers = sources.map(({ n }) => n);
  const length = notes.reduce((sum, { n, text }) => sum + (numbers.includes(n) ? text.length : 0), 0);
  const text = textOf(told);
  return text.length <= LENGTH_SHARE * length ? [{ sources: numbers, text }] : [];
}

/** The sentence that says these facts, which are of one kind. */
function textOf(facts: readonly Fact[]): string {
  return `${CLAUSES[facts[0]!.kind]!(facts.map(({ parts }) => parts)).join('; ')}.`;
}

const CLAUSES: Readonly<Record<string, (all: readonly string[][]) => string[]>> = {
  thing: (all) =>
    all.map(([noun, verb, code, place, beside]) => {
      const where = beside === undefined ? place : `${place} beside ${beside}`;
      return `${noun} ${verb} ${code!.toUpperCase()} in ${where}`;
    }),
  loan: (all) =>
    all.map(([from, to, thing, code, day]) => {
      const date = day!.replace(/[a-z]+/, nameOf);
      return `${nameOf(from!)} lent ${nameOf(to!)} ${thing} ${code!.toUpperCase()} on ${date}`;
    }),
  dose: (all) =>
    groupsBy(all, ([, drug]) => drug!).map(([drug, doses]) => {
      const told = doses.map(
        ([name, , dose], at) => `${nameOf(name!)} ${at === 0 ? 'takes ' : ''}${dose} mg`,
      );
      return `${listed(told)} of ${drug} every morning`;
    }),
  allergy: (all) =>
    groupsBy(all, ([, thing]) => thing!).map(([thing, people], at) => {
      const verb = at > 0 ? '' : people.length > 1 ? 'are allergic ' : 'is allergic ';
      return `${listed(people.map(([name]) => nameOf(name!)))} ${verb}to ${thing}`;
    }),
};

const nameOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const listed = (items: readonly string[]): string =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

/** Claims of the same key together, in the order of the first of each. */
function groupsBy(all: readonly string[][], keyOf: (parts: string[]) => string): [string, string[][]][] {
  const groups = new Map<string, string[][]>();
  for (const parts of all) groups.set(keyOf(parts), [...(groups.get(keyOf(parts)) ?? []), parts]);
  return [...groups];
}
