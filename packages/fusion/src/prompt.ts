import { dayOf } from './day.ts';
import { fence, readFence } from './fence.ts';
import type { GateMissing } from './gate/gate.ts';
import { CATEGORIES, type Candidate, type Cluster, type MemoryEntry } from './memory.ts';
import type { CompletionRequest, FusionFailure } from './ports.ts';
import {
  CONNECTION_RULE,
  connectionLines,
  DATA_RULE,
  type PromptSource,
  type RelationContextEntry,
  SUMMARY_SHAPE,
  sourceOf,
} from './prompt-source.ts';
import { resolveRelativeDates } from './reading/relative-dates.ts';

export type { PromptSource, RelationContextEntry } from './prompt-source.ts';

/** Part of the fusion key: another wording is another question. */
export const PROMPT_VERSION = 'fusion-3';

/** The answer of a fusion, as JSON schema. Bounds are checked when the answer is read, not by the schema. */
export const FUSION_SCHEMA: Record<string, unknown> = {
  type: 'object',
  additionalProperties: false,
  required: ['summary', 'covered', 'conflicts', 'importance', 'category'],
  properties: {
    summary: { type: 'string' },
    covered: { type: 'array', items: { type: 'integer' } },
    conflicts: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['a', 'b', 'kind', 'slot'],
        properties: {
          a: { type: 'integer' },
          b: { type: 'integer' },
          kind: { type: 'string', enum: ['contradictory', 'ambiguous'] },
          slot: { type: 'string' },
        },
      },
    },
    importance: { type: 'integer' },
    category: { type: 'string', enum: [...CATEGORIES] },
  },
};

export interface RequestOptions {
  /** 'sleep' asks for the thread across categories; 'deep' (the default) for a plain merge. */
  tier?: 'deep' | 'sleep';
  signal?: AbortSignal;
}

const RULES = `Rules:
1. Write one coherent text in plain sentences, shorter than the sources together, in the language of the sources.
2. Keep every name, number, unit, amount, date, time, address and negation exactly as the sources state it, next to what it belongs to, and reuse the sources' own words for everything else that they say.
3. Add nothing: no fact, name, number or date that no source states. "date" tells when a source was said; do not copy it into the summary.
4. "covered": the numbers of the sources whose whole content the summary keeps. Leave a source out when in doubt.
5. "conflicts": pairs of sources that contradict each other, or of which one cannot tell whether they do (ambiguous), with the question they answer differently as "slot", for example "home city". Do not settle them.
6. "importance" (1 to 10) and "category" are your estimate.
Answer with JSON only: {"summary": "...", "covered": [1, 2], "conflicts": [], "importance": 5, "category": "fact"}

Example, of which nothing belongs in your answer. Sources: 1 "Mara keeps two hens." 2 "One of Mara's hens is called Frieda." 3 "Frieda, Mara's hen, lays no eggs in winter." 4 "Mara gives her hens 120 g of grain a day." 5 "Mara's hens get 150 g of grain a day."
Answer: {"summary": "Mara keeps two hens. One of them is called Frieda and lays no eggs in winter.", "covered": [1, 2, 3], "conflicts": [{"a": 4, "b": 5, "kind": "contradictory", "slot": "grain a day"}], "importance": 3, "category": "fact"}
It keeps who lays no eggs, and when. It does not choose between 120 g and 150 g, so it covers neither of these two sources.

Another one. Sources: 1 "Jonas works at a bakery in Lund." 2 "Jonas may leave the bakery in Lund in May 2025." 3 "Jonas does not eat nuts." 4 "Jonas's dog is called Ylva and is eleven years old."
Answer: {"summary": "Jonas works at a bakery in Lund and may leave it in May 2025. He does not eat nuts. His dog is called Ylva and is eleven years old.", "covered": [1, 2, 3, 4], "conflicts": [], "importance": 4, "category": "fact"}
What may happen stays something that may happen, what is denied stays denied, and no reason is made up.`;

/**
 * The request of the pure function: contents with categories and importances in the first message, JSON with summary, importance and
 * category asked for in the system text.
 */
export function buildFusionPrompt(
  cluster: MemoryEntry[],
  relationContext: RelationContextEntry[] = [],
): CompletionRequest {
  const connections = connectionLines(relationContext);
  const system = `You consolidate memories: merge the numbered memories into one summary that is shorter than they are together and keeps every distinct fact.
${DATA_RULE}${connections.length > 0 ? `\n${CONNECTION_RULE}` : ''}
${SUMMARY_SHAPE}`;
  const parts = ['MEMORIES TO MERGE:', fence('SOURCES', cluster.map(sourceOf))];
  if (connections.length > 0) parts.push('', 'CONNECTIONS:', ...connections);
  parts.push('', 'Merge them into one summary (JSON only).');
  return {
    messages: [{ role: 'user', content: parts.join('\n') }],
    system,
    temperature: 0.1,
    maxTokens: 500,
  };
}

/** The tiers' request for one cluster: a summary, the sources it covers, and pairs that contradict. */
export function buildFusionRequest(cluster: Cluster, options: RequestOptions = {}): CompletionRequest {
  return requestOf(cluster, options, sourceParts(cluster), 1);
}

