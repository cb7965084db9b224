import type { TrustSignals } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { newId } from '../ids.ts';
import { InputError, requireName, requireNumber, requireWord } from '../input-error.ts';
import { instantOf } from '../instants.ts';
import { ask, type Question, theRow } from '../questions.ts';
import { FEEDBACK_KINDS } from '../schema/signals.ts';

export type FeedbackKind = (typeof FEEDBACK_KINDS)[number];

/**
 * Records what a user thought of something an agent did on its own.
 * @param input.id a UUID of the writer's; the same id again is the same feedback. Absent: a new one
 * @param input.rating for explicit feedback, and only for that: 0 (bad) to 1 (good)
 * @param input.at when it was given, epoch ms
 * @throws InputError for an unknown kind, a rating out of range, missing or given where none belongs
 * @throws DatabaseError `constraint` when the user is unknown
 */
export async function recordFeedback(
  tx: Transaction,
  input: {
    tenant: string;
    user: string;
    id?: string;
    kind: FeedbackKind;
    rating?: number | null;
    sessionId?: string | null;
    at: number;
  },
): Promise<{ id: string; recorded: boolean }> {
  const rating = input.rating ?? null;
  requireWord(input.kind, 'kind', FEEDBACK_KINDS);
  requireName(input.sessionId, 'sessionId');
  if (rating !== null) requireNumber(rating, 'rating', { min: 0, max: 1 });
  if ((input.kind === 'explicit') !== (rating !== null))
    throw new InputError('not_allowed', 'rating', 'rating belongs to explicit feedback, and only to that');
  const id = input.id ?? newId(input.at);
  const rows = await tx.rows(sql`
    insert into slowwave.feedback (tenant, user_id, id, kind, rating, session_id, given_at)
    values (${input.tenant}, ${input.user}, ${id}::uuid, ${input.kind}, ${rating}, ${input.sessionId ?? null},
      ${instantOf(input.at)})
    on conflict do nothing
    returning 1`);
  return { id, recorded: rows.length === 1 };
}

/**
 * Feedback given after `since` (exclusive; null: ever) and up to `at`, and the sessions held so far. Times in epoch ms.
 * @returns also `feedback`, how many there were of all kinds
 */
export function readTrustSignals(
  tx: Transaction,
  input: { tenant: string; user: string; since: number | null; at: number },
): Promise<TrustSignals & { feedback: number }> {
  return ask(tx, signalsSince(input, sql`coalesce(${instantOf(input.since)}, '-infinity')`));
}

/** As readTrustSignals, since the last time that trust was reckoned. */
export function askTrustSignals(input: {
  tenant: string;
  user: string;
  at: number;
}): Question<TrustSignals & { feedback: number }> {
  const through = sql`(select p.trust_through from slowwave.user_profiles p where ${owned(input, 'p')})`;
  return signalsSince(input, sql`coalesce(${through}, '-infinity')`);
}

/** @param since a timestamptz, exclusive */
function signalsSince(
  input: { tenant: string; user: string; at: number },
  since: SQL,
): Question<TrustSignals & { feedback: number }> {
  return theRow(sql`
    select count(*) filter (where kind = 'accepted')::int as accepted,
      count(*) filter (where kind = 'dismissed')::int as dismissed,
      count(*) filter (where kind = 'explicit')::int as explicit, coalesce(sum(rating), 0) as "explicitSum",
      count(*)::int as feedback,
      (select count(*)::int from slowwave.sessions s
        where ${owned(input, 's')} and s.message_count > 0 and s.started_at <= ${instantOf(input.at)}) as sessions
    from slowwave.feedback
    where ${owned(input)} and given_at <= ${instantOf(input.at)}
      and given_at > ${since}`);
}
