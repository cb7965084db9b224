import { type FusionScope, judgeHashOf, openJudgeAnswers, readJudgeExam } from '@slowwave/db';
import { askModel, type LLMProvider, ModelError, questionOf, type StatementsOptions } from '@slowwave/fusion';
import type { UserJobDeps } from './context.ts';
import { isJudging } from './fusion-scope.ts';

/**
 * Who judges the statements of a job. A model that failed its exam judges nothing; one that was not examined gives every statement two
 * votes.
 */
export async function admittedJudge(
  { database, statements }: Pick<UserJobDeps, 'database' | 'statements'>,
  judge: LLMProvider | null,
): Promise<Pick<StatementModels, 'judge' | 'isExamined'>> {
  if (judge === null || !isJudging(statements)) return { judge: null, isExamined: false };
  const exam = await database.asDispatcher((tx) => readJudgeExam(tx, judge.model ?? judge.name));
  if (exam?.passed === false) return { judge: null, isExamined: false }; // guard: judge-failed
  return { judge, isExamined: exam !== null };
}

/** Whom statements are written and judged by. */
export interface StatementModels {
  /** Whether the judge has passed its exam. */
  isExamined: boolean;
  writer: LLMProvider;
  /** Null: no judge, only word-for-word repetitions are joined. */
  judge: LLMProvider | null;
}

/**
 * How the clusters of one job are asked for statements and judged. Every answer is stored before anything is made of it, and found again by
 * whoever goes on with the fusion.
 */
export function statementsOptions(
  { database, failpoints }: Pick<UserJobDeps, 'database' | 'failpoints'>,
  scope: FusionScope,
  models: StatementModels,
  signal: AbortSignal,
): Omit<StatementsOptions, 'isKnown'> {
  const { writer, judge, isExamined } = models;
  if (judge === null) return { judge: null };
  const { tenant, user, at, runId, promptVersion, judgeSecret } = scope;
  return {
    judge: ({ key, cluster, mayCall }) => {
      const memoryIds = cluster.members.map(({ id }) => id);
      const answers = openJudgeAnswers((work) => database.withTenant(tenant, work), {
        tenant,
        user,
        key,
        promptVersion,
        memoryIds,
      });
      return {
        isExamined,
        hash: judgeHashOf(key, judgeSecret),
        async ask(question) {
          const found = await answers.find(question);
          if (found.answer) return found.answer;
          mayCall();
          const request = { ...question.request, question: questionOf(found.key, found.attempt), signal };
          const answer = await askModel(question.purpose === 'repair' ? writer : judge, request, signal);
          const kept = await answers.store(found, answer, { runId, at });
          await failpoints?.('after-memo', { tenant, user });
          // A source is gone, and the answer with it: the commit would find that out.
          if (!kept)
            throw new ModelError('invalid_response', { retryable: true, hint: 'a source was forgotten' });
          return answer;
        },
      };
    },
  };
}
