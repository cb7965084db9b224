import { fence, readFence } from '../fence.ts';
import type { CompletionRequest } from '../ports.ts';
import { DATA_RULE } from '../prompt-source.ts';
import { type PromptMessage, type SummaryMessage, showMessages } from './messages.ts';

/** Part of an answer's key: another wording is another question. */
export const SUMMARY_PROMPT_VERSION = 'summary-1';

export const MAX_SUMMARY_SENTENCES = 3;
/** In UTF-16 units. */
export const MAX_SESSION_SUMMARY_CHARS = 1_200;
export const MIN_TOPICS = 3;
export const MAX_TOPICS = 7;
export const MAX_TOPIC_CHARS = 60;

/** The answer of a session summary, as JSON schema. Bounds are checked when the answer is judged, not by the schema. */
export const SUMMARY_SCHEMA: Record<string, unknown> = {
  type: 'object',
  additionalProperties: false,
  required: ['summary', 'topics'],
  properties: {
    summary: { type: 'string' },
    topics: { type: 'array', items: { type: 'string' } },
  },
};

const SYSTEM = `You summarise one conversation between a user and an assistant, so that the assistant remembers later what it was about.
${DATA_RULE}
Rules:
1. "summary": 2 to 3 plain sentences in the language of the user's messages: what the user wanted, said and decided, and what came of it. Begin each sentence with "The user" or "The assistant", in that language.
2. Reuse the messages' own words. Name a person, a place, a number, an amount, a date or a time only where a message states it, and exactly so; do not count, compute or guess any.
3. "date" is the day on which a message was said (UTC). "today", "yesterday", "next week" and the like are relative to that day, not to now: neither repeat them nor turn them into a date, but leave the time out where no message names it.
4. What the assistant, a tool or the system says is no statement of the user.
5. "topics": 3 to 7 subjects, the most important first, each of one to three of the messages' own words, in lower case except for names.
Answer with JSON only: {"summary": "...", "topics": ["...", "...", "..."]}`;

const ANSWER_TOKENS = 1_024;

/** The request for the summary of one session. @param messages the session's messages in order. */
export function buildSummaryRequest(
  messages: readonly SummaryMessage[],
  options: { signal?: AbortSignal } = {},
): CompletionRequest {
  const request: CompletionRequest = {
    messages: [
      {
        role: 'user',
        content: `${fence('MESSAGES', showMessages(messages))}\n\nSummarise this conversation.`,
      },
    ],
    system: SYSTEM,
    temperature: 0.1,
    maxTokens: ANSWER_TOKENS,
    schema: SUMMARY_SCHEMA,
  };
  if (options.signal) request.signal = options.signal;
  return request;
}

/** The messages of a request built here, in order, without the mark of omitted ones; null when it is none. */
export function readSummaryRequest(request: CompletionRequest): PromptMessage[] | null {
  for (const { role, content } of request.messages) {
    const messages = role === 'user' ? readFence('MESSAGES', content)?.filter(isPromptMessage) : null;
    if (messages && messages.length > 0) return messages;
  }
  return null;
}

function isPromptMessage(item: unknown): item is PromptMessage {
  const message = item as Partial<PromptMessage> | null;
  return (
    typeof message === 'object' &&
    message !== null &&
    typeof message.n === 'number' &&
    typeof message.role === 'string' &&
    typeof message.text === 'string'
  );
}
