import type { StoredAnswer } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf, msOf } from '../instants.ts';

/** What became of a question that was once collected. */
export type BatchedQuestion =
  | { status: 'answered'; answer: StoredAnswer }
  /** Its answer is still to come. */
  | { status: 'waiting' }
  /** It is asked directly: no answer came, or not in time. */
  | { status: 'direct' };

interface Row {
  state: string;
  answer: string | null;
  stopReason: string | null;
  model: string | null;
  inputTokens: number;
  outputTokens: number;
  deadlineAt: number;
}

/**
 * Looks for a question of a user. Reading changes nothing: the answer stays until it is stored under its key, in that transaction.
 * @param of.at epoch ms
 * @returns null: it was never collected
 */
export async function findBatched(
  tx: Transaction,
  of: { tenant: string; user: string; question: string; at: number },
): Promise<BatchedQuestion | null> {
  const [row] = await tx.rows<Row>(sql`
    select state, answer, stop_reason as "stopReason", model, input_tokens::float8 as "inputTokens",
      output_tokens::float8 as "outputTokens", ${msOf('deadline_at')} as "deadlineAt"
    from slowwave.batch_requests where ${owned(of)} and question = ${of.question}`);
  if (!row) return null;
  const { state, answer, stopReason, model, inputTokens, outputTokens, deadlineAt } = row;
  if (answer !== null) {
    const found = { text: answer, stopReason: stopReason ?? 'unknown', model: model ?? '' };
    return { status: 'answered', answer: { ...found, inputTokens, outputTokens } };
  }
  if (of.at >= deadlineAt) return { status: 'direct' }; // guard: batch-deadline
  const waits = state === 'collected' || state === 'sent';
  return { status: waits ? 'waiting' : 'direct' }; // guard: batch-waiting
}

/**
 * The parts of a WITH list by which whoever stores the answer to a question takes it over from its batch: what waited is gone, and an answer
 * that is still under way is not wanted any more.
 */
export function takenOver(of: { tenant: string; user: string }, question: string): SQL {
  const mine = sql`${owned(of)} and question = ${question}`;
  return sql`taken as (
      delete from slowwave.batch_requests where ${mine} and state not in ('sent', 'dropped') /* guard: batch-taken */
    ), unwanted as (
      update slowwave.batch_requests set state = 'dropped', body = null where ${mine} and state = 'sent'
    )`;
}

/** Lets go of a question that nobody will ask again. */
export async function dropBatched(
  tx: Transaction,
  of: { tenant: string; user: string; question: string },
): Promise<void> {
  await tx.rows(sql`with ${takenOver(of, of.question)} select 1`);
}

/** Whether a fusion `f` waits for an answer: what it claims stays its own meanwhile. */
export const WAITS_IN_BATCH: SQL = sql.raw(`exists (
      select 1 from slowwave.batch_requests b
      where b.tenant = f.tenant and b.user_id = f.user_id and b.question = f.key || ':' || f.attempt
        and b.state in ('collected', 'sent', 'answered'))`);

/**
 * Keys of the fusions of a tier that an earlier run asked about in a batch, those that wait longest first. They go on as they were asked about,
 * whatever would be planned now.
 */
export async function listBatchedFusions(
  tx: Transaction,
  of: { tenant: string; user: string; tier: string; model: string; promptVersion: string; at: number },
): Promise<string[]> {
  const rows = await tx.rows<{ key: string }>(sql`
    with mine as (
      select f.key, f.status, f.error_code, f.updated_at,
        (select b.id from slowwave.batch_requests b
          where ${owned(of, 'b')} and b.question = f.key || ':' || f.attempt and b.state <> 'dropped'
            and b.collected_at <= ${instantOf(of.at)} limit 1) as asked
      from slowwave.fusions f
      where ${owned(of, 'f')} and f.tier = ${of.tier} and f.model = ${of.model} and f.prompt_version = ${of.promptVersion}
        and f.status in ('planned', 'generated') and f.kind = 'fusion'
    )
    select key from mine
    where (status = 'planned' and asked is not null)
      -- Written, and its judge was asked in a batch.
      or (status = 'generated' and error_code = 'batched')
    order by asked nulls first, updated_at, key limit 1000`);
  return rows.map(({ key }) => key);
}
