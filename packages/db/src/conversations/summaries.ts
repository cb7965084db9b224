import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { contentHashOf } from '../ids.ts';
import { requireCount, requireNumber, requireText } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { anyRow, type Question } from '../questions.ts';

interface Owner {
  tenant: string;
  user: string;
}

/** Characters of a summary and of one topic, and topics of a session: several times what a summary is asked for. */
const SUMMARY_CHARS_MAX = 10_000;
const TOPIC_CHARS_MAX = 200;
const TOPICS_MAX = 20;

/**
 * Stores what a session was about, in the place of what was known before; self-reflection reads it anew.
 * @param input.messageCount messages that it covers
 * @param input.model that wrote it
 * @returns false, and nothing is written, when the session is gone, is summarised up to there already, or has fewer messages by now since
 * some were forgotten: the summary may say what they said
 * @throws InputError for an empty or too long summary or topic, and for too many topics
 */
export async function storeSessionSummary(
  tx: Transaction,
  input: Owner & {
    sessionId: string;
    summary: string;
    topics: readonly string[];
    messageCount: number;
    model: string;
    at: number;
  },
): Promise<boolean> {
  requireText(input.summary, 'summary', SUMMARY_CHARS_MAX);
  requireCount(input.topics, 'topics', TOPICS_MAX);
  input.topics.forEach((topic, i) => {
    requireText(topic, `topics[${i}]`, TOPIC_CHARS_MAX);
  });
  requireNumber(input.messageCount, 'messageCount', { min: 1, max: 2 ** 31 - 1, whole: true });
  const rows = await tx.rows(sql`
    with covered as (
      update slowwave.sessions set summarized_count = ${input.messageCount}, summary_failures = 0
      where ${owned(input)} and id = ${input.sessionId} and summarized_count < ${input.messageCount}
        and message_count >= ${input.messageCount}
      returning tenant, user_id, id, summarized_count
    )
    insert into slowwave.session_summaries (tenant, user_id, session_id, summary, content_hash, topics, message_count, model,
      created_at)
    select tenant, user_id, id, ${input.summary}, ${contentHashOf(input.summary)}, ${JSON.stringify(input.topics)}::jsonb,
      summarized_count, ${input.model}, ${instantOf(input.at)}
    from covered
    on conflict (tenant, user_id, session_id) do update set summary = excluded.summary, content_hash = excluded.content_hash,
      topics = excluded.topics, message_count = excluded.message_count, model = excluded.model,
      created_at = excluded.created_at, reflected_at = null
    returning 1`);
  return rows.length === 1;
}

/** Counts a summary that could not be made; see listIdleSessions for what follows from it. */
export async function markSummaryFailed(tx: Transaction, of: Owner & { sessionId: string }): Promise<void> {
  await tx.rows(sql`
    update slowwave.sessions set summary_failures = summary_failures + 1 where ${owned(of)} and id = ${of.sessionId}`);
}

/** What a session was about. Times in epoch ms. */
export interface SessionSummary {
  sessionId: string;
  summary: string;
  topics: string[];
  /** When the last message that it covers was said. */
  at: number;
  /** When it was written. */
  createdAt: number;
  /** When self-reflection read it; null when it has not. */
  reflectedAt: number | null;
}

/** The last message that a summary covers says when the session was; a summary without it (never in service) when it was made. */
const SUMMARY_COLUMNS: SQL = sql`s.session_id as "sessionId", s.summary, s.topics,
  ${msOf('coalesce(m.said_at, s.created_at)')} as at, ${msOf('s.created_at')} as "createdAt",
  ${msOf('s.reflected_at')} as "reflectedAt"`;
const SUMMARY_SOURCE: SQL = sql`slowwave.session_summaries s
  left join slowwave.messages m
    on m.tenant = s.tenant and m.user_id = s.user_id and m.session_id = s.session_id and m.position = s.message_count`;

/** A summary s written after `since` (exclusive) and up to `at` (epoch ms) that self-reflection has not read. */
function isUnreflected(input: Owner & { since: number; at: number }): SQL {
  return sql`${owned(input, 's')} and s.reflected_at is null and s.created_at > ${instantOf(input.since)}
    and s.created_at <= ${instantOf(input.at)}`;
}

/** Whether listUnreflected would list one. */
export function askUnreflected(input: Owner & { since: number; at: number }): Question<boolean> {
  return anyRow(sql`select 1 from slowwave.session_summaries s where ${isUnreflected(input)}`);
}

/**
 * Summaries written after `since` (exclusive) and up to `at` (epoch ms) that self-reflection has not read; the newest `limit` of
 * them, in the order of time.
 */
export function listUnreflected(
  tx: Transaction,
  input: Owner & { since: number; at: number; limit: number },
): Promise<{ sessionId: string; summary: string; topics: string[]; at: number }[]> {
  return tx.rows(sql`
    select "sessionId", summary, topics, at from (
      select ${SUMMARY_COLUMNS} from ${SUMMARY_SOURCE}
      where ${isUnreflected(input)}
      order by s.created_at desc, s.session_id
      limit ${input.limit}) as newest
    order by at, "sessionId"`);
}

/** A user's summaries, newest first. */
export function listSummaries(tx: Transaction, input: Owner & { limit: number }): Promise<SessionSummary[]> {
  return tx.rows(sql`
    select ${SUMMARY_COLUMNS} from ${SUMMARY_SOURCE}
    where ${owned(input, 's')}
    order by s.created_at desc, s.session_id
    limit ${input.limit}`);
}
