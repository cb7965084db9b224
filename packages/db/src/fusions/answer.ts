import { questionOf, type ReportedPair, type StoredAnswer } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { takenOver } from '../batches/find.ts';
import { reportConflicts } from '../conflicts/index.ts';
import type { Database, Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { enqueueEvents } from '../webhooks/events.ts';
import { type Failpoints, type FusionScope, NO_FAILPOINTS, owned } from './scope.ts';

/**
 * Stores a paid answer under its key and attempt before anybody judges it. The sources are locked meanwhile, after the ledger row as
 * everywhere: when one of them was forgotten since, only the spend is recorded and the text is dropped, so that nothing in flight
 * brings it back. So it is for a fusion that ended otherwise while the model thought.
 * @returns false when the answer was dropped
 */
export async function storeAnswer(
  database: Database,
  scope: FusionScope,
  input: { key: string; attempt: number; answer: StoredAnswer; sourceCount: number },
): Promise<boolean> {
  const { key, attempt, answer } = input;
  const rows = await database.withTenant(scope.tenant, (tx) =>
    tx.rows<{ kept: boolean }>(sql`
      with ledger as materialized (
        select f.key,
          f.status in ('planned', 'generated') /* guard: answer-open */
          as open
        from slowwave.fusions f
        where ${owned(scope, 'f')} and f.key = ${key}
          and f.attempt = ${attempt} /* guard: answer-attempt */
        for update
      ), present as (
        select m.id from ledger l
        join slowwave.fusion_sources s on ${owned(scope, 's')} and s.fusion_key = l.key
        join slowwave.memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
        where l.open
        order by m.id
        for key share of m
      ), verdict as (
        select l.key, l.open,
          l.open
          and (select count(*) from present) = ${input.sourceCount} /* guard: answer-present */
          as kept
        from ledger l
      ), ${takenOver(scope, questionOf(key, attempt))}
      update slowwave.fusions f set
        output = case when v.kept then ${answer.text} when not v.open then f.output end,
        answer_state = case when v.kept then 'unjudged' when v.open then 'none' else f.answer_state end,
        status = case when v.kept then 'generated' when v.open then 'stale' else f.status end,
        stop_reason = ${answer.stopReason}, answered_model = ${answer.model},
        input_tokens = f.input_tokens + ${answer.inputTokens}, output_tokens = f.output_tokens + ${answer.outputTokens},
        updated_at = ${instantOf(scope.at)}
      from verdict v
      where ${owned(scope, 'f')} and f.key = v.key
      returning v.kept as kept`),
  );
  return rows[0]?.kept ?? false;
}

/**
 * Records why a fusion did not come to pass, and which of its sources the model says disagree. A final failure releases its sources.
 * A preview decides nothing: it keeps the last answer as it is, so that the run which follows judges it and pays for no other.
 */
export async function failFusion(
  database: Database,
  scope: Pick<FusionScope, 'tenant' | 'user' | 'at' | 'runId' | 'mode'>,
  key: string,
  failure: { code: string; final: boolean; rejectAnswer: boolean; conflicts?: ReportedPair[] },
  reach: Failpoints = NO_FAILPOINTS,
): Promise<void> {
  const preview = scope.mode === 'preview';
  const final = failure.final && !preview;
  // What a repair replaces is rejected either way: the next attempt needs a place of its own.
  const rejectAnswer = failure.rejectAnswer && !(preview && failure.final);
  await database.withTenant(scope.tenant, async (tx) => {
    const [failed] = await tx.rows<{ tier: string }>(sql`
      with failed as (
        update slowwave.fusions set
          status = case when ${final} then 'failed' else status end,
          error_code = ${failure.code},
          answer_state = case when ${rejectAnswer} and output is not null then 'rejected' else answer_state end, /* guard: judgement-rejects */
          updated_at = ${instantOf(scope.at)}
        where ${owned(scope)} and key = ${key}
          and status in ('planned', 'generated') /* guard: judgement-open */
        returning tier
      ), released as (
        update slowwave.fusion_sources set live = false
        where ${owned(scope)} and fusion_key = ${key} and live and ${final} and exists (select 1 from failed)
      )
      select tier from failed`);
    await reach('after-failed');
    if (preview || failed === undefined) return;
    await reportFrom(tx, scope, failure.conflicts);
    if (!final) return;
    const { tenant, user, at, runId } = scope;
    const data = { key, runId, tier: failed.tier, errorCode: failure.code };
    await enqueueEvents(tx, { tenant, user, at, events: [{ type: 'fusion.failed', data }] });
  });
}

/** Hands on the pairs that a model says disagree, in the transaction that records what became of its answer. */
export async function reportFrom(
  tx: Transaction,
  scope: Pick<FusionScope, 'tenant' | 'user' | 'at' | 'runId'>,
  pairs: ReportedPair[] | undefined,
): Promise<void> {
  if (!pairs || pairs.length === 0) return;
  const { tenant, user, runId, at } = scope;
  await reportConflicts(tx, { tenant, user, runId, at, source: 'fusion', pairs });
}
