import { sql } from 'drizzle-orm';
import { nameArray, uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import type { Plan } from './plan.ts';
import type { Owner } from './reach.ts';

export interface ConversationCounts {
  sessions: number;
  messages: number;
  summaries: number;
  feedback: number;
}

/** Removes what was said of it, the session that was named, and summaries of sessions that lost something. */
export async function removeSaid(tx: Transaction, of: Owner, plan: Plan): Promise<ConversationCounts> {
  const left = await removeSessions(tx, of, plan);
  const [row] = await tx.rows<{ messages: number; summaries: number }>(sql`
    with gone as (
      delete from slowwave.messages m
      using jsonb_to_recordset(${JSON.stringify(plan.messages)}::jsonb) as r("sessionId" text, position integer)
      where ${owned(of, 'm')} and m.session_id = r."sessionId" and m.position = r.position
      returning 1
    ), summaries as (
      delete from slowwave.session_summaries s where ${owned(of, 's')} and s.session_id = any(${nameArray(plan.touched)})
      returning 1
    )
    select (select count(*)::int from gone) as messages, (select count(*)::int from summaries) as summaries`);
  if (plan.touched.size > 0) await closeGaps(tx, of, plan.touched);
  return {
    ...left,
    messages: left.messages + row!.messages,
    summaries: left.summaries + row!.summaries,
  };
}

async function removeSessions(tx: Transaction, of: Owner, plan: Plan): Promise<ConversationCounts> {
  const leaving = nameArray(plan.leaving);
  const [row] = await tx.rows<ConversationCounts>(sql`
    with unnamed as (
      update slowwave.feedback set session_id = null where ${owned(of)} and session_id = any(${leaving}) returning 1
    ), gone as (
      delete from slowwave.sessions where ${owned(of)} and id = any(${leaving}) returning 1
    )
    select (select count(*)::int from gone) as sessions, (select count(*)::int from unnamed) as feedback,
      (select count(*)::int from slowwave.messages where ${owned(of)} and session_id = any(${leaving})) as messages,
      (select count(*)::int from slowwave.session_summaries where ${owned(of)} and session_id = any(${leaving})) as summaries`);
  return row!;
}

/**
 * Positions of messages are 1 to the session's count, and no summary covers any of them now. In two steps over numbers below zero, where
 * no two messages can meet.
 */
async function closeGaps(tx: Transaction, of: Owner, touched: ReadonlySet<string>): Promise<void> {
  const sessions = nameArray(touched);
  await tx.rows(sql`
    with placed as (
      select session_id, position, row_number() over (partition by session_id order by position)::int as place
      from slowwave.messages where ${owned(of)} and session_id = any(${sessions})
    )
    update slowwave.messages m set position = -p.place from placed p
    where ${owned(of, 'm')} and m.session_id = p.session_id and m.position = p.position`);
  await tx.rows(sql`
    update slowwave.messages set position = -position
    where ${owned(of)} and session_id = any(${sessions}) and position < 0`);
  await tx.rows(sql`
    update slowwave.sessions s set summarized_count = 0, summary_failures = 0,
      message_count = (select count(*) from slowwave.messages m where ${owned(of, 'm')} and m.session_id = s.id),
      started_at = coalesce((select min(m.said_at) from slowwave.messages m where ${owned(of, 'm')} and m.session_id = s.id),
        s.started_at),
      last_message_at = coalesce((
        select max(m.said_at) from slowwave.messages m where ${owned(of, 'm')} and m.session_id = s.id), s.last_message_at)
    where ${owned(of, 's')} and s.id = any(${sessions})`);
}

/** Questions that brought it back or were about it, and the questions' hits with them. */
export async function removeQuestions(tx: Transaction, of: Owner, plan: Plan): Promise<number> {
  const rows = await tx.rows(sql`
    delete from slowwave.recall_events e
    where ${owned(of, 'e')} and (e.id = any(${uuidArray(plan.recallEvents)}) or e.id in (
      select h.event_id from slowwave.recall_hits h
      where ${owned(of, 'h')} and h.memory_id = any(${uuidArray([...plan.reach.why.keys()])})))
    returning 1`);
  return rows.length;
}

/**
 * What was learned about the user's ways is learned anew of what is left, when it may stem from a conversation that lost something;
 * and exploration begins anew.
 * @returns 1 when anything was learned and went
 */
export async function unlearnProfile(
  tx: Transaction,
  of: Owner & { at: number },
  plan: Plan,
): Promise<number> {
  const [known] = await tx.rows<{ profile: string | null; behaviour: string | null }>(sql`
    select profile, behaviour::text as behaviour from slowwave.user_profiles where ${owned(of)} for no key update`);
  if (!known) return 0;
  const { profile, behaviour } = known;
  const stems = plan.touched.size + plan.leaving.size > 0;
  const says = [profile, behaviour].some((text) => text !== null && plan.matcher.says(text));
  const unlearn = stems || says;
  await tx.rows(sql`
    update slowwave.user_profiles set rem_graph = null, updated_at = ${instantOf(of.at)},
      profile = case when ${unlearn} then null else profile end, profile_at = case when ${unlearn} then null else profile_at end,
      behaviour = case when ${unlearn} then null else behaviour end,
      behaviour_through = case when ${unlearn} then null else behaviour_through end
    where ${owned(of)}`);
  return unlearn && (profile !== null || behaviour !== null) ? 1 : 0;
}
