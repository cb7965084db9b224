import {
  INSIGHT_CATEGORIES,
  type InsightExtractionResult,
  type MemoryInsight,
  type MemoryInsightCategory,
} from './types.ts';

/** An answer longer than this is not looked at. In UTF-16 units. */
export const MAX_ANSWER_CHARS = 524_288;
/** Openings of an object that are tried. */
const OPENINGS_MAX = 100;
const KEYS = ['insights', 'summary', 'prunedMemory'];

export type AnswerProblem = 'empty' | 'too_long' | 'not_json';
export type AnswerObject =
  | { ok: true; value: Record<string, unknown> }
  | { ok: false; problem: AnswerProblem };

/** The object of an answer, whatever stands around it: the first that has one of the expected names, else the first. */
export function findAnswer(text: string): AnswerObject {
  if (text.trim() === '') return { ok: false, problem: 'empty' };
  if (text.length > MAX_ANSWER_CHARS) return { ok: false, problem: 'too_long' };
  let first: Record<string, unknown> | null = null;
  let from = text.indexOf('{');
  for (let tries = 0; from !== -1 && tries < OPENINGS_MAX; tries++) {
    const end = endOfObject(text, from);
    const value = end === -1 ? null : parseObject(text.slice(from, end));
    if (value && KEYS.some((key) => Object.hasOwn(value, key))) return { ok: true, value };
    // Objects inside of one that does not end are no answers.
    if (tries === 0) first = value;
    from = text.indexOf('{', value ? end : from + 1);
  }
  return first ? { ok: true, value: first } : { ok: false, problem: 'not_json' };
}

/** Just behind the brace that closes the one at `from`; -1 without one. Braces in strings do not count. */
function endOfObject(text: string, from: number): number {
  let depth = 0;
  let isString = false;
  for (let index = from; index < text.length; index++) {
    const char = text[index];
    if (isString) {
      if (char === '\\') index += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

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
  const found = findAnswer(response);
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
