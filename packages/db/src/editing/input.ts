import { CATEGORIES, type MemoryCategory } from '@slowwave/fusion';
import { DEFAULT_IMPORT_LIMITS } from '../import/limits.ts';
import {
  InputError,
  requireName,
  requireNumber,
  requireText,
  requireTime,
  requireWord,
} from '../input-error.ts';

/** What a person may change of a memory; what is absent stays. */
export interface MemoryEdit {
  content?: string | undefined;
  category?: MemoryCategory | undefined;
  /** 1 to 10. */
  importance?: number | undefined;
  /** Epoch ms; null: not known. */
  validFrom?: number | null | undefined;
  validTo?: number | null | undefined;
  eventDate?: number | null | undefined;
}

export interface EditInput extends MemoryEdit {
  tenant: string;
  user: string;
  /** Our id, or the writer's own. */
  id: string;
  /** Epoch ms. */
  at: number;
  /** Who edits, as the caller names them. */
  actor: string | null;
  /** The version that the editor read; absent: any. */
  expectedVersion?: number | undefined;
  /** Longest content, in characters; as an import takes it without one. */
  maxContentChars?: number | undefined;
}

/** @throws InputError */
export function requireEdit(input: EditInput): void {
  const { content, category, importance } = input;
  requireText(content, 'content', input.maxContentChars ?? DEFAULT_IMPORT_LIMITS.contentChars);
  if (content?.trim() === '') throw new InputError('empty', 'content', 'content is empty');
  if (category !== undefined) requireWord(category, 'category', CATEGORIES);
  if (importance !== undefined) requireNumber(importance, 'importance', { min: 1, max: 10, whole: true });
  for (const field of ['validFrom', 'validTo', 'eventDate'] as const) requireTime(input[field], field);
  requireName(input.actor, 'actor');
}

/** @throws InputError when the memory would end before it begins */
export function requireSpan(from: number | null, to: number | null): void {
  if (from === null || to === null || from <= to) return;
  throw new InputError('out_of_range', 'validTo', 'validTo must not lie before validFrom');
}
