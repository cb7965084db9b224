import { initialPeak } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { contentHashOf, stableId } from '../ids.ts';
import { requireCount, requireName, requireNumber, requireText } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { journalled } from '../journal.ts';
import { lightDueAfterWrite } from '../scheduling/settings.ts';

const INSIGHT_IMPORTANCE = 7;
const INSIGHTS_MAX = 20;
const INSIGHT_CHARS_MAX = 2_000;
const PROFILE_CHARS_MAX = 20_000;
const SESSIONS_MAX = 1_000;

export interface Reflection {
  tenant: string;
  user: string;
  runId: string | null;
  /** Epoch ms. */
  at: number;
  /** The distilled profile; null leaves the one that stands. */
  profile: string | null;
  /** What the assistant observed, and the sessions each observation rests on. */
  insights: readonly { content: string; sessionIds: readonly string[] }[];
  /** All sessions whose summaries were read. */
  sessionIds: readonly string[];
  /** Of the insights, 0 to 1. */
  confidence: number;
  trust: number;
}

/**
 * Stores what self-reflection said, in three statements: insights as derived memories of the assistant's, journalled; the profile; and
 * which summaries were read. The ids of insights follow from their content and sessions, so that the same again writes nothing.
 * Sessions are locked meanwhile; an insight that rests on one that is gone, or on one whose summary is gone since something in it was
 * forgotten, is dropped, and so is the profile when any is gone, so that nothing in flight brings back what was forgotten.
 * @returns how many insights were written
 * @throws InputError for too many or too long texts, and scores out of range
 * @throws DatabaseError `constraint` when the user is unknown
 */
export async function storeReflection(tx: Transaction, input: Reflection): Promise<{ insights: number }> {
  check(input);
  const found = await lockSessions(tx, input);
  const profile = input.sessionIds.every((id) => found.has(id)) ? input.profile : null;
  const rows = input.insights.flatMap((insight) => rowOf(input, insight, found));
  return { insights: await write(tx, input, rows, profile) };
}

/** The sessions that still have a summary, with the epoch ms of their first message; they cannot be forgotten until we are done. */
async function lockSessions(tx: Transaction, input: Reflection): Promise<Map<string, number>> {
  const cited = input.insights.flatMap((insight) => insight.sessionIds);
  const sessions = await tx.rows<{ id: string; startedAt: number }>(sql`
    select id, ${msOf('started_at')} as "startedAt" from slowwave.sessions
    where ${owned(input)} and id = any(${nameArray([...new Set([...input.sessionIds, ...cited])])})
    order by id
    for key share`);
  // Looked for once the sessions are locked: until then a summary may go.
  const summarised = await tx.rows<{ id: string }>(sql`
    select session_id as id from slowwave.session_summaries
    where ${owned(input)} and session_id = any(${nameArray(sessions.map(({ id }) => id))})`);
  const left = new Set(summarised.map(({ id }) => id));
  return new Map(sessions.flatMap(({ id, startedAt }) => (left.has(id) ? [[id, startedAt] as const] : [])));
}

interface InsightRow {
  id: string;
  content: string;
  hash: string;
  metadata: { sessionIds: string[]; reflectedAt: number };
}

/** An insight as it is stored; nothing when it rests on no session, or on one that is gone. */
function rowOf(
  input: Reflection,
  insight: Reflection['insights'][number],
  found: ReadonlyMap<string, number>,
): InsightRow[] {
  const sessionIds = [...new Set(insight.sessionIds)].sort();
  const starts = sessionIds.map((id) => found.get(id));
  if (starts.length === 0 || !starts.every((start) => start !== undefined)) return [];
  // Its time is that of the youngest session: the same whenever this is tried again.
  const born = Math.max(...starts);
  const id = stableId(born, input.tenant, input.user, 'reflection', insight.content, ...sessionIds);
  const { content } = insight;
  return [{ id, content, hash: contentHashOf(content), metadata: { sessionIds, reflectedAt: input.at } }];
}

async function write(
  tx: Transaction,
  input: Reflection,
  insights: InsightRow[],
  profile: string | null,
): Promise<number> {
  const at = instantOf(input.at);
  const [row] = await tx.rows<{ insights: number }>(sql`
    with insights as (
      insert into slowwave.memories (tenant, user_id, id, content, content_hash, category, memory_type, importance, confidence,
        trust, origin, learned_from, document_date, peak, anchor_at, metadata, created_at, updated_at)
      select ${input.tenant}, ${input.user}, id, content, hash, 'insight', 'derived', ${INSIGHT_IMPORTANCE},
        ${input.confidence}, ${input.trust}, 'assistant', 'self_reflection', ${at},
        ${initialPeak(INSIGHT_IMPORTANCE)}::float8, ${at}, metadata, ${at}, ${at}
      from jsonb_to_recordset(${JSON.stringify(insights)}::jsonb) as r(id uuid, content text, hash text, metadata jsonb)
      on conflict do nothing
      returning id, to_jsonb(memories) - 'words' as image
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, null::jsonb as before, image as after
      from insights
    ), ${journalled({ ...input, kind: 'reflection' })}, reflected as (
      update slowwave.session_summaries set reflected_at = ${at}
      where ${owned(input)} and session_id = any(${nameArray(input.sessionIds)}) and reflected_at is null
    ), profiled as (
      insert into slowwave.user_profiles (tenant, user_id, profile, profile_at, updated_at)
      select ${input.tenant}, ${input.user}, ${profile}, ${at}, ${at} where ${profile}::text is not null
      on conflict (tenant, user_id) do update
        set profile = excluded.profile, profile_at = excluded.profile_at, updated_at = excluded.updated_at
        where user_profiles.profile is distinct from excluded.profile
    ), woken as (
      -- Light embeds them.
      update slowwave.user_tiers set due_at = ${lightDueAfterWrite(input.at)}
      where ${owned(input)} and tier = 'light' and exists (select 1 from insights)
    )
    select count(*)::int as insights from insights`);
  return row!.insights;
}

/** Names as one parameter, for `id = any(…)`; they may hold whatever an array literal gives a meaning to. */
function nameArray(names: readonly string[]) {
  return sql`array(select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))`;
}

function check(input: Reflection): void {
  requireCount(input.insights, 'insights', INSIGHTS_MAX);
  requireCount(input.sessionIds, 'sessionIds', SESSIONS_MAX);
  input.insights.forEach(({ content, sessionIds }, i) => {
    requireText(content, `insights[${i}].content`, INSIGHT_CHARS_MAX);
    requireCount(sessionIds, `insights[${i}].sessionIds`, SESSIONS_MAX);
    for (const id of sessionIds) requireName(id, `insights[${i}].sessionIds`);
  });
  for (const id of input.sessionIds) requireName(id, 'sessionIds');
  requireText(input.profile, 'profile', PROFILE_CHARS_MAX);
  requireNumber(input.confidence, 'confidence', { min: 0, max: 1 });
  requireNumber(input.trust, 'trust', { min: 0, max: 1 });
}
