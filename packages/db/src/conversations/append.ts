import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import {
  InputError,
  requireCount,
  requireName,
  requireText,
  requireTime,
  requireWord,
} from '../input-error.ts';
import { instantOf } from '../instants.ts';
import { MESSAGE_ROLES } from '../schema/conversations.ts';
import type { MessageRole } from './messages.ts';

export const MESSAGES_PER_CALL_MAX = 1_000;
/** Characters (code points) of one message. */
export const MESSAGE_CHARS_MAX = 100_000;
/** UTF-16 units of all messages of one call. */
const CALL_LENGTH_MAX = 5_000_000;
/** How far a writer's clock may be ahead: a message of the far future would keep its session from ever being idle. */
const AHEAD_MAX_MS = 86_400_000;

export interface NewMessage {
  role: MessageRole;
  content: string;
  /** Epoch ms; at most a day after `at`. */
  saidAt: number;
  /** The writer's own id, 1 to 200 characters; the same id again in the same session is the same message. */
  externalId?: string | null;
}

export interface AppendInput {
  tenant: string;
  user: string;
  /** Both names have 1 to 200 characters. */
  session: { id: string; agent?: string | null };
  messages: readonly NewMessage[];
  /** Epoch ms. */
  at: number;
}

/**
 * Appends messages to a session in the order given, and makes the session with its first ones. A message whose external id the
 * session knows is left as it stands; one without an external id is always appended. Whoever appends to the same session waits, so
 * positions have no gaps. Anything appended makes the session worth another summary, however often that failed before.
 * @throws InputError for too many or too long messages, empty or invalid text, unknown roles and impossible times
 * @throws DatabaseError `constraint` when the user is unknown
 */
export async function appendMessages(
  tx: Transaction,
  input: AppendInput,
): Promise<{ appended: number; existing: number }> {
  check(input);
  if (input.messages.length === 0) return { appended: 0, existing: 0 };
  await lockSession(tx, input);
  const payload = JSON.stringify(
    input.messages.map(({ role, content, saidAt, externalId }) => ({ role, content, saidAt, externalId })),
  );
  const session = sql`session_id = ${input.session.id}`;
  const [row] = await tx.rows<{ appended: number }>(sql`
    with incoming as (
      select n, m->>'role' as role, m->>'content' as content, to_timestamp((m->>'saidAt')::float8 / 1000) as said_at,
        m->>'externalId' as external_id
      from jsonb_array_elements(${payload}::jsonb) with ordinality as given(m, n)
    ), fresh as (
      select i.*, row_number() over (order by n) as place from incoming i
      where external_id is null or (
        not exists (select 1 from incoming earlier where earlier.external_id = i.external_id and earlier.n < i.n)
        and external_id not in (
          select known.external_id from slowwave.messages known
          where ${owned(input, 'known')} and known.${session} and known.external_id is not null))
    ), appended as (
      insert into slowwave.messages (tenant, user_id, session_id, position, external_id, role, content, said_at)
      select s.tenant, s.user_id, s.id, s.message_count + f.place, f.external_id, f.role, f.content, f.said_at
      from fresh f cross join slowwave.sessions s
      where ${owned(input, 's')} and s.id = ${input.session.id}
      returning said_at
    ), total as (
      select count(*)::int as count, min(said_at) as first, max(said_at) as last from appended
    ), counted as (
      update slowwave.sessions s set message_count = s.message_count + total.count, summary_failures = 0,
        started_at = least(s.started_at, total.first), last_message_at = greatest(s.last_message_at, total.last)
      from total
      where ${owned(input, 's')} and s.id = ${input.session.id} and total.count > 0
    )
    select count as appended from total`);
  return { appended: row!.appended, existing: input.messages.length - row!.appended };
}

/**
 * Makes the session or locks it as it is; an agent is only ever added. A statement of its own, so that the next one sees what the
 * holder of the lock before us has written.
 */
async function lockSession(tx: Transaction, input: AppendInput): Promise<void> {
  const times = input.messages.map((message) => message.saidAt);
  // By hand: a thousand arguments are fine today, a limit may grow.
  const first = times.reduce((a, b) => Math.min(a, b));
  const last = times.reduce((a, b) => Math.max(a, b));
  await tx.rows(sql`
    insert into slowwave.sessions (tenant, user_id, id, agent, started_at, last_message_at)
    values (${input.tenant}, ${input.user}, ${input.session.id}, ${input.session.agent ?? null}, ${instantOf(first)},
      ${instantOf(last)})
    on conflict (tenant, user_id, id) do update set agent = excluded.agent
      -- A row that is not updated is locked all the same.
      where sessions.agent is null and excluded.agent is not null`);
}

function check(input: AppendInput): void {
  requireName(input.session.id, 'session.id');
  requireName(input.session.agent, 'session.agent');
  requireCount(input.messages, 'messages', MESSAGES_PER_CALL_MAX);
  let length = 0;
  input.messages.forEach((message, i) => {
    const field = `messages[${i}]`;
    requireWord(message.role, `${field}.role`, MESSAGE_ROLES);
    requireText(message.content, `${field}.content`, MESSAGE_CHARS_MAX);
    requireName(message.externalId, `${field}.externalId`);
    requireTime(message.saidAt, `${field}.saidAt`);
    if (message.saidAt > input.at + AHEAD_MAX_MS)
      throw new InputError('invalid_time', `${field}.saidAt`, `${field}.saidAt lies more than a day ahead`);
    length += message.content.length;
  });
  if (length > CALL_LENGTH_MAX)
    throw new InputError('too_long', 'messages', 'messages are too long together: give fewer in one call');
}
