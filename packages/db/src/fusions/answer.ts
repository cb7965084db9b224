import type { StoredAnswer } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { instantOf } from '../instants.ts';
import { type FusionScope, owned } from './scope.ts';

/**
 * Stores a paid answer under its key and attempt before anybody judges it. The sources are locked meanwhile: when one of them
 * was forgotten since, only the spend is recorded and the text is dropped, so that nothing in flight brings it back.
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
      with present as (
        select m.id from slowwave.memories m
        join slowwave.fusion_sources s
          on s.tenant = m.tenant and s.user_id = m.user_id and s.memory_id = m.id and s.fusion_key = ${key}
        where ${owned(scope, 'm')}
        order by m.id
        for key share of m
      ), verdict as (
        select (select count(*) from present) = ${input.sourceCount} as kept
      )
      update slowwave.fusions f set
        output = case when v.kept then ${answer.text} end,
        answer_state = case when v.kept then 'unjudged' else 'none' end,
        status = case when v.kept then 'generated' else 'stale' end,
        stop_reason = ${answer.stopReason}, answered_model = ${answer.model},
        input_tokens = f.input_tokens + ${answer.inputTokens}, output_tokens = f.output_tokens + ${answer.outputTokens},
        updated_at = ${instantOf(scope.at)}
      from verdict v
      where ${owned(scope, 'f')} and f.key = ${key} and f.attempt = ${attempt} and f.status in ('planned', 'generated')
      returning v.kept as kept`),
  );
  return rows[0]?.kept ?? false;
}

/** Records why a fusion did not come to pass. A final failure releases its sources. */
export async function failFusion(
  database: Database,
  scope: FusionScope,
  key: string,
  failure: { code: string; final: boolean; rejectAnswer: boolean },
): Promise<void> {
  await database.withTenant(scope.tenant, (tx) =>
    tx.rows(sql`
      with failed as (
        update slowwave.fusions set
          status = case when ${failure.final} then 'failed' else status end,
          error_code = ${failure.code},
          answer_state = case when ${failure.rejectAnswer} and output is not null then 'rejected' else answer_state end,
          updated_at = ${instantOf(scope.at)}
        where ${owned(scope)} and key = ${key} and status in ('planned', 'generated')
        returning 1
      )
      update slowwave.fusion_sources set live = false
      where ${owned(scope)} and fusion_key = ${key} and live and ${failure.final} and exists (select 1 from failed)`),
  );
}

/**
 * Marks a fusion whose sources changed under it: a later plan makes a new one of them.
 * @param options.evenFailed also one that had failed for good, when another fusion of the same sources took its place
 */
export async function markStale(
  database: Database,
  scope: FusionScope,
  key: string,
  options: { evenFailed?: boolean } = {},
): Promise<void> {
  await database.withTenant(scope.tenant, (tx) =>
    tx.rows(sql`
      with stale as (
        update slowwave.fusions set status = 'stale', error_code = null, updated_at = ${instantOf(scope.at)}
        where ${owned(scope)} and key = ${key}
          and (status in ('planned', 'generated') or (status = 'failed' and ${options.evenFailed ?? false}))
        returning 1
      )
      update slowwave.fusion_sources set live = false
      where ${owned(scope)} and fusion_key = ${key} and live and exists (select 1 from stale)`),
  );
}
