import { dayOf } from '../day.ts';
import { endOf, startOf } from './sentences.ts';

/** A message of a conversation. */
export interface SummaryMessage {
  role: 'user' | 'assistant' | 'tool' | 'system';
  content: string;
  /** Epoch milliseconds. */
  saidAt: number;
}

/** A message as it stands in a request. */
export interface PromptMessage {
  /** Its position in the session, from 1. */
  n: number;
  role: SummaryMessage['role'];
  /** When it was said, YYYY-MM-DD in UTC; null when unknown. */
  date: string | null;
  text: string;
}

/** Stands in a request where messages were left out. */
export interface OmittedMessages {
  omitted: number;
  note: string;
}

/** What one request shows of a session, in UTF-16 units, and of one message of it. */
export const MAX_SESSION_CHARS = 24_000;
export const MAX_MESSAGE_CHARS = 4_000;
/** What numbers, names and quotes add to each message. */
const ITEM_CHARS = 60;
const CUT = '\n…\n';

/**
 * The messages of a session as a request shows them, in order. Of a session that is too long its beginning and its end are shown, half
 * the room each, with an item between them that says how many messages are missing; of a message that is too long likewise.
 */
export function showMessages(messages: readonly SummaryMessage[]): (PromptMessage | OmittedMessages)[] {
  const shown = messages.map(
    ({ role, content, saidAt }, index): PromptMessage => ({
      n: index + 1,
      role,
      date: dayOf(saidAt),
      text: cutMiddle(content),
    }),
  );
  const total = shown.reduce((sum, message) => sum + costOf(message), 0);
  if (total <= MAX_SESSION_CHARS) return shown;
  const head = countFitting(shown, MAX_SESSION_CHARS / 2);
  const tail = countFitting(shown.slice(head).reverse(), MAX_SESSION_CHARS / 2);
  const omitted = shown.length - head - tail;
  if (omitted === 0) return shown;
  return [
    ...shown.slice(0, head),
    { omitted, note: `${omitted} messages of the session are left out here` },
    ...shown.slice(shown.length - tail),
  ];
}

function countFitting(messages: PromptMessage[], room: number): number {
  let used = 0;
  let count = 0;
  for (const message of messages) {
    used += costOf(message);
    if (used > room) break;
    count += 1;
  }
  return count;
}

function costOf(message: PromptMessage): number {
  return message.text.length + ITEM_CHARS;
}

function cutMiddle(text: string): string {
  if (text.length <= MAX_MESSAGE_CHARS) return text;
  const room = MAX_MESSAGE_CHARS - CUT.length;
  const head = Math.floor((room * 2) / 3);
  return startOf(text, head) + CUT + endOf(text, room - head);
}
