import { findJsonObject, type JsonProblem, type StoredAnswer } from '@slowwave/fusion';
import { ANSWER_KEYS, readInsight, readProposal } from './parse.ts';
import type { MemoryInsight } from './types.ts';

/** Insights of one answer; more are surplus. */
export const MAX_INSIGHTS = 40;
/** Of one insight, in UTF-16 units. A longer one is no insight. */
export const MAX_INSIGHT_CHARS = 1_000;
const MAX_SOURCE_CHARS = 200;
const MAX_SUMMARY_CHARS = 1_000;

export type ExtractionRejection = JsonProblem | 'truncated' | 'refused' | 'malformed';

export type JudgedExtraction =
  | {
      ok: true;
      summary: string;
      insights: MemoryInsight[];
      prunedMemory: string | undefined;
      counts: { offered: number; malformed: number; tooLong: number; surplus: number };
    }
  | { ok: false; reason: ExtractionRejection };

/** Judges an answer: whole, one object of the expected shape, within bounds. @param at epoch ms */
export function judgeExtraction(
  answer: Pick<StoredAnswer, 'text' | 'stopReason'>,
  at: number,
): JudgedExtraction {
  // Half an answer can be a whole object, of something else.
  if (answer.stopReason === 'max_tokens') return { ok: false, reason: 'truncated' };
  if (answer.stopReason === 'refusal') return { ok: false, reason: 'refused' };
  const found = findJsonObject(answer.text, ANSWER_KEYS);
  if (!found.ok) return { ok: false, reason: found.problem };
  const { summary, insights, prunedMemory } = found.value;
  const isShaped =
    Array.isArray(insights) &&
    (summary === undefined || typeof summary === 'string') &&
    (prunedMemory === undefined || prunedMemory === null || typeof prunedMemory === 'string');
  if (!isShaped) return { ok: false, reason: 'malformed' };
  const offered = insights as unknown[];
  const extractedAt = new Date(at).toISOString();
  const read = offered.flatMap((item) => readInsight(item, extractedAt) ?? []);
  const fitting = read.filter(({ content }) => content.length <= MAX_INSIGHT_CHARS).map(withShortSource);
  return {
    ok: true,
    summary: summary === undefined ? '' : cut(summary as string, MAX_SUMMARY_CHARS),
    insights: fitting.slice(0, MAX_INSIGHTS),
    prunedMemory: readProposal(prunedMemory),
    counts: {
      offered: offered.length,
      malformed: offered.length - read.length,
      tooLong: read.length - fitting.length,
      surplus: Math.max(0, fitting.length - MAX_INSIGHTS),
    },
  };
}

/** Where it comes from is an aside: too long, it is left out. */
function withShortSource(insight: MemoryInsight): MemoryInsight {
  if (insight.source === undefined || insight.source.length <= MAX_SOURCE_CHARS) return insight;
  return { ...insight, source: undefined };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${[...text].slice(0, max).join('')}…`;
}
