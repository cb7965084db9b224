import { sql } from 'drizzle-orm';
import { nameArray, uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import type { Plan } from './plan.ts';
import type { Owner } from './reach.ts';

/**
 * Ends the fusions that read something forgotten: their answers and proposals go, they are never planned or undone again, and a commit
 * under way stops at their status. Their other sources are free.
 */
export async function endFusions(tx: Transaction, of: Owner & { at: number }, plan: Plan): Promise<number> {
  const keys = nameArray(plan.reach.keys);
  const [row] = await tx.rows<{ ended: number }>(sql`
    with ended as (
      update slowwave.fusions set status = 'forgotten', output = null, proposal = null, review_expires_at = null,
        answer_state = 'none', error_code = null, updated_at = ${instantOf(of.at)}
      where ${owned(of)} and key = any(${keys})
      returning 1
    ), freed as (
      update slowwave.fusion_sources set live = false, superseded = false
      where ${owned(of)} and fusion_key = any(${keys}) and (live or superseded)
    )
    select count(*)::int as ended from ended`);
  return row!.ended;
}

/** Memories whose words one answer was made of. */
export interface AnswerScope {
  step: string;
  memoryIds: string[];
}

/**
 * Empties the answers that were made of something forgotten; what they cost stays on record. Nobody uses a rejected one again, and one
 * that is being judged now finds itself rejected.
 */
export async function emptyAnswers(
  tx: Transaction,
  of: Owner,
  plan: Plan,
): Promise<{ emptied: number; scopes: AnswerScope[] }> {
  const ids = uuidArray([...plan.reach.why.keys(), ...plan.reach.rewritten]);
  const sessions = nameArray([...plan.touched, ...plan.leaving]);
  const rows = await tx.rows<AnswerScope>(sql`
    with hit as (
      select key, attempt, step, memory_ids from slowwave.model_answers
      where ${owned(of)} and (memory_ids && ${ids} or session_ids && ${sessions})
    ), emptied as (
      update slowwave.model_answers a set output = '', state = 'rejected', memory_ids = '{}', session_ids = '{}'
      from hit where ${owned(of, 'a')} and a.key = hit.key and a.attempt = hit.attempt
    )
    select step, to_jsonb(memory_ids) as "memoryIds" from hit`);
  return { emptied: rows.length, scopes: rows };
}

/**
 * Removes what a model thought up in an answer that had something forgotten before its eyes, even where it is about other memories: its
 * explanations may quote it. The pairs may be judged again.
 * @returns hypotheses and verdicts removed, those of forgotten memories not counted
 */
export async function removeThoughts(
  tx: Transaction,
  of: Owner,
  scopes: readonly AnswerScope[],
): Promise<{ relations: number; verdicts: number }> {
  const rem = scopes.filter(({ step }) => step === 'rem').map(({ memoryIds }) => memoryIds);
  if (rem.length === 0) return { relations: 0, verdicts: 0 };
  const [row] = await tx.rows<{ relations: number; verdicts: number }>(sql`
    with scopes as materialized (${scopeRows(rem)}
    ), thoughts as (
      delete from slowwave.relations r where ${owned(of, 'r')} and r.hypothesis and exists (
        select 1 from scopes s where r.source_id = any(s.ids) and r.target_id = any(s.ids))
      returning 1
    ), verdicts as (
      delete from slowwave.rem_verdicts v where ${owned(of, 'v')} and exists (
        select 1 from scopes s where v.a_id = any(s.ids) and v.b_id = any(s.ids))
      returning 1
    )
    select (select count(*)::int from thoughts) as relations, (select count(*)::int from verdicts) as verdicts`);
  return row!;
}

/** Lists of ids as rows with an array each. */
export function scopeRows(scopes: readonly (readonly string[])[]) {
  return sql`select array(select jsonb_array_elements_text(given)::uuid) as ids
    from jsonb_array_elements(${JSON.stringify(scopes)}::jsonb) as given`;
}

/**
 * Takes the model's words off the conflicts between memories that stay, where the answer they came from had read something forgotten.
 * One that is not settled is labelled anew.
 * @param scopes of labelling answers that were emptied
 * @param quoting ids of conflicts whose words hold what is forgotten
 * @returns their ids
 */
export async function resetConflicts(
  tx: Transaction,
  of: Owner,
  plan: Plan,
  scopes: readonly AnswerScope[],
  quoting: readonly string[],
): Promise<string[]> {
  const quotes = uuidArray(quoting);
  const rewritten = uuidArray([...plan.reach.rewritten]);
  const labelled = scopes.filter(({ step }) => step === 'conflicts').map(({ memoryIds }) => memoryIds);
  const rows = await tx.rows<{ id: string }>(sql`
    with scopes as materialized (
      ${scopeRows(labelled)}
      union all
      select array_agg(s.memory_id) from slowwave.fusion_sources s
      where ${owned(of, 's')} and s.fusion_key = any(${nameArray(plan.reach.keys)}) group by s.fusion_key
    )
    update slowwave.conflicts c set slot = null, description = null,
      resolution = case when c.id = any(${quotes}) then null else c.resolution end,
      status = case c.status when 'open' then 'reported' else c.status end,
      type = case c.status when 'resolved' then c.type end,
      confidence = case c.status when 'resolved' then c.confidence end,
      accuser = case c.status when 'resolved' then c.accuser end
    where ${owned(of, 'c')} and (c.slot is not null or c.description is not null or c.resolution is not null)
      and (c.id = any(${quotes}) or c.a_id = any(${rewritten}) or c.b_id = any(${rewritten})
        or exists (select 1 from scopes s where c.a_id = any(s.ids) and c.b_id = any(s.ids)))
    returning c.id`);
  return rows.map(({ id }) => id);
}
