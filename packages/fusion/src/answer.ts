import { isSafeText } from './fence.ts';
import { findJsonObject, type JsonProblem } from './json-object.ts';
import { CATEGORIES, type MemoryCategory } from './memory.ts';
import type { StoredAnswer } from './ports.ts';

export const MAX_SUMMARY_CHARS = 20_000;
const MAX_SLOT_CHARS = 200;

/** Why there is no summary in an answer of the original contract. */
export type AnswerProblem = JsonProblem | 'summary_missing' | 'summary_too_long' | 'summary_unsafe';
/** Why reported conflicts cannot be read. */
export type ConflictsProblem = 'conflicts_invalid' | 'conflict_out_of_range';

/** A pair of sources that the model says disagree, by number from 1; a < b. */
export interface ReportedConflict {
  a: number;
  b: number;
  kind: 'contradictory' | 'ambiguous';
  /** The question that they answer differently, in the model's words. */
  slot: string;
}

/** What the model thinks of importance and category. Kept in the metadata, never used. */
export interface ModelHints {
  importance?: number;
  category?: MemoryCategory;
}

/** Reads the plain answer of the original contract: JSON with a summary; the rest is a hint. */
export function parseSummaryAnswer(
  text: string,
): { ok: true; summary: string; hints: ModelHints } | { ok: false; problem: AnswerProblem } {
  const json = findJsonObject(text, ['summary']);
  if (!json.ok) return json;
  const summary = readSummary(json.value.summary);
  return summary.ok ? { ok: true, summary: summary.text, hints: readHints(json.value) } : summary;
}

/** Why nothing can be read from a stored answer. */
export type UnreadableAnswer = 'invalid_output' | 'refused' | 'truncated';

/**
 * The JSON object of a stored answer, for the judges of the steps that write no fusion. One that reached its limit is read all the
 * same: when its JSON is whole, only what came after it is missing.
 * @param keys as of findJsonObject
 */
export function readStoredAnswer(
  stored: StoredAnswer,
  keys: readonly string[],
): { ok: true; value: Record<string, unknown> } | { ok: false; reason: UnreadableAnswer } {
  if (stored.stopReason === 'refusal') return { ok: false, reason: 'refused' };
  const json = findJsonObject(stored.text, keys);
  if (json.ok) return json;
  return { ok: false, reason: stored.stopReason === 'max_tokens' ? 'truncated' : 'invalid_output' };
}

function readSummary(value: unknown): { ok: true; text: string } | { ok: false; problem: AnswerProblem } {
  if (typeof value !== 'string' || value.trim() === '') return { ok: false, problem: 'summary_missing' };
  if (value.length > MAX_SUMMARY_CHARS) return { ok: false, problem: 'summary_too_long' };
  return isSafeText(value) ? { ok: true, text: value.trim() } : { ok: false, problem: 'summary_unsafe' };
}

export function readConflicts(value: unknown, memberCount: number): ReportedConflict[] | ConflictsProblem {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return 'conflicts_invalid';
  const pairs = new Map<string, ReportedConflict>();
  for (const item of value as unknown[]) {
    if (typeof item !== 'object' || item === null) return 'conflicts_invalid';
    const { a, b, kind, slot } = item as Record<string, unknown>;
    if (kind !== 'contradictory' && kind !== 'ambiguous') return 'conflicts_invalid';
    if (!isMember(a, memberCount) || !isMember(b, memberCount) || a === b) return 'conflict_out_of_range';
    const pair = { a: Math.min(a, b), b: Math.max(a, b) };
    const name = typeof slot === 'string' && isSafeText(slot) ? slot.trim().slice(0, MAX_SLOT_CHARS) : '';
    const key = `${pair.a} ${pair.b}`;
    // Of two verdicts on one pair the sterner stays.
    if (!pairs.has(key) || kind === 'contradictory') pairs.set(key, { ...pair, kind, slot: name });
  }
  return [...pairs.values()];
}

function isMember(value: unknown, memberCount: number): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= memberCount;
}

function readHints(parsed: Record<string, unknown>): ModelHints {
  const { importance, category } = parsed;
  const hints: ModelHints = {};
  if (typeof importance === 'number' && importance >= 1 && importance <= 10) hints.importance = importance;
  if (CATEGORIES.includes(category as MemoryCategory)) hints.category = category as MemoryCategory;
  return hints;
}
