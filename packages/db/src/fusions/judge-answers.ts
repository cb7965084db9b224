import { createHmac } from 'node:crypto';
import {
  JUDGE_PROMPT_VERSION,
  type JudgeQuestion,
  type KeyedHash,
  STATEMENTS_PROMPT_VERSION,
  type StatementJudge,
  type StoredAnswer,
} from '@slowwave/fusion';
import { answerKeyOf, findAnswer, storeAnswer } from '../answers/index.ts';
import type { Transaction } from '../database.ts';

const OFF = 'off';

/** The prompt version of fusions that are asked for statements: under another judge they are asked about anew. @param judge its model; null: none */
export function statementsVersionOf(judge: string | null): string {
  return [STATEMENTS_PROMPT_VERSION, ...(judge === null ? [OFF] : [JUDGE_PROMPT_VERSION, judge])].join('/');
}

/** How the fusions of a prompt version are judged; null for a version that asks for no statements. */
export function statementsMethodOf(promptVersion: string): { judge: string | null; current: boolean } | null {
  const [writer, judged, ...model] = promptVersion.split('/');
  if (!writer?.startsWith('statements-')) return null;
  const judge = judged === OFF ? null : model.join('/');
  return { judge, current: promptVersion === statementsVersionOf(judge) };
}

/**
 * The hash that decides ids, order and canaries of a judge's request. It is keyed with the fusion's key, which hashes the random ids of
 * memories: no text can foresee it. @param secret instead of the key, where the same requests are to come again
 */
export function judgeHashOf(fusionKey: string, secret?: string | null): KeyedHash {
  return (text) =>
    createHmac('sha256', secret ?? fusionKey)
      .update(text)
      .digest('hex');
}

/** Whose question to a judge it is. */
export interface JudgeOwner {
  tenant: string;
  user: string;
  /** Of the fusion. */
  key: string;
  promptVersion: string;
  /** See judgeHashOf; null: none. */
  judgeSecret: string | null;
  /** The sources of the fusion: forgetting one of them reaches the answer. */
  memoryIds: readonly string[];
}

/** A vote or repair that is not stored: it was never asked for, or forgotten. */
export class Unanswered extends Error {}

/**
 * Does something with the judge of a fusion as far as its answers are stored: nobody is asked. Whether it had passed its exam then decides
 * which votes there are, so both are tried. @throws Unanswered where a vote is missing
 */
export async function withStoredJudge<T>(
  tx: Transaction,
  of: JudgeOwner,
  work: (judge: StatementJudge | null) => Promise<T>,
): Promise<T> {
  if (statementsMethodOf(of.promptVersion)?.judge == null) return work(null);
  const answers = openJudgeAnswers((inner) => inner(tx), of);
  const judge = {
    hash: judgeHashOf(of.key, of.judgeSecret),
    async ask(question: JudgeQuestion) {
      const { answer } = await answers.find(question);
      if (!answer) throw new Unanswered();
      return answer;
    },
  };
  try {
    return await work({ ...judge, isExamined: false });
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    return work({ ...judge, isExamined: true });
  }
}

/** Carries out some work in a transaction of the user's tenant. */
type InTransaction = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Where the answers of a judge to the statements of one fusion stand. */
export interface JudgeAnswers {
  /** A paid answer to this question, or the place of the next one. */
  find(question: JudgeQuestion): Promise<{ key: string; attempt: number; answer: StoredAnswer | null }>;
  /** @returns false when a source was forgotten meanwhile: nothing may be made of the answer */
  store(
    place: { key: string; attempt: number },
    answer: StoredAnswer,
    of: { runId: string | null; at: number },
  ): Promise<boolean>;
}

/** Votes and repairs are kept beside the answers of the other steps, so that none is paid for twice. */
export function openJudgeAnswers(
  inTransaction: InTransaction,
  of: Omit<JudgeOwner, 'judgeSecret'>,
): JudgeAnswers {
  const { tenant, user, promptVersion, memoryIds } = of;
  const step = 'judge';
  return {
    async find({ purpose, about }) {
      const parts = [of.key, purpose, about];
      const key = answerKeyOf({ tenant, user, step, promptVersion, model: '', parts });
      const { attempt, answer } = await inTransaction((tx) => findAnswer(tx, { tenant, user, key }));
      return { key, attempt, answer };
    },
    store: ({ key, attempt }, answer, { runId, at }) =>
      inTransaction((tx) =>
        storeAnswer(tx, { tenant, user, key, attempt, step, runId, answer, memoryIds, sessionIds: [], at }),
      ),
  };
}
