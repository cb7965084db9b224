import { DEFAULT_IMPORT_LIMITS } from '@slowwave/db/vocabulary';
import type { QuestionType } from '@slowwave/fusion';
import { piecesOf } from './pieces.ts';
import type { JsonObject } from './values.ts';

export const CONVERT_FORMATS = ['locomo', 'longmemeval'] as const;
export type ConvertFormat = (typeof CONVERT_FORMATS)[number];

/** What one memory holds. */
export const CONVERT_UNITS = ['observation', 'turn', 'round'] as const;
export type ConvertUnit = (typeof CONVERT_UNITS)[number];

/** Why a question, or a sample, is left out although nothing is wrong with its shape. */
export const SKIP_REASONS = {
  no_answer: 'questions without an answer',
  no_evidence: 'questions that name no evidence',
  unknown_evidence: 'questions whose evidence names a turn that is not in the history',
  not_observed: 'questions whose evidence no observation says (--unit turn keeps them)',
  said_by_assistant: 'questions whose evidence the assistant said (--unit round keeps them)',
  repeated_question: 'questions that stand there twice',
  no_questions: 'samples of which no question is left',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

export interface SampleNotes {
  /** What is wrong with a question, which is left out. @param message never a text of the sample */
  problem(field: string, message: string): void;
  skip(reason: SkipReason): void;
}

/** A sample as the lines of an evaluation set, of one user. */
export interface ConvertedSample {
  user: string;
  lines: string[];
  memories: number;
  questions: QuestionType[];
}

export interface SampleOptions {
  unit: ConvertUnit;
  maxContentChars: number;
  notes: SampleNotes;
}

/** Converts one sample. @throws SampleError when its history cannot be read */
export type ConvertSample = (sample: JsonObject, number: number, options: SampleOptions) => ConvertedSample;

export interface NewMemory {
  /** Unique in the sample, and the same for the same file. */
  id: string;
  text: string;
  /** Stands before each piece of a long text. */
  prefix?: string;
  /** Epoch ms, UTC. */
  date: number;
  session: string;
  source?: 'user';
}

export interface NewQuestion {
  question: string;
  type: QuestionType;
  answers: string[];
  /** All are needed, of each list any one. */
  evidence: string[][];
}

/** Collects the memories and questions of one user. */
export function createSample(user: string, { maxContentChars, notes }: SampleOptions) {
  const memories: { date: number; line: string }[] = [];
  const questions = new Map<string, QuestionType>();
  return {
    /** @returns the ids under which the text stands: none for an empty one, several for a long one */
    remember({ id, text, prefix, date, session, source }: NewMemory): string[] {
      return piecesOf(text, maxContentChars, prefix).map((content, at) => {
        const own = at === 0 ? id : `${id}/${at + 1}`;
        const said = new Date(date).toISOString();
        const line = { id: own, user, content, category: 'fact', date: said, session, source };
        memories.push({ date, line: JSON.stringify(line) });
        return own;
      });
    },
    /** Adds what can be asked, and notes why anything cannot. @param field how messages call the question */
    ask(field: string, { question, type, answers, evidence }: NewQuestion): void {
      const answerable = type !== 'unanswerable';
      const line = JSON.stringify({
        kind: 'question',
        user,
        type,
        question,
        ...(answerable ? { answers, evidence } : {}),
      });
      if (question === '') notes.problem(field, 'has no text; expected what is asked');
      else if (answerable && answers.length === 0) notes.skip('no_answer');
      else if (answerable && evidence.length === 0) notes.skip('no_evidence');
      else if (Buffer.byteLength(line) > DEFAULT_IMPORT_LIMITS.lineBytes)
        notes.problem(field, 'is too long for a line; expected at most 4 MiB');
      else if (questions.has(line)) notes.skip('repeated_question');
      else questions.set(line, type);
    },
    /** In the order in which it was said. */
    converted(): ConvertedSample {
      const inOrder = memories.sort((a, b) => a.date - b.date).map(({ line }) => line);
      return {
        user,
        lines: [JSON.stringify({ kind: 'user', user, timezone: 'UTC' }), ...inOrder, ...questions.keys()],
        memories: inOrder.length,
        questions: [...questions.values()],
      };
    },
  };
}
export type SampleBuilder = ReturnType<typeof createSample>;

/** A second for each turn keeps them in order; the formats date sessions alone. */
export const dateOfTurn = (session: number, position: number): number => session + (position - 1) * 1_000;
