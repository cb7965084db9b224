import { findJsonObject } from '@slowwave/fusion';
import {
  INSIGHT_CATEGORIES,
  type InsightExtractionResult,
  type MemoryInsight,
  type MemoryInsightCategory,
} from './types.ts';

/** Names of which an answer has at least one. */
export const ANSWER_KEYS = ['insights', 'summary', 'prunedMemory'];

function categoryOf(value: unknown): MemoryInsightCategory {
  return INSIGHT_CATEGORIES.find((category) => category === value) ?? 'context';
}

/** An insight of an answer; null for what is none. */
export function readInsight(item: unknown, extractedAt: string): MemoryInsight | null {
  if (typeof item !== 'object' || item === null) return null;
  const { category, content, source } = item as Record<string, unknown>;
  if (typeof content !== 'string' || content.trim() === '') return null;
  const from = typeof source === 'string' && source.trim() !== '' ? source.trim() : undefined;
  return {
    category: categoryOf(category),
    content: content.trim(),
    ...(from === undefined ? {} : { source: from }),
    extractedAt,
  };
}

/** A proposal for the working memory; undefined when there is none. */
export function readProposal(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/**
 * Reads an answer, tolerant of what stands around its JSON.
 * @throws Error when there is no JSON object in it, or it is too long; the message holds nothing of the answer
 */
export function parseInsightExtractionResponse(
  response: string,
  date: Date = new Date(),
): InsightExtractionResult {
  const found = findJsonObject(response, ANSWER_KEYS);
  if (!found.ok) throw new Error(`Failed to parse insight extraction response as JSON: ${found.problem}`);
  const { summary, insights, prunedMemory } = found.value;
  const extractedAt = date.toISOString();
  return {
    insights: (Array.isArray(insights) ? (insights as unknown[]) : []).flatMap(
      (item) => readInsight(item, extractedAt) ?? [],
    ),
    summary: typeof summary === 'string' ? summary : '',
    extractedAt,
    prunedMemory: readProposal(prunedMemory),
  };
}
