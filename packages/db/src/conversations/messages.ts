import type { SummaryMessage } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf, msOf } from '../instants.ts';
import { anyRow, type Question } from '../questions.ts';
import type { MESSAGE_ROLES } from '../schema/conversations.ts';

export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** After so many failures in a row a session is left alone until somebody says something in it. */
export const SUMMARY_FAILURES_MAX = 3;

/** A session that may be summarised. Times in epoch ms. */
export interface IdleSession {
  id: string;
  messageCount: number;
  /** Messages that its present summary covers; 0 without one. */
  summarizedCount: number;
  lastMessageAt: number;
}

interface IdleInput {
  tenant: string;
  user: string;
  at: number;
  idleMs: number;
  minMessages: number;
}

/** A session in which nobody has said anything for `idleMs`, with enough messages and some that no summary covers. */
function isIdle(input: IdleInput): SQL {
  return sql`${owned(input)} and message_count > summarized_count and last_message_at <= ${instantOf(input.at - input.idleMs)}
    and message_count >= ${input.minMessages} and summary_failures < ${SUMMARY_FAILURES_MAX}`;
}

/** Whether listIdleSessions would list one. */
export function askIdleSessions(input: IdleInput): Question<boolean> {
  return anyRow(sql`select 1 from slowwave.sessions where ${isIdle(input)}`);
}

/**
 * Sessions in which nobody has said anything for `idleMs`, with enough messages and some that no summary covers; those that have
 * waited longest come first.
 */
export function listIdleSessions(
  tx: Transaction,
  input: IdleInput & { limit: number },
): Promise<IdleSession[]> {
  return tx.rows(sql`
    select id, message_count as "messageCount", summarized_count as "summarizedCount",
      ${msOf('last_message_at')} as "lastMessageAt"
    from slowwave.sessions
    where ${isIdle(input)}
    order by slowwave.sessions.last_message_at, slowwave.sessions.id
    limit ${input.limit}`);
}

/**
 * The last messages of a session, in the order in which they were appended: at most `limit` of them and `maxChars` characters (code
 * points) together. Where the characters run out, the earliest message that is given is cut to its beginning.
 */
export function listMessages(
  tx: Transaction,
  input: { tenant: string; user: string; sessionId: string; limit: number; maxChars: number },
): Promise<SummaryMessage[]> {
  return tx.rows(sql`
    select role, left(content, (${input.maxChars}::bigint - later)::int) as content, "saidAt" from (
      select role, content, "saidAt", position, sum(length(content)) over (order by position desc) - length(content) as later
      from (
        select role, content, ${msOf('said_at')} as "saidAt", position from slowwave.messages
        where ${owned(input)} and session_id = ${input.sessionId}
        order by position desc
        limit ${input.limit}) as last_ones) as measured
    where later < ${input.maxChars}
    order by position`);
}
