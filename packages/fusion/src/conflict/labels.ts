import { dayOf } from '../day.ts';
import { fence, readFence } from '../fence.ts';
import { CONFLICT_TYPES } from '../memory.ts';
import type { CompletionRequest } from '../ports.ts';
import { DATA_RULE } from '../prompt-source.ts';
import { startOf } from '../summaries/sentences.ts';
import type { ConflictPair, ConflictSide } from './pair.ts';

/** Part of an answer's key: another wording is another question. */
export const LABEL_PROMPT_VERSION = 'labels-1';
/** Pairs in one request. */
export const PAIRS_PER_REQUEST = 12;
export const MAX_LABEL_SLOT_CHARS = 80;
export const MAX_LABEL_DESCRIPTION_CHARS = 300;

/** The answer about a batch, as JSON schema. Bounds are checked when the answer is judged, not by the schema. */
export const LABEL_SCHEMA: Record<string, unknown> = {
  type: 'object',
  additionalProperties: false,
  required: ['pairs'],
  properties: {
    pairs: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['n', 'type', 'wider', 'slot', 'description', 'confidence'],
        properties: {
          n: { type: 'integer' },
          type: { type: 'string', enum: [...CONFLICT_TYPES] },
          wider: { type: 'string', enum: ['a', 'b', 'none'] },
          slot: { type: 'string' },
          description: { type: 'string' },
          confidence: { type: 'number' },
        },
      },
    },
  },
};

const SYSTEM = `You compare memories about one person. Each numbered pair holds two of them, "a" and "b", that somebody thinks may disagree; say how the two relate.
${DATA_RULE}
Rules:
1. One entry for each pair, by its number "n", each judged on its own.
2. "type" is one of:
   "compatible": both can be true at once ("likes coffee" and "prefers dark roast"); also things of different people, times or places.
   "contradictory": about the same person or thing and the same question, and not both can be true ("lives in New York" and "lives in San Francisco"); also a state that changed.
   "subsumes": one says everything that the other says, and more ("has a dog" and "has a golden retriever named Max").
   "ambiguous": one cannot tell; a person has to look.
3. "wider": for subsumes, "a" or "b", the one that says more; else "none".
4. "slot": for contradictory and ambiguous, the question that both answer, in at most ${MAX_LABEL_SLOT_CHARS} characters, such as "home city"; else "".
5. "description": one sentence of at most ${MAX_LABEL_DESCRIPTION_CHARS} characters, in the language of the memories, that says why.
6. "confidence": from 0 to 1, how sure you are of the type.
7. "date" tells when a memory was said. When in doubt, say "ambiguous".
Answer with JSON only: {"pairs": [{"n": 1, "type": "contradictory", "wider": "none", "slot": "home city", "description": "...", "confidence": 0.9}]}`;

/** What one request shows of one memory, in UTF-16 units. */
const MAX_SHOWN_CHARS = 2_000;
const TOKENS_PER_PAIR = 200;
const STRUCTURE_TOKENS = 128;

/** One side of a pair as it stands in a request. */
export interface PromptSide {
  /** When it was said, YYYY-MM-DD; null when unknown. */
  date: string | null;
  text: string;
}

/** A pair as it stands in a request; a model knows it by its number alone. */
export interface PromptPair {
  /** From 1. */
  n: number;
  a: PromptSide;
  b: PromptSide;
}

/** The one request for a batch of pairs, numbered from 1. */
export function buildLabelRequest(
  pairs: readonly Pick<ConflictPair, 'a' | 'b'>[],
  options: { signal?: AbortSignal } = {},
): CompletionRequest {
  const shown = pairs.map(({ a, b }, index): PromptPair => ({ n: index + 1, a: sideOf(a), b: sideOf(b) }));
  const request: CompletionRequest = {
    messages: [
      {
        role: 'user',
        content: [fence('PAIRS', shown), '', 'Say how the two of each pair relate.'].join('\n'),
      },
    ],
    system: SYSTEM,
    temperature: 0,
    maxTokens: STRUCTURE_TOKENS + TOKENS_PER_PAIR * pairs.length,
    schema: LABEL_SCHEMA,
  };
  if (options.signal) request.signal = options.signal;
  return request;
}

/** The pairs of a request built here; null when it is none. */
export function readLabelRequest(request: CompletionRequest): PromptPair[] | null {
  for (const { role, content } of request.messages) {
    if (role !== 'user') continue;
    const pairs = readFence('PAIRS', content);
    if (pairs && pairs.length > 0 && pairs.every(isPromptPair)) return pairs;
  }
  return null;
}

function sideOf({ content, documentDay, documentDate }: ConflictSide): PromptSide {
  return { date: documentDay ?? dayOf(documentDate), text: startOf(content, MAX_SHOWN_CHARS) };
}

function isPromptPair(item: unknown): item is PromptPair {
  const { n, a, b } = (item ?? {}) as Partial<PromptPair>;
  return typeof n === 'number' && typeof a?.text === 'string' && typeof b?.text === 'string';
}
