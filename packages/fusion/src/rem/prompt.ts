import { fence, readFence } from '../fence.ts';
import type { CompletionRequest } from '../ports.ts';
import { DATA_RULE, type PromptSource, sourceOf } from '../prompt-source.ts';
import { startOf } from '../summaries/sentences.ts';
import type { RemNode, RemSeed } from './config.ts';

/** Part of an answer's key: another wording is another question. */
export const REM_PROMPT_VERSION = 'rem-1';

/** The answer about one seed, as JSON schema. Bounds are checked when the answer is judged, not by the schema. */
export const REM_SCHEMA: Record<string, unknown> = {
  type: 'object',
  additionalProperties: false,
  required: ['verdicts'],
  properties: {
    verdicts: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['n', 'novelty', 'plausibility', 'usefulness', 'explanation'],
        properties: {
          n: { type: 'integer' },
          novelty: { type: 'integer' },
          plausibility: { type: 'integer' },
          usefulness: { type: 'integer' },
          explanation: { type: 'string' },
        },
      },
    },
  },
};

const SYSTEM = `You look for connections between the memories of one person. Nothing links the seed memory to the numbered candidates yet; judge for each candidate whether the two belong together.
${DATA_RULE}
Rules:
1. One verdict for each candidate, by its number "n", each judged on its own.
2. Three scores, integers from 1 to 5. "novelty": 1 is the same thing said twice, 5 is a connection that is easily missed. "plausibility": 1 is a guess that neither memory supports, 5 is nearly said by the two. "usefulness": 1 changes nothing in how one would help this person, 5 changes much.
3. Most pairs have nothing to do with each other: low scores are the ordinary case.
4. "explanation": one sentence of at most 200 characters in the language of the memories that says what connects the two, beginning with "Both" or "The" (in that language). It may hold no name, number, date, time, address or negation that stands in neither of the two memories.
5. "date" tells when a memory was said; do not copy it.
Answer with JSON only: {"verdicts": [{"n": 1, "novelty": 3, "plausibility": 2, "usefulness": 3, "explanation": "..."}]}`;

/** What one request shows of one memory, in UTF-16 units. */
const MAX_SHOWN_CHARS = 2_000;
const TOKENS_PER_VERDICT = 320;
const STRUCTURE_TOKENS = 128;

/** The one request for a seed: the seed, and its candidates numbered from 1. */
export function buildRemRequest(seed: RemSeed, options: { signal?: AbortSignal } = {}): CompletionRequest {
  const parts = [
    fence('SEED', [shownSource(seed.seed, -1)]),
    '',
    fence(
      'CANDIDATES',
      seed.candidates.map(({ node }, index) => shownSource(node, index)),
    ),
    '',
    'Judge the connection between the seed and each candidate.',
  ];
  const request: CompletionRequest = {
    messages: [{ role: 'user', content: parts.join('\n') }],
    system: SYSTEM,
    temperature: 0.3,
    maxTokens: STRUCTURE_TOKENS + TOKENS_PER_VERDICT * seed.candidates.length,
    schema: REM_SCHEMA,
  };
  if (options.signal) request.signal = options.signal;
  return request;
}

/** The seed (number 0) and the candidates of a request built here; null when it is none. */
export function readRemRequest(
  request: CompletionRequest,
): { seed: PromptSource; candidates: PromptSource[] } | null {
  for (const { role, content } of request.messages) {
    if (role !== 'user') continue;
    const [seeds, candidates] = [readFence('SEED', content), readFence('CANDIDATES', content)];
    const seed = seeds?.[0];
    if (!isPromptSource(seed) || !candidates || candidates.length === 0) continue;
    if (candidates.every(isPromptSource)) return { seed, candidates };
  }
  return null;
}

/** @param index from 0 for a candidate; the seed stands before them, as number 0. */
function shownSource(node: RemNode, index: number): PromptSource {
  return sourceOf({ ...node, content: startOf(node.content, MAX_SHOWN_CHARS) }, index);
}

function isPromptSource(item: unknown): item is PromptSource {
  const source = item as Partial<PromptSource> | null | undefined;
  return (
    typeof source === 'object' &&
    source !== null &&
    typeof source.n === 'number' &&
    typeof source.text === 'string'
  );
}