/**
 * The second and last request for a cluster whose answer failed: the same question, the previous summary, and what was wrong with it.
 *
 * @param failure `missing` is absent when the answer could not be read at all.
 */
export function buildRepairRequest(
  cluster: Cluster,
  previousSummary: string | null,
  failure: { reason: FusionFailure; missing?: GateMissing },
  options: RequestOptions = {},
): CompletionRequest {
  const parts = sourceParts(cluster);
  if (previousSummary !== null)
    parts.push('', 'Your previous summary:', fence('DRAFT', [{ summary: previousSummary }]));
  parts.push('', `It was not accepted: ${REPAIR_REASONS[failure.reason]}`);
  const lost = (failure.missing?.lost ?? []).filter(({ value }) => value !== '').slice(0, MAX_PROBLEMS);
  const invented = (failure.missing?.invented ?? []).slice(0, MAX_PROBLEMS);
  if (lost.length + invented.length > 0) {
    const problems = [
      ...lost.map(({ source, kind, value }) => ({ problem: 'lost', source, kind, value })),
      ...invented.map(({ kind, value }) => ({ problem: 'invented', kind, value })),
    ];
    parts.push(
      'What was lost from a source, and what no source states, in normalised spelling:',
      fence('PROBLEMS', problems),
    );
  }
  parts.push('', 'Write it again.');
  // A truncated answer needs room, not advice.
  return requestOf(cluster, options, parts, failure.reason === 'truncated' ? 2 : 1);
}

const MAX_PROBLEMS = 40;
const REPAIR_REASONS: Record<FusionFailure, string> = {
  fact_loss: 'facts of the sources are missing from it.',
  invented: 'it states something that no source states.',
  not_shorter: 'it is not shorter than the sources that it covers.',
  invalid_output: 'it was not the JSON that was asked for, or named sources that do not exist.',
  refused: 'it was refused.',
  truncated: 'it was cut off. Be shorter.',
  too_few_covered: 'it covers fewer than two sources.',
  share_exceeded: 'it covers too many sources.',
  provider_error: 'it did not arrive.',
};

/** The sources of a request built here, in order; null when it is none. Offline providers and fakes answer from them. */
export function readFusionRequest(request: CompletionRequest): PromptSource[] | null {
  for (const { role, content } of request.messages) {
    const items = role === 'user' ? readFence('SOURCES', content) : null;
    if (items && items.length > 0 && items.every(isPromptSource)) return items;
  }
  return null;
}

function isPromptSource(item: unknown): item is PromptSource {
  const source = item as Partial<PromptSource> | null;
  return (
    typeof source === 'object' &&
    source !== null &&
    typeof source.n === 'number' &&
    typeof source.text === 'string'
  );
}

function sourceParts(cluster: Cluster): string[] {
  const numbers = new Map(cluster.members.map(({ id }, index) => [id, index + 1]));
  const parts = [fence('SOURCES', cluster.members.map(datedSourceOf))];
  if (cluster.relations.length > 0) {
    parts.push('', 'CONNECTIONS:');
    for (const { a, b, relationType } of cluster.relations) {
      parts.push(`- ${numbers.get(a)} ${relationType ?? 'EXTENDS'} ${numbers.get(b)}`);
    }
  }
  return parts;
}

/**
 * A source with its relative dates resolved against the day on which it was said: "yesterday" means another day in a summary.
 */
function datedSourceOf(member: Candidate, index: number): PromptSource {
  const date = member.documentDay ?? dayOf(member.documentDate);
  return { ...sourceOf(member, index), date, text: resolveRelativeDates(member.content, date).text };
}

function requestOf(
  cluster: Cluster,
  options: RequestOptions,
  parts: string[],
  room: number,
): CompletionRequest {
  const thread =
    options.tier === 'sleep'
      ? '\nThe memories may be of several categories: let the summary show what connects them (see CONNECTIONS, if any), as long as the sources say so.'
      : '';
  const request: CompletionRequest = {
    messages: [{ role: 'user', content: parts.join('\n') }],
    system: `You consolidate the long-term memories of one person: merge the numbered sources into one summary.\n${DATA_RULE}${thread}\n${RULES}`,
    temperature: 0.1,
    maxTokens: Math.min(MAX_ANSWER_TOKENS, room * answerTokens(cluster)),
    schema: FUSION_SCHEMA,
  };
  if (options.signal) request.signal = options.signal;
  return request;
}

const MIN_ANSWER_TOKENS = 256;
const MAX_ANSWER_TOKENS = 8_192;

/** 0.8 × source tokens + 60 for the text, and room for the JSON around it. */
function answerTokens(cluster: Cluster): number {
  const tokens = cluster.members.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  const structure = 60 + 24 * cluster.members.length;
  return Math.max(MIN_ANSWER_TOKENS, Math.min(MAX_ANSWER_TOKENS, Math.ceil(0.8 * tokens + 60 + structure)));
}

/** Rough, on the high side: four ASCII characters or one other character are a token. */
export function estimateTokens(text: string): number {
  let other = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) other += 1;
  }
  return Math.ceil((text.length - other) / 4 + other);
}
