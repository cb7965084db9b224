import type { Clause } from './clauses.ts';
import { stem } from './stem.ts';
import { isUnspaced, type Token, tokenize } from './tokens.ts';

const listed = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean));

const ARTICLES = listed('a an the');
const NEGATORS = listed(`
  not no never none without neither nor cannot nobody nothing don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't
  wouldn't shouldn't hasn't haven't hadn't nicht kein keine keinen nie ohne ne pas jamais sans nunca sin non mai не нет никогда без`);
const AUXILIARIES = listed('do does did can could will would');

/** What may follow a statement and only add to it. */
const ADDITIONS = listed(
  'and in on at with above since because every each for from during by near called named und mit seit in et avec y con',
);
/** What turns, limits or ends the statement that it follows. */
const TURNS = listed(`
  until but only if unless except anymore longer before former formerly maybe perhaps might less more than rather instead almost
  nearly used was were will bis aber nur wenn außer vielleicht mais sauf si peut-être pero solo quizás но если только`);

/** A clause read once, to be compared with many. */
export interface Statement {
  clause: Clause;
  /** Folded words without articles. */
  words: string[];
  endsInNumber: boolean;
  negations: number;
  /** It denies something, in a language whose words for that are known here. */
  denies: boolean;
  unspaced: boolean;
  /** Stems without articles, negations and auxiliaries, with the kind of each. */
  core: { words: string[]; kinds: Token['kind'][] };
}

export function readStatement(clause: Clause): Statement {
  const tokens = tokenize(clause.text).filter(({ text }) => !ARTICLES.has(text));
  const plain = tokens.filter(({ text }) => !NEGATORS.has(text) && !AUXILIARIES.has(text));
  const negations = tokens.filter(({ text }) => NEGATORS.has(text)).length;
  return {
    clause,
    words: tokens.map(({ text }) => text),
    endsInNumber: tokens.at(-1)?.kind === 'number',
    negations,
    denies: negations > 0 || tokens.some(({ text }) => text.endsWith("n't")),
    unspaced: isUnspaced(clause.text),
    core: { words: plain.map(({ text }) => stem(text)), kinds: plain.map(({ kind }) => kind) },
  };
}

function startsWith(longer: string[], shorter: string[]): boolean {
  return shorter.every((word, i) => word === longer[i]);
}

/**
 * True when `kept` says all that `other` says: the same words in the same order, or these and then an addition ("plays cello",
 * "plays cello in an orchestra"). Containing the words is not enough: "Mara's sister lives in Berlin" contains those of "Mara
 * lives in Berlin", and an added "until 2020" takes back what goes before it.
 */
export function says(kept: Statement, other: Statement): boolean {
  if (kept.clause.text === other.clause.text) return true;
  if (other.words.length === 0 || kept.negations !== other.negations) return false;
  if (!startsWith(kept.words, other.words)) return false;
  if (/[?？؟]/u.test(kept.clause.text + other.clause.text)) return false;
  if (kept.words.length === other.words.length) return true;
  // Without spaces nothing shows where a word ends, and a sequence of sentences is more than its first words.
  if (kept.unspaced || kept.clause.whole || other.clause.whole) return false;
  const added = kept.words.slice(other.words.length);
  // A number may go on: "5", "5 and a half".
  return !other.endsInNumber && ADDITIONS.has(added[0] ?? '') && !added.some((word) => TURNS.has(word));
}

export type Opposition = 'polarity' | 'number';

/**
 * Two single statements that differ in nothing but a negation ('polarity'), or in nothing but one number ('number'); else null.
 * These are the oppositions that show without understanding the text.
 */
export function opposes(left: Statement, right: Statement): Opposition | null {
  const [a, b] = [left.core, right.core];
  if (left.clause.whole || right.clause.whole) return null;
  if (a.words.length < 2 || a.words.length !== b.words.length) return null;
  const different = a.words.flatMap((word, i) => (word === b.words[i] ? [] : [i]));
  const samePolarity = left.negations % 2 === right.negations % 2;
  if (different.length === 0) return samePolarity ? null : 'polarity';
  const at = different[0] ?? 0;
  const oneNumber = different.length === 1 && a.kinds[at] === 'number' && b.kinds[at] === 'number';
  return oneNumber && samePolarity ? 'number' : null;
}
