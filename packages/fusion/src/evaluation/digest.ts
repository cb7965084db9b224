import { charsIn, withinBudget } from '../recall/budget.ts';
import type { EvaluatedText, EvaluationQuestion } from './questions.ts';
import { HELD } from './score.ts';
import { contentWords, shareHeld } from './words.ts';

/** Budgets of what an agent carries in every prompt, in characters. */
export const DIGEST_BUDGETS = [1_000, 2_000, 4_000, 8_000] as const;
export type DigestBudget = (typeof DIGEST_BUDGETS)[number];

/** Characters of a line at most: a longer one is a list of words rather than a statement. */
export const LINE_CHARS = 240;

/** Shares of the answerable questions, 0 to 1. */
export interface DigestFigures {
  /** An answer stands in one line that comes from its evidence. */
  lines: number;
  /** Share of the answers' words that stand anywhere; a list of the commonest words would win it. */
  words: number;
}

/**
 * How much of the answers texts hold that are read without a question, as far as a budget reaches.
 * @param texts in the order in which they are taken
 */
export function scoreDigest(
  texts: readonly EvaluatedText[],
  questions: readonly EvaluationQuestion[],
  budget: number,
): DigestFigures {
  const lines = withinBudget(texts.flatMap(linesOf), budget).map((line) => ({
    ...line,
    words: new Set([...contentWords(line.content), ...line.days]),
  }));
  const all = new Set(lines.flatMap(({ words }) => [...words]));
  let [held, words, asked] = [0, 0, 0];
  for (const { answers, evidence, type } of questions) {
    if (type === 'unanswerable') continue;
    asked += 1;
    const ids = new Set(evidence.flat());
    const said = answers.map(contentWords);
    const own = lines.filter(({ standsFor }) => standsFor.some(({ id }) => ids.has(id)));
    if (own.some((line) => said.some((answer) => shareHeld(answer, line.words) >= HELD))) held += 1;
    words += Math.max(0, ...said.map((answer) => shareHeld(answer, all)));
  }
  return asked === 0 ? { lines: 0, words: 0 } : { lines: held / asked, words: words / asked };
}

/** A text as lines of at most 240 characters, cut where sentences end; a longer sentence is left out. */
function linesOf(text: EvaluatedText): EvaluatedText[] {
  if (charsIn(text.content) <= LINE_CHARS) return [text];
  const sentences = text.content.split(/(?<=[.!?。！？])\s*/u).filter((sentence) => sentence !== '');
  return sentences
    .filter((sentence) => charsIn(sentence) <= LINE_CHARS)
    .map((content) => ({ ...text, content }));
}
