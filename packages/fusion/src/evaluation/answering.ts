import { readStoredAnswer } from '../answer.ts';
import { fence } from '../fence.ts';
import type { CompletionRequest, StoredAnswer } from '../ports.ts';
import { DATA_RULE } from '../prompt-source.ts';
import { withinBudget } from '../recall/budget.ts';
import type { EvaluatedText, EvaluationQuestion } from './questions.ts';

/** Characters of memories that a model is given for one question. */
export const ANSWERING_CHARS = 1_500;
const ANSWER_TOKENS = 300;
const GRADE_TOKENS = 300;

/** How a model answered the questions from what recall brought back, as graded by the same model. */
export interface AnsweringFigures {
  questions: number;
  right: number;
  /** Requests that got no answer that could be read. */
  failed: number;
  inputTokens: number;
  outputTokens: number;
}

const ANSWER_SYSTEM = `You answer a question about a person from notes about them. Each note has the days on which it was said.
${DATA_RULE}
Where notes disagree, the later one holds. Answer in a few words; for a day give its date. Where the notes do not answer the question, the answer is null: do not guess.
Answer with JSON only: {"answer": "..."} or {"answer": null}`;

const ANSWER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['answer'],
  properties: { answer: { type: ['string', 'null'] } },
};

const GRADE_SYSTEM = `You grade an answer to a question. "accepted" lists right answers, any of which is enough; an empty list means that the question cannot be answered, and only null is right.
${DATA_RULE}
Wording, order and additions that are not wrong do not matter; a wrong or missing part does. A value that is not the accepted one is wrong, however near.
Answer with JSON only, the reason first: {"reason": "...", "right": true}`;

const GRADE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['reason', 'right'],
  properties: { reason: { type: 'string' }, right: { type: 'boolean' } },
};

/**
 * Has a question answered from the first texts that fit into ANSWERING_CHARS.
 *
 * @param texts as a search ordered them, best first
 * @param day on which it is asked, YYYY-MM-DD
 */
export function buildAnswerRequest(
  question: Pick<EvaluationQuestion, 'question'>,
  texts: readonly EvaluatedText[],
  day: string,
): CompletionRequest {
  const notes = withinBudget(texts, ANSWERING_CHARS).map(({ content, days }) => ({ days, text: content }));
  const asked = fence('MESSAGES', [{ question: question.question, askedOn: day }]);
  return {
    system: ANSWER_SYSTEM,
    messages: [{ role: 'user', content: `${fence('SOURCES', notes)}\n\n${asked}` }],
    temperature: 0,
    maxTokens: ANSWER_TOKENS,
    schema: ANSWER_SCHEMA,
  };
}

/** Has an answer graded. @param given null: the model said that the notes do not answer */
export function buildGradeRequest(
  question: Pick<EvaluationQuestion, 'question' | 'answers'>,
  given: string | null,
): CompletionRequest {
  const item = { question: question.question, accepted: question.answers, answer: given };
  return {
    system: GRADE_SYSTEM,
    messages: [{ role: 'user', content: fence('MESSAGES', [item]) }],
    temperature: 0,
    maxTokens: GRADE_TOKENS,
    schema: GRADE_SCHEMA,
  };
}

/** What a model answered; undefined for what cannot be read. */
export function readGivenAnswer(stored: StoredAnswer): string | null | undefined {
  const read = readStoredAnswer(stored, ['answer']);
  if (!read.ok) return undefined;
  const { answer } = read.value;
  return answer === null || typeof answer === 'string' ? answer : undefined;
}

/** Whether an answer was graded as right; null for a grade that cannot be read. */
export function readGrade(stored: StoredAnswer): boolean | null {
  const read = readStoredAnswer(stored, ['right']);
  return read.ok && typeof read.value.right === 'boolean' ? read.value.right : null;
}
