export const QUESTION_TYPES = ['single', 'multi', 'temporal', 'update', 'unanswerable'] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];

/** A question with what answers it. */
export interface EvaluationQuestion {
  question: string;
  /** Any of them is right; none for a question that nothing answers. */
  answers: readonly string[];
  /** All of these are needed; of each list, any one memory is enough. Ids under which the memories were written. */
  evidence: readonly (readonly string[])[];
  /** Values that the answer has replaced; of update questions. */
  outdated: readonly string[];
  type: QuestionType;
}

/** What a hit stands for: a memory that was written, itself or one that it took the place of. */
export interface StandsFor {
  id: string;
  /** What the memory said when it was written. */
  text: string;
}

/** A text that a search brings back. */
export interface EvaluatedText {
  content: string;
  /** The days on which it was said, as ISO dates: the first and the last. */
  days: readonly string[];
  standsFor: readonly StandsFor[];
}
