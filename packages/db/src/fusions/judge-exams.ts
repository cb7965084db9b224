import { EXAM_VERSION, type ExamResult, JUDGE_PROMPT_VERSION } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';

/** What came of the exam of a model as judge. */
export interface JudgeExam extends Omit<ExamResult, 'wrong' | 'version'> {
  /** Epoch ms. */
  takenAt: number;
}

/** Another prompt or another exam is to be taken anew. */
const VERSION = `${EXAM_VERSION}/${JUDGE_PROMPT_VERSION}`;

/** Keeps the result of an exam in the place of an earlier one. The transaction is the dispatcher's: it concerns all tenants. @param input.at epoch ms */
export async function storeJudgeExam(
  tx: Transaction,
  { model, result, at }: { model: string; result: ExamResult; at: number },
): Promise<void> {
  await tx.rows(sql`
    insert into slowwave.judge_exams (model, version, passed, good, good_accepted, unsafe, unsafe_accepted, taken_at)
    values (${model}, ${VERSION}, ${result.passed}, ${result.good}, ${result.goodAccepted}, ${result.unsafe},
      ${result.unsafeAccepted}, ${instantOf(at)})
    on conflict (model, version) do update set passed = excluded.passed, good = excluded.good,
      good_accepted = excluded.good_accepted, unsafe = excluded.unsafe, unsafe_accepted = excluded.unsafe_accepted,
      taken_at = excluded.taken_at`);
}

/** The last result of a model with the present prompt and exam; null while it was not examined. The transaction is the dispatcher's. */
export async function readJudgeExam(tx: Transaction, model: string): Promise<JudgeExam | null> {
  const [row] = await tx.rows<JudgeExam>(sql`
    select passed, good, good_accepted as "goodAccepted", unsafe, unsafe_accepted as "unsafeAccepted", ${msOf('taken_at')} as "takenAt"
    from slowwave.judge_exams where model = ${model} and version = ${VERSION}`);
  return row ?? null;
}
