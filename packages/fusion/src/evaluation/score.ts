import { charsIn, withinBudget } from '../recall/budget.ts';
import {
  type EvaluatedText,
  type EvaluationQuestion,
  QUESTION_TYPES,
  type QuestionType,
} from './questions.ts';
import { contentWords, shareHeld } from './words.ts';

/** Budgets of a search, in characters. */
export const BUDGETS = [500, 1_500, 4_000] as const;
export type Budget = (typeof BUDGETS)[number];

/** Share of an answer's words, or of a question's, from which a text holds it. */
export const HELD = 0.8;

/** How one question was answered. Shares are 0 to 1. */
export interface QuestionScore {
  type: QuestionType;
  /** Share of the evidence among the first 5 and 10; null for a question that nothing answers. */
  recall5: number | null;
  recall10: number | null;
  /** The same where a derived memory counts for each of its sources, whatever its text says. */
  plainRecall10: number | null;
  /** 1 when all evidence is among the first 10. */
  all10: number | null;
  /** 1 over the place of the first evidence; 0 without one. */
  reciprocalRank: number | null;
  /** Share of the evidence, and of an answer's content words, in as many characters. */
  recallWithin: Record<Budget, number | null>;
  plainRecallWithin: Record<Budget, number | null>;
  answerWithin: Record<Budget, number | null>;
  /** Of update questions: an outdated value stands above every text with the current one. */
  outdatedAbove: boolean | null;
  /** Of questions that nothing answers: no text passes for an answer. */
  rejected: boolean | null;
  /** Characters of the first 10. */
  characters10: number;
}

/** Scores what a search brought back for one question, best first. */
export function scoreQuestion(question: EvaluationQuestion, texts: readonly EvaluatedText[]): QuestionScore {
  const read = texts.map((text) => ({ ...text, words: contentWords(text.content) }));
  const ten = read.slice(0, 10);
  const answers = question.answers.map(contentWords);
  const counts = (text: ReadText, alternatives: readonly string[]) =>
    standsForAny(text, alternatives, answers);
  const plain = (text: ReadText, alternatives: readonly string[]) =>
    text.standsFor.some(({ id }) => alternatives.includes(id));
  const share = (among: readonly ReadText[], is: typeof counts) =>
    question.evidence.length === 0
      ? null
      : question.evidence.filter((alternatives) => among.some((text) => is(text, alternatives))).length /
        question.evidence.length;
  const within = byBudget((budget) => withinBudget(read, budget));
  const recall10 = share(ten, counts);
  const first = read.findIndex((text) => question.evidence.some((needed) => counts(text, needed)));
  const answerable = question.type !== 'unanswerable';
  return {
    type: question.type,
    recall5: share(read.slice(0, 5), counts),
    recall10,
    plainRecall10: share(ten, plain),
    all10: recall10 === null ? null : Number(recall10 === 1),
    reciprocalRank: recall10 === null ? null : first < 0 ? 0 : 1 / (first + 1),
    recallWithin: byBudget((budget) => share(within[budget], counts)),
    plainRecallWithin: byBudget((budget) => share(within[budget], plain)),
    answerWithin: byBudget((budget) => (answerable ? bestAnswer(answers, wordsOf(within[budget])) : null)),
    outdatedAbove: question.type === 'update' ? outdatedAbove(question, read, answers) : null,
    rejected: answerable ? null : !ten.some((text) => holds(text.words, contentWords(question.question))),
    characters10: ten.reduce((sum, { content }) => sum + charsIn(content), 0),
  };
}

type ReadText = EvaluatedText & { words: ReadonlySet<string> };

const holds = (text: ReadonlySet<string>, words: ReadonlySet<string>): boolean =>
  words.size > 0 && shareHeld(words, text) >= HELD;

/**
 * Whether a text stands for one of these memories: it is one of them, or was derived from one and still has those of an answer's words
 * that this source had.
 */
function standsForAny(
  text: ReadText,
  ids: readonly string[],
  answers: readonly ReadonlySet<string>[],
): boolean {
  return text.standsFor.some((source) => {
    if (!ids.includes(source.id)) return false;
    if (source.text === text.content) return true;
    const had = contentWords(source.text);
    return answers.some((answer) => [...answer].every((word) => !had.has(word) || text.words.has(word)));
  });
}

