import { type CompletionRequest, estimateTokens } from '@slowwave/fusion';
import { DATA_RULE, fenceLines, readFencedLines } from './data-fence.ts';
import { INSIGHT_CATEGORIES } from './types.ts';

/** Part of an answer's key: another wording is another question. */
export const INSIGHTS_PROMPT_VERSION = 'insights-1';

/** Files with more than this together are not asked about: a part would be taken for the whole. In UTF-16 units. */
export const MAX_INPUT_CHARS = 200_000;
/** A working memory with more tokens than this is not pruned: the answer would repeat most of it. */
const MAX_PRUNE_TOKENS = 12_000;
const BASE_ANSWER_TOKENS = 1_500;
const MAX_INSIGHTS_TOKENS = 4_000;

export interface ExtractionInput {
  /** The working memory, without what we wrote into it. */
  working: string;
  /** The insights as they stand; null for none. */
  insights: string | null;
  /** Whether the working memory may be pruned; default true. */
  prune?: boolean;
}

/** The answer, as JSON schema. Bounds are checked when it is judged. */
export const INSIGHTS_SCHEMA: Record<string, unknown> = {
  type: 'object',
  additionalProperties: false,
  required: ['summary', 'insights', 'prunedMemory'],
  properties: {
    summary: { type: 'string' },
    insights: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['category', 'content', 'source'],
        properties: {
          category: { type: 'string', enum: [...INSIGHT_CATEGORIES] },
          content: { type: 'string' },
          source: { type: ['string', 'null'] },
        },
      },
    },
    prunedMemory: { type: ['string', 'null'] },
  },
};

const SYSTEM = `You keep the notes of a project. You are given its working memory (MEMORY) and, where there are any, the insights that were drawn from it before (INSIGHTS), each as the lines of a Markdown file.
${DATA_RULE}

Say what is worth knowing in a month that INSIGHTS does not say yet. Each insight is one self-contained sentence or two that MEMORY itself bears out: never guess, never add. Its category:
- pattern: something that comes back and works
- principle: what is decided by, and why
- convention: how things are done here
- pitfall: what went wrong or would
- context: background that one has to know
Name in "source" the heading or note that an insight rests on, or null. Nothing new is a good answer: then "insights" is empty.
"summary" says in one sentence what you found.`;

const WITH_PRUNING = `
"prunedMemory" is null, or the whole of MEMORY without lines that no longer matter: notes of single tasks that are done, what was superseded, what is said twice. Copy every line that stays exactly as it is and in its order; write no line of your own; keep all headings with something below them. At most a quarter of the text may go. When in doubt, null.`;
const WITHOUT_PRUNING = `
"prunedMemory" is null.`;

/** Whether pruning is asked for. */
function asksForPruning({ working, prune }: ExtractionInput): boolean {
  return prune !== false && estimateTokens(working) <= MAX_PRUNE_TOKENS;
}

/** The question about a working memory. The room for the answer grows with it. */
export function buildExtractionRequest(input: ExtractionInput): CompletionRequest {
  const { working, insights } = input;
  const prunes = asksForPruning(input);
  const tokens = estimateTokens(working);
  const room = Math.min(MAX_INSIGHTS_TOKENS, BASE_ANSWER_TOKENS + Math.ceil(tokens / 2));
  const parts = [fenceLines('MEMORY', working.split('\n'))];
  if (insights !== null && insights.trim() !== '') parts.push(fenceLines('INSIGHTS', insights.split('\n')));
  return {
    system: `${SYSTEM}${prunes ? WITH_PRUNING : WITHOUT_PRUNING}`,
    messages: [{ role: 'user', content: parts.join('\n\n') }],
    temperature: 0.2,
    maxTokens: room + (prunes ? Math.ceil(tokens * 1.3) : 0),
    schema: INSIGHTS_SCHEMA,
  };
}

/** What a request asks about; null for any other request. */
export function readExtractionRequest(request: CompletionRequest): ExtractionInput | null {
  const content = request.messages[0]?.content ?? '';
  const working = readFencedLines('MEMORY', content);
  if (working === null) return null;
  return { working: working.join('\n'), insights: readFencedLines('INSIGHTS', content)?.join('\n') ?? null };
}
