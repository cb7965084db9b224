import { dayOf } from '../day.ts';
import { fence, readFence } from '../fence.ts';
import type { CompletionRequest } from '../ports.ts';
import { DATA_RULE } from '../prompt-source.ts';
import { cutSentences, startOf } from './sentences.ts';

/** Part of an answer's key: another wording is another question. */
export const REFLECTION_PROMPT_VERSION = 'reflection-1';

export const MAX_INSIGHTS = 5;
/** In UTF-16 units. */
export const MAX_INSIGHT_CHARS = 400;
export const MAX_PROFILE_WORDS = 600;

/** What a reflection looks back on. */
export interface ReflectionInput {
  summaries: {
    sessionId: string;
    summary: string;
    topics: string[];
    /** When the session was last spoken in, epoch milliseconds. */
    at: number;
  }[];
  /** The behaviour profile as it stands; null for none. */
  profile: string | null;
}

/** A session summary as it stands in a request. */
export interface PromptSummary {
  /** 1 to n, the only name that a model knows it by. */
  n: number;
  /** YYYY-MM-DD in UTC; null when unknown. */
  date: string | null;
  summary: string;
  topics: string[];
}

/** The answer of a reflection, as JSON schema. Bounds are checked when the answer is judged, not by the schema. */
export const REFLECTION_SCHEMA: Record<string, unknown> = {
  type: 'object',
  additionalProperties: false,
  required: ['insights', 'profile'],
  properties: {
    insights: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['content', 'sources'],
        properties: {
          content: { type: 'string' },
          sources: { type: 'array', items: { type: 'integer' } },
        },
      },
    },
    profile: { type: 'string' },
  },
};

const SYSTEM = `You are an assistant that looks back on its recent conversations with one user, given as numbered summaries.
${DATA_RULE}
Rules:
1. "insights": at most 5, each at most 400 characters: patterns across the conversations, what helped, what to do better. They are your own observations about the conversations and never facts about the user beyond what the summaries say. Where there is no pattern, give fewer or none.
2. "sources": the numbers of all summaries that an insight rests on. An insight without any is worth nothing.
3. "profile": how to work with this user, distilled from the present profile (PROFILE, if any) and the summaries, in plain sentences and at most 600 words. Keep what still holds, mend what has changed, drop what is no longer borne out. It is about manner and recurring subjects, no list of facts.
4. Reuse the summaries' own words. Name a person, a place, a number, an amount, a date or a time, and deny something, only where a summary that you cite does (in the profile: a summary or the present profile); do not count, compute or guess any.
5. Begin each sentence with "The user" or "The assistant", in the language of the summaries.
6. "date" is the day of a conversation (UTC); do not copy it. "today", "yesterday", "next week" and the like in a summary are relative to that day, not to now: do not repeat them.
Answer with JSON only: {"insights": [{"content": "...", "sources": [1, 2]}], "profile": "..."}`;

const ANSWER_TOKENS = 3_072;
/** What one request shows of all summaries together, and of one at least, in UTF-16 units. */
const MAX_SHOWN_CHARS = 48_000;
const MIN_SHOWN_CHARS = 200;
const MAX_PROFILE_CHARS = 6_000;

/** The request of one reflection. */
export function buildReflectionRequest(
  input: ReflectionInput,
  options: { signal?: AbortSignal } = {},
): CompletionRequest {
  const parts = [fence('SUMMARIES', showSummaries(input))];
  const profile = showProfile(input);
  if (profile !== null) parts.push('', fence('PROFILE', [{ text: profile }]));
  parts.push('', 'Reflect on these conversations.');
  const request: CompletionRequest = {
    messages: [{ role: 'user', content: parts.join('\n') }],
    system: SYSTEM,
    temperature: 0.2,
    maxTokens: ANSWER_TOKENS,
    schema: REFLECTION_SCHEMA,
  };
  if (options.signal) request.signal = options.signal;
  return request;
}

/** The summaries and the profile of a request built here; null when it is none. */
export function readReflectionRequest(
  request: CompletionRequest,
): { summaries: PromptSummary[]; profile: string | null } | null {
  for (const { role, content } of request.messages) {
    const summaries = role === 'user' ? readFence('SUMMARIES', content) : null;
    if (!summaries || summaries.length === 0 || !summaries.every(isPromptSummary)) continue;
    const [profile] = (readFence('PROFILE', content) ?? []) as ({ text?: unknown } | null)[];
    return { summaries, profile: typeof profile?.text === 'string' ? profile.text : null };
  }
  return null;
}

/** The summaries as a request shows them. Of very many, each is shown up to its share of the room, so that none is passed over. */
export function showSummaries({ summaries }: ReflectionInput): PromptSummary[] {
  const share = Math.max(MIN_SHOWN_CHARS, Math.floor(MAX_SHOWN_CHARS / Math.max(1, summaries.length)));
  return summaries.map(({ summary, topics, at }, index) => ({
    n: index + 1,
    date: dayOf(at),
    summary: cutSentences(summary, { chars: share }) || startOf(summary, share),
    topics,
  }));
}

/** The present profile as a request shows it; null for none. */
export function showProfile({ profile }: ReflectionInput): string | null {
  if (profile === null || profile.trim() === '') return null;
  return cutSentences(profile, { chars: MAX_PROFILE_CHARS }) || startOf(profile, MAX_PROFILE_CHARS);
}

function isPromptSummary(item: unknown): item is PromptSummary {
  const summary = item as Partial<PromptSummary> | null;
  return (
    typeof summary === 'object' &&
    summary !== null &&
    typeof summary.n === 'number' &&
    typeof summary.summary === 'string' &&
    Array.isArray(summary.topics)
  );
}