/** Everything that a reader of these texts and of their days reads. */
const wordsOf = (texts: readonly ReadText[]): Set<string> =>
  new Set(
    texts.flatMap((text) => [
      ...text.words,
      ...text.days,
      ...text.days.flatMap((day) => [...spelledOut(day)]),
    ]),
  );

/** The words of a day as answers write it: the day of the month, its month and its year. */
const spelledOut = (day: string): Set<string> =>
  contentWords(
    new Date(day).toLocaleDateString('en-GB', {
      timeZone: 'UTC',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
    }),
  );

const bestAnswer = (answers: readonly ReadonlySet<string>[], words: ReadonlySet<string>): number =>
  Math.max(0, ...answers.map((answer) => shareHeld(answer, words)));

/** Both values in one text count as the current one; an outdated value alone, with no current one in sight, stands above it. */
function outdatedAbove(
  { outdated }: EvaluationQuestion,
  texts: readonly ReadText[],
  answers: readonly ReadonlySet<string>[],
): boolean {
  const old = outdated.map(contentWords);
  for (const { words } of texts) {
    if (answers.some((answer) => holds(words, answer))) return false;
    if (old.some((value) => holds(words, value))) return true;
  }
  return false;
}

function byBudget<T>(of: (budget: Budget) => T): Record<Budget, T> {
  return Object.fromEntries(BUDGETS.map((budget) => [budget, of(budget)])) as Record<Budget, T>;
}

/** Means over many questions, each over those that the figure is of; null where there are none. */
export interface SearchFigures {
  recall5: number | null;
  recall10: number | null;
  plainRecall10: number | null;
  all10: number | null;
  reciprocalRank: number | null;
  recallWithin: Record<Budget, number | null>;
  plainRecallWithin: Record<Budget, number | null>;
  answerWithin: Record<Budget, number | null>;
  outdatedAbove: number | null;
  rejected: number | null;
  characters10: number | null;
  byType: Record<
    QuestionType,
    { questions: number; recall10: number | null; recall1500: number | null; answer1500: number | null }
  >;
}

export function figuresOf(scores: readonly QuestionScore[]): SearchFigures {
  const mean = (of: (score: QuestionScore) => number | boolean | null) => meanOf(scores, of);
  return {
    recall5: mean(({ recall5 }) => recall5),
    recall10: mean(({ recall10 }) => recall10),
    plainRecall10: mean(({ plainRecall10 }) => plainRecall10),
    all10: mean(({ all10 }) => all10),
    reciprocalRank: mean(({ reciprocalRank }) => reciprocalRank),
    recallWithin: byBudget((budget) => mean(({ recallWithin }) => recallWithin[budget])),
    plainRecallWithin: byBudget((budget) => mean(({ plainRecallWithin }) => plainRecallWithin[budget])),
    answerWithin: byBudget((budget) => mean(({ answerWithin }) => answerWithin[budget])),
    outdatedAbove: mean(({ outdatedAbove }) => outdatedAbove),
    rejected: mean(({ rejected }) => rejected),
    characters10: mean(({ characters10 }) => characters10),
    byType: Object.fromEntries(
      QUESTION_TYPES.map((type) => {
        const own = scores.filter((score) => score.type === type);
        return [
          type,
          {
            questions: own.length,
            recall10: meanOf(own, ({ recall10 }) => recall10),
            recall1500: meanOf(own, ({ recallWithin }) => recallWithin[1_500]),
            answer1500: meanOf(own, ({ answerWithin }) => answerWithin[1_500]),
          },
        ];
      }),
    ) as SearchFigures['byType'],
  };
}

function meanOf(
  scores: readonly QuestionScore[],
  of: (score: QuestionScore) => number | boolean | null,
): number | null {
  const values = scores.map(of).filter((value) => value !== null);
  return values.length === 0
    ? null
    : values.reduce<number>((sum, value) => sum + Number(value), 0) / values.length;
}
