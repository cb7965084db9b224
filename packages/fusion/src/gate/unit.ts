import type { AtomKind } from '../reading/atoms.ts';

export type UnitKind = AtomKind | 'word' | 'operator' | 'gram';

/** One thing that a text says: a hard atom, a content word, or a word that changes what stands near it ("not", "might", "only"). */
export interface Unit {
  kind: UnitKind;
  /** Two units mean the same when they share a key: "=ann" for a name, "allergic" for the class of a word, "op:not" for an operator. */
  keys: readonly string[];
  /** As written, folded; for the repair request only. */
  form: string;
  /** A source may lose it: fillers, "some". A summary may not add it. */
  soft: boolean;
  /** A summary may add it: words for what a list has in common. */
  frame: boolean;
  /** Place on an axis where clause and sentence borders are far apart and neighbouring words are near. */
  axis: number;
  /** Index of the clause, and of the sentence. */
  clause: number;
  sentence: number;
  /** Index among the words of the text. */
  word: number;
  /** The glue word right before it, "from" for instance; '' for none. */
  before: string;
  tense: 'past' | 'present' | null;
  /** It is a verb, as far as a list of verbs and its form tell. */
  verbal: boolean;
  /** Whom it names, when it is somebody (or somebody's animal) who can be the subject of a statement. */
  person: string | null;
}

export interface UserMention {
  clause: number;
  word: number;
  /** "my", "the user's": what follows is meant, not the user. */
  possessive: boolean;
  /** The word before it. */
  before: string;
  /** Folded. */
  form: string;
}

/** A word that stands for something named before. */
export interface Pronoun {
  axis: number;
  clause: number;
  /** Folded. */
  form: string;
  /** Index among the words of the text. */
  word: number;
}

/** A text as the gate sees it. */
export interface Statement {
  units: Unit[];
  /** Every key of every unit. */
  keys: ReadonlySet<string>;
  /** Where the user is spoken of: "I", "the user", or a clause without a subject at the start of a sentence. */
  userAt: UserMention[];
  /** The first word of each clause, folded; '' where an atom or a name opens it. */
  openings: Map<number, string>;
  /** Sentence of each clause. */
  sentenceOf: Map<number, number>;
  /** Sentences' first clauses that begin with their verb: "Lives in Dublin". */
  elided: Set<number>;
  /** Clauses with a verb of their own. */
  verbalClauses: ReadonlySet<number>;
  /** Words that stand for something named before. */
  pronouns: Pronoun[];
  /** ISO 639-1. */
  language: string;
  /** Clauses that say aside what the subject of another clause is, with that clause. */
  asides: ReadonlyMap<number, number>;
  /** Units, by their word, that are only named as having said what follows: "the doctor said". */
  reporters: ReadonlySet<number>;
  /** Words that point at others by their place in the text: "respectively", "the latter". */
  pointers: string[];
  /** Keys of names of people and animals, in languages other than English. */
  named: ReadonlySet<string>;
  /** In languages other than English: keys of those who did something in a passive, and of people to whom something is done. */
  marks: { agents: ReadonlySet<string>; receivers: ReadonlySet<string> };
  /** Copulas: the keys of what is said to be, and when. */
  copulas: { key: string; tense: 'past' | 'present'; owned: boolean }[];
  /** Whether a clause holds a word of the past. */
  pastClauses: ReadonlySet<number>;
  /** Where its first verb stands, as an index of words. */
  verbAt: number;
  /** What it says word by word, for quoted phrases. */
  spoken: string;
  /** What stands at each place of it, folded, marks as well. */
  said: readonly string[];
  /** Characters of scripts without spaces that could not be made units. */
  opaque: boolean;
}

export function sharesKey(one: Unit, other: Unit): boolean {
  return one.keys.some((key) => other.keys.includes(key));
}

export function isAtomKind(kind: Unit['kind']): kind is AtomKind {
  return kind !== 'word' && kind !== 'operator' && kind !== 'gram';
}
