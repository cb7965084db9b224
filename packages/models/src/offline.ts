import {
  type CompletionRequest,
  type CompletionResponse,
  joinRepeats,
  type LLMProvider,
  type MemoryCategory,
  type PromptSource,
  readFusionRequest,
  readLabelRequest,
  readReflectionRequest,
  readRemRequest,
  readStatementsRequest,
  readSummaryRequest,
} from '@slowwave/fusion';
import { clausesOf } from './clauses.ts';
import { aborted } from './errors.ts';
import { type Extract, extractSummary } from './extract.ts';
import { labelPairs } from './offline-conflicts.ts';
import { reflect } from './offline-reflection.ts';
import { judgeConnections } from './offline-rem.ts';
import { summariseSession } from './offline-summary.ts';

export const OFFLINE_MODEL = 'offline-extractive-1';

export interface OfflineProvider extends LLMProvider {
  name: 'offline';
  model: typeof OFFLINE_MODEL;
  /** What it is, for logs and screens. */
  description: string;
}

const DESCRIPTION = 'no language model: it joins only what repeats word for word, and understands nothing';
const MAX_SLOT_CHARS = 120;
/** Share of a text that a shortening keeps when the request sets no limit. */
const SHORTENED_SHARE = 0.4;
const CHARS_PER_TOKEN = 4;

function majority(sources: PromptSource[]): MemoryCategory | undefined {
  const counts = new Map<MemoryCategory, number>();
  for (const { category } of sources) counts.set(category, (counts.get(category) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

function answerOf(sources: PromptSource[], extract: Extract): string {
  return JSON.stringify({
    summary: extract.summary,
    covered: extract.covered,
    conflicts: extract.conflicts.map(({ a, b, opposition, statement }) => ({
      a,
      b,
      kind: opposition === 'polarity' ? 'contradictory' : 'ambiguous',
      slot: statement.slice(0, MAX_SLOT_CHARS),
    })),
    importance: Math.max(...sources.map(({ importance }) => importance)),
    category: majority(sources),
  });
}

function respond(text: string | null): CompletionResponse {
  return {
    content: text === null ? [] : [{ type: 'text', text }],
    stopReason: text === null ? 'refusal' : 'end_turn',
    // Nothing is spent, so nothing is counted against a budget of tokens.
    usage: { inputTokens: 0, outputTokens: 0 },
    model: OFFLINE_MODEL,
  };
}

/**
 * A request without a schema comes from the original contract, whose answer cannot say what it covers: all its sources will be
 * replaced. So either all are kept or the provider declines.
 */
function fuse(sources: PromptSource[], request: CompletionRequest): CompletionResponse {
  const whole = request.schema === undefined;
  const extract = extractSummary(sources, { whole });
  const done = whole ? extract.covered.length === sources.length : extract.summary !== '';
  return respond(done ? answerOf(sources, extract) : null);
}

/** The first clauses of the last message, up to a share of it or to the request's limit. At least one clause. */
function shorten(request: CompletionRequest): CompletionResponse {
  const text = request.messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const room =
    request.maxTokens === undefined ? text.length * SHORTENED_SHARE : request.maxTokens * CHARS_PER_TOKEN;
  const kept: string[] = [];
  let length = 0;
  for (const clause of clausesOf(1, text)) {
    const sentence = clause.text + clause.stop;
    length += sentence.length + 1;
    if (kept.length > 0 && length > Math.min(room, text.length)) break;
    kept.push(sentence);
  }
  return respond(kept.length === 0 ? null : kept.join(' '));
}

/** The answer to a request of a kind that is known here; undefined for any other. */
function answerKnown(request: CompletionRequest): CompletionResponse | undefined {
  const notes = readStatementsRequest(request);
  if (notes) return respond(JSON.stringify({ statements: joinRepeats(notes), conflicts: [] }));
  const sources = readFusionRequest(request);
  if (sources) return fuse(sources, request);
  const session = readSummaryRequest(request);
  if (session) return respond(summariseSession(session));
  const pairs = readLabelRequest(request);
  if (pairs) return respond(labelPairs(pairs));
  const rem = readRemRequest(request);
  if (rem) return respond(judgeConnections(rem.seed, rem.candidates));
  const reflection = readReflectionRequest(request);
  return reflection ? respond(reflect(reflection)) : undefined;
}

/**
 * A provider that needs no key and no network, and is no language model: it joins only what repeats word for word, summarises sessions
 * by quoting them, compares memories word by word, and judges connections and looks back by counting words. The same request gives the same answer. A prompt that is
 * none of these is shortened to its first clauses; one that asks for JSON of another shape is declined with the stop reason 'refusal'.
 */
export function createOfflineProvider(): OfflineProvider {
  return {
    name: 'offline',
    model: OFFLINE_MODEL,
    description: DESCRIPTION,
    isAvailable: () => true,
    async complete(request) {
      if (request.signal?.aborted) throw aborted();
      const known = answerKnown(request);
      if (known) return known;
      return request.schema === undefined ? shorten(request) : respond(null);
    },
  };
}
