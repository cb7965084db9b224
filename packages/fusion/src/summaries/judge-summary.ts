import { readStoredAnswer, type UnreadableAnswer } from '../answer.ts';
import { isSafeText } from '../fence.ts';
import type { StoredAnswer } from '../ports.ts';
import { readProfile } from '../reading/profile.ts';
import { isGrounded } from './grounded.ts';
import { type SummaryMessage, showMessages } from './messages.ts';
import { cutSentences, splitSentences } from './sentences.ts';
import {
  MAX_SESSION_SUMMARY_CHARS,
  MAX_SUMMARY_SENTENCES,
  MAX_TOPIC_CHARS,
  MAX_TOPICS,
  MIN_TOPICS,
} from './session-summary.ts';

export type SummaryVerdict =
  | { ok: true; summary: string; topics: string[] }
  | { ok: false; reason: UnreadableAnswer | 'invented' };

/**
 * Judges a stored answer for a session. Pure and repeatable.
 *
 * - A summary of more than three sentences is cut after the third; one whose first sentence is longer than a summary may be is
 *   `invalid_output`. One sentence is enough where there is no more to say.
 * - Topics are taken without repetition, at most seven; fewer than three are `invalid_output`.
 * - A hard atom (name, number, date, negation ...) that no shown message has makes the summary `invented`. So does a date that the
 *   model worked out from "tomorrow": it cannot be checked. A topic with such an atom is dropped.
 *
 * @param messages the same as for the request: only what it showed counts.
 */
export function judgeSummary(messages: readonly SummaryMessage[], answer: StoredAnswer): SummaryVerdict {
  const reading = readStoredAnswer(answer, ['summary']);
  if (!reading.ok) return reading;
  const summary = readSummaryText(reading.value.summary);
  const topics = readTopics(reading.value.topics);
  if (summary === null || topics === null || topics.length < MIN_TOPICS) {
    return { ok: false, reason: 'invalid_output' };
  }
  const sources = showMessages(messages).flatMap((item) => ('text' in item ? [readProfile(item.text)] : []));
  const grounded = topics.filter((topic) => isGrounded(topic, sources)).slice(0, MAX_TOPICS);
  if (!isGrounded(summary, sources) || grounded.length < MIN_TOPICS) return { ok: false, reason: 'invented' };
  return { ok: true, summary, topics: grounded };
}

function readSummaryText(value: unknown): string | null {
  if (typeof value !== 'string' || !isSafeText(value)) return null;
  // Each line break becomes a space only after it has ended its sentence.
  const sentences = splitSentences(value.trim()).map((sentence) => sentence.trim().replace(/\s+/g, ' '));
  const said = sentences.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence)).join('\n');
  const cut = cutSentences(said, { sentences: MAX_SUMMARY_SENTENCES, chars: MAX_SESSION_SUMMARY_CHARS });
  return cut === '' ? null : cut.replaceAll('\n', ' ');
}

/** Topics without repetition, in order; null when there is no list. What is no topic is passed over. */
function readTopics(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  const topics = new Map<string, string>();
  for (const item of value as unknown[]) {
    if (typeof item !== 'string' || !isSafeText(item)) continue;
    const topic = item.trim().replace(/\s+/g, ' ');
    const fits = topic.length <= MAX_TOPIC_CHARS && /[\p{L}\p{N}]/u.test(topic);
    const key = topic.toLowerCase();
    if (fits && !topics.has(key)) topics.set(key, topic);
  }
  return [...topics.values()];
}
