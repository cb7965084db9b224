import { questionOf, type StoredAnswer } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import { takenOver } from '../batches/find.ts';
import type { Transaction } from '../database.ts';
import { nothingForgotten } from '../forgetting/marks.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import type { ANSWER_STEPS } from '../schema/answers.ts';

/** The steps whose paid answers stand here; fusions keep theirs in their own ledger. */
export type AnswerStep = (typeof ANSWER_STEPS)[number];

export interface FoundAnswer {
  /** That of the answer; without one, the attempt to store the next answer under. From 1. */
  attempt: number;
  /** An answer that may be used: not judged yet, or accepted. */
  answer: StoredAnswer | null;
  /** Answers paid for so far, rejected ones included. */
  attempts: number;
}

/** Looks for a paid answer that may be used again. A rejected one never comes back. */
export async function findAnswer(
  tx: Transaction,
  of: { tenant: string; user: string; key: string },
): Promise<FoundAnswer> {
  const rows = await tx.rows<StoredAnswer & { attempt: number; usable: boolean }>(sql`
    select attempt,
      state <> 'rejected' /* guard: paid-rejected */
      as usable,
      output as text, stop_reason as "stopReason", model,
      input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens"
    from slowwave.model_answers
    where ${owned(of)} and key = ${of.key}
    order by attempt desc`);
  const usable = rows.find((row) => row.usable);
  if (!usable) return { attempt: (rows[0]?.attempt ?? 0) + 1, answer: null, attempts: rows.length };
  const { attempt, text, stopReason, inputTokens, outputTokens, model } = usable;
  return {
    attempt,
    answer: { text, stopReason, inputTokens, outputTokens, model },
    attempts: rows.length,
  };
}

export interface NewAnswer {
  tenant: string;
  user: string;
  key: string;
  attempt: number;
  step: AnswerStep;
  runId: string | null;
  answer: StoredAnswer;
  /** What it was made of: forgetting one of these reaches the answer. */
  memoryIds: readonly string[];
  sessionIds: readonly string[];
  /**
   * How often the user had something forgotten when the texts asked about were read; see countForgets. Needed where they are not those of
   * `memoryIds`: a session stays where a message of it is forgotten. Absent: not looked at.
   */
  forgets?: number;
  /** Epoch ms. */
  at: number;
}

/**
 * Stores a paid answer before anybody judges it. Its sources are locked meanwhile, and nothing else: when one of them was forgotten
 * since, only the spend is recorded and the text is dropped, so that nothing in flight brings it back.
 * @returns whether the answer may be used; false when it was dropped, or when this attempt stands there already
 */
export async function storeAnswer(tx: Transaction, input: NewAnswer): Promise<boolean> {
  const { answer, forgets } = input;
  const current = forgets === undefined || (await nothingForgotten(tx, { ...input, forgets }));
  const memoryIds = [...new Set(input.memoryIds)].sort();
  const sessionIds = [...new Set(input.sessionIds)].sort();
  const sessions = sql`array(select jsonb_array_elements_text(${JSON.stringify(sessionIds)}::jsonb))`;
  const [row] = await tx.rows<{ kept: boolean }>(sql`
    with memories_left as (
      select m.id from slowwave.memories m
      where ${owned(input, 'm')} and m.id = any(${uuidArray(memoryIds)})
      order by m.id
      for key share of m
    ), sessions_left as (
      select s.id from slowwave.sessions s
      where ${owned(input, 's')} and s.id = any(${sessions})
      order by s.id
      for key share of s
    ), verdict as (
      select (select count(*) from sessions_left) = ${sessionIds.length}
        and (select count(*) from memories_left) = ${memoryIds.length} /* guard: paid-present */
        and ${current} as kept
    ), ${takenOver(input, questionOf(input.key, input.attempt))}
    insert into slowwave.model_answers (tenant, user_id, key, attempt, step, run_id, output, stop_reason, model, input_tokens,
      output_tokens, state, memory_ids, session_ids, created_at)
    select ${input.tenant}, ${input.user}, ${input.key}, ${input.attempt}, ${input.step}, ${input.runId}::uuid,
      case when kept then ${answer.text} else '' end, ${answer.stopReason}, ${answer.model}, ${answer.inputTokens},
      ${answer.outputTokens}, case when kept then 'unjudged' else 'rejected' end,
      case when kept then ${uuidArray(memoryIds)} else '{}' end, case when kept then ${sessions} else '{}' end,
      ${instantOf(input.at)}
    from verdict
    on conflict do nothing
    returning state = 'unjudged' as kept`);
  return row?.kept ?? false;
}

/**
 * Records what became of an answer and keeps it until the transaction ends. A rejected one stays rejected; the same judgement again
 * writes nothing.
 * @returns false when the answer was rejected or forgotten meanwhile: nothing of it may be written
 */
export async function settleAnswer(
  tx: Transaction,
  of: { tenant: string; user: string; key: string; attempt: number; state: 'accepted' | 'rejected' },
): Promise<boolean> {
  const row = sql`${owned(of)} and key = ${of.key} and attempt = ${of.attempt}`;
  const [found] = await tx.rows<{ state: string }>(
    sql`select state from slowwave.model_answers where ${row} for update`,
  );
  if (!found || (found.state === 'rejected' && of.state === 'accepted')) return false;
  if (found.state !== of.state)
    await tx.rows(sql`update slowwave.model_answers set state = ${of.state} where ${row}`);
  return true;
}
