import type { Token } from '../reading/tokens.ts';

/**
 * How far apart two neighbouring words stand. Words of one clause are near, a comma or an "and" is a step, a full stop a leap. The numbers
 * only matter in comparison: what belongs together must be nearer than what does not.
 */
export const WORD_STEP = 0.03;
const MARKS = new Map<string, number>(
  Object.entries({
    ',': 1,
    '、': 1,
    '،': 1,
    ';': 3,
    '؛': 3,
    ':': 0.5,
    '(': 0.95,
    '[': 0.95,
    ')': 1.2,
    ']': 1.2,
    '–': 1,
    '|': 3,
    '!': 4,
    '?': 4,
    '。': 4,
    '؟': 4,
    '।': 4,
    '·': 1,
    '•': 3,
  }),
);
/** By language: words that join like "and", words that oppose like "but", words that begin a relative clause. */
const JOINING = new Map<string, Map<string, number>>();
for (const [code, and, but, who] of [
  ['en', 'and & plus or nor', 'but while whereas although though however', 'who which that whose where'],
  ['de', 'und sowie', 'aber sondern während jedoch', ''],
  ['fr', 'et', 'mais tandis', ''],
  ['es', 'y e', 'pero mientras sino', ''],
  ['it', 'e ed', 'ma mentre però', ''],
  ['pt', 'e', 'mas enquanto porém', ''],
  ['nl', 'en', 'maar terwijl', ''],
  ['pl', 'i oraz', 'ale lecz natomiast', ''],
  ['sv', 'och', 'men medan', ''],
  ['ru', 'и', 'а но однако', ''],
  ['tr', 've', 'ama fakat ise', ''],
  ['hi', 'और तथा', 'लेकिन पर', ''],
  ['ar', 'و', 'لكن', ''],
] as const) {
  const words = new Map<string, number>();
  for (const [step, list] of [
    [1, and],
    [2, but],
    [0.6, who],
  ] as const) {
    for (const word of list.split(' ')) if (word !== '') words.set(word, step);
  }
  JOINING.set(code, words);
}
/** Words that open a clause which goes on about what stands before it. */
export const LEANING: ReadonlySet<string> = new Set(['who', 'which', 'where', 'whose', 'it', 'its']);
/** From this step on a new clause begins. */
const CLAUSE_STEP = 0.9;
/** From this step on: a full stop, a semicolon. */
const SENTENCE_STEP = 3;
const FULL_STOP = 4;

export interface Place {
  axis: number;
  clause: number;
  sentence: number;
}

/**
 * The place of each token.
 *
 * @param inside 1 for a token that goes on with a hard atom: the comma of "March 3, 2019" parts nothing.
 *
 * A full stop ends a sentence when the reader of tokens said that the next token opens one. */
export function placeTokens(tokens: readonly Token[], inside: Uint8Array, code: string): Place[] {
  const places: Place[] = [];
  const joining = JOINING.get(code);
  /** Clauses that a bracket interrupts. */
  const open: number[] = [];
  let last = 0;
  let axis = 0;
  let clause = 0;
  let sentence = 0;
  let wasBorder = true;
  for (const [index, token] of tokens.entries()) {
    if (inside[index]) {
      places.push({ axis, clause, sentence });
      wasBorder = false;
      continue;
    }
    let step =
      token.kind === 'word'
        ? (joining?.get(token.folded) ?? joinedStep(token.folded, code))
        : token.kind === 'mark'
          ? (MARKS.get(token.text) ?? 0)
          : 0;
    if (token.kind === 'mark' && token.text === '-' && !token.glued) step = 1;
    // A Korean verb that goes on ends its clause.
    if (
      code === 'ko' &&
      step === 0 &&
      index > 0 &&
      /(?:이고|이며|하고|하며|으며|지만|있고|없고)$/.test(tokens[index - 1]!.folded)
    )
      step = 1;
    const opens = index > 0 && token.opens && token.kind !== 'mark' && !tokens[index - 1]!.opens;
    // A word that opens a sentence is no border itself: a comma behind it begins an aside ("Rex, the dog, sleeps"). Only where the aside is
    // definite: "Dario, a cousin, makes it" says who he is and what he does, and is compared as one statement.
    const opening = opens && step < CLAUSE_STEP && tokens[index + 2]?.folded === 'the';
    if (opens && step < FULL_STOP) step = FULL_STOP;
    axis += WORD_STEP + step;
    if (step >= SENTENCE_STEP) {
      sentence += 1;
      last += 1;
      clause = last;
      open.length = 0;
    } else if (token.text === '(') {
      open.push(clause);
      last += 1;
      clause = last;
    } else if (token.text === ')' && open.length > 0) {
      clause = open.pop()!;
    } else if (step >= CLAUSE_STEP && !wasBorder) {
      last += 1;
      clause = last;
    }
    wasBorder = step >= CLAUSE_STEP && token.text !== ')' && !opening;
    places.push({ axis, clause, sentence });
  }
  return places;
}

/** An Arabic "and" is written together with the next word. */
function joinedStep(word: string, code: string): number {
  return code === 'ar' && word.startsWith('و') && word.length > 4 ? 1 : 0;
}
