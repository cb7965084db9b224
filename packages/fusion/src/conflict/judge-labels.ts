import { readStoredAnswer, type UnreadableAnswer } from '../answer.ts';
import { safeText } from '../fence.ts';
import { CONFLICT_TYPES, type ConflictType } from '../memory.ts';
import type { StoredAnswer } from '../ports.ts';
import { startOf } from '../summaries/sentences.ts';
import { MAX_LABEL_DESCRIPTION_CHARS, MAX_LABEL_SLOT_CHARS } from './labels.ts';
import type { PairLabel } from './pair.ts';

export type LabelJudgement =
  /** In the order of the pairs; null for a pair without a label that can be used. */
  { ok: true; labels: (PairLabel | null)[]; labelled: number } | { ok: false; reason: UnreadableAnswer };

/**
 * Judges a stored answer about a batch of pairs. Pure and repeatable.
 *
 * - A label is dropped when its number is no pair's, when its type is unknown, or when the same number has another label: the model
 *   contradicts itself or its place in the list, so none of them counts. The rest stays.
 * - An answer that leaves no label at all is `invalid_output`.
 * - subsumes without saying which of the two is the wider one is ambiguous.
 * - The model's words are one clean line each, cut to their limits; a confidence that is none counts as 0.
 */
export function judgeLabels(pairCount: number, answer: StoredAnswer): LabelJudgement {
  const reading = readStoredAnswer(answer, ['pairs']);
  if (!reading.ok) return reading;
  const items = reading.value.pairs;
  if (!Array.isArray(items)) return { ok: false, reason: 'invalid_output' };
  const byNumber = new Map<unknown, unknown[]>();
  for (const item of items as unknown[]) {
    const number = (item as { n?: unknown } | null)?.n;
    const same = byNumber.get(number);
    if (same) same.push(item);
    else byNumber.set(number, [item]);
  }
  const labels = Array.from({ length: pairCount }, (_, index) => {
    const given = byNumber.get(index + 1) ?? [];
    return given.length === 1 ? readLabel(given[0]) : null;
  });
  const labelled = labels.filter((label) => label !== null).length;
  return labelled === 0 ? { ok: false, reason: 'invalid_output' } : { ok: true, labels, labelled };
}

function readLabel(item: unknown): PairLabel | null {
  const { type, wider, slot, description, confidence } = item as Record<string, unknown>;
  if (!CONFLICT_TYPES.includes(type as ConflictType)) return null;
  const side = wider === 'a' || wider === 'b' ? wider : null;
  const unclear = type === 'subsumes' && side === null;
  return {
    type: unclear ? 'ambiguous' : (type as ConflictType),
    wider: type === 'subsumes' ? side : null,
    slot: cleanLine(slot, MAX_LABEL_SLOT_CHARS),
    description: cleanLine(description, MAX_LABEL_DESCRIPTION_CHARS),
    confidence: isShare(confidence) ? confidence : 0,
  };
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

/** Control characters, line and paragraph separators, and marks that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/**
 * A model's words as one line for people: no line breaks or control characters, so that it can imitate neither a fence nor a terminal, at
 * most `limit` UTF-16 units. What is no text is ''.
 */
export function cleanLine(value: unknown, limit: number): string {
  if (typeof value !== 'string') return '';
  const line = safeText(value).replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
  return startOf(line, limit).trim();
}
