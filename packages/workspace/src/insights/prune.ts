import { isRegionWhole, outline, ownWords, sectionTitles } from './outline.ts';
import type { PruneOutcome, PruneValidationResult } from './types.ts';

/** Sections of which two must stay; the names of one group stand for each other. */
const SECTIONS = [['Architecture', 'Decisions'], ['Conventions'], ['Pitfalls']] as const;
const SECTIONS_MIN = 2;

/** How much of a working memory may go at once. */
export interface PruneLimits {
  /** Share of its letters and digits. */
  maxLoss: number;
  /** What may go in any case, in letters and digits: a few lines of a small file. */
  smallLoss: number;
  /** Letters and digits that must be left. */
  minLeft: number;
}

export const PRUNE_LIMITS: PruneLimits = { maxLoss: 0.25, smallLoss: 0, minLeft: 100 };

export const NOTHING_TO_PRUNE = 'Nothing to prune: the candidate is undefined or empty';

export function requiredSections(text: string): string[] {
  const titles = sectionTitles(text);
  return SECTIONS.flatMap((names) => {
    const found = names.find((name) =>
      titles.some((title) => title === name || title.startsWith(`${name} `)),
    );
    return found === undefined ? [] : [found];
  });
}

/** Whether a candidate could be a working memory at all. What it would replace is judged by `judgePrune`. */
export function validatePruneCandidate(candidate: string | undefined): PruneValidationResult {
  const invalid = { valid: false, size: 0, hasRequiredSections: false };
  if (typeof candidate !== 'string' || candidate === '') return { ...invalid, reason: NOTHING_TO_PRUNE };
  const text = candidate.trim();
  if (text === '') return { ...invalid, reason: 'The candidate is empty' };
  const sections = requiredSections(text);
  if (sections.length >= SECTIONS_MIN) return { valid: true, size: text.length, hasRequiredSections: true };
  const names = SECTIONS.map((group) => group.join(' or ')).join(', ');
  return {
    ...invalid,
    size: text.length,
    reason: `${sections.length} of the required sections are left, and ${SECTIONS_MIN} of these must be: ${names}`,
  };
}

export type PruneRefusal =
  | 'sections'
  | 'loss'
  | 'floor'
  | 'rewritten'
  | 'nothing_gone'
  | 'region_broken'
  | 'changed'
  | 'write_failed';

/** Sentences of the report for each refusal. */
export const REFUSALS: Record<PruneRefusal, string> = {
  sections: 'Too few of the required sections are left',
  loss: 'Too much of the text would be lost',
  floor: 'Too little of the text would be left',
  rewritten: 'The candidate has lines that do not stand in the working memory, or not in that order',
  nothing_gone: 'The candidate leaves out nothing',
  region_broken: 'The markers of the managed region are not whole',
  changed: 'The working memory was changed after it was read',
  write_failed: 'The working memory could not be written',
};

const WORDS = /[\p{L}\p{N}]+/gu;

/** Letters and digits of a text, and how many of them a candidate has no longer; words count as often as they stand there. */
export function lossOf(original: string, candidate: string): { total: number; lost: number } {
  const left = new Map<string, number>();
  for (const [word] of candidate.toLowerCase().matchAll(WORDS)) left.set(word, (left.get(word) ?? 0) + 1);
  let [total, lost] = [0, 0];
  for (const [word] of original.toLowerCase().matchAll(WORDS)) {
    total += word.length;
    const count = left.get(word) ?? 0;
    if (count > 0) left.set(word, count - 1);
    else lost += word.length;
  }
  return { total, lost };
}

/** Why a text may not take the place of another, or null. */
export function lossRefusal(
  original: string,
  candidate: string,
  limits: PruneLimits,
): 'loss' | 'floor' | null {
  const { total, lost } = lossOf(original, candidate);
  if (lost > Math.max(total * limits.maxLoss, limits.smallLoss)) return 'loss';
  return total - lost < limits.minLeft ? 'floor' : null;
}

/**
 * Judges a proposal for the working memory, which may only leave lines out: none is rewritten, added or moved, and what we wrote into the
 * file ourselves stays where it is. The result is made of the lines as they stand in the original, byte for byte.
 */
export function judgePrune(
  original: string,
  candidate: string,
  limits: PruneLimits = PRUNE_LIMITS,
): { ok: true; content: string } | { ok: false; refusal: PruneRefusal } {
  const refuse = (refusal: PruneRefusal) => ({ ok: false as const, refusal });
  if (!isRegionWhole(original)) return refuse('region_broken');
  const content = leaveOut(original, ownWords(candidate));
  if (content === null) return refuse('rewritten');
  const [before, after] = [ownWords(original), ownWords(content)];
  if (before.trim() === after.trim()) return refuse('nothing_gone');
  // A file that never had these sections is not asked for them.
  if (requiredSections(after).length < Math.min(SECTIONS_MIN, requiredSections(before).length))
    return refuse('sections');
  const refusal = lossRefusal(before, after, limits);
  return refusal === null ? { ok: true, content } : refuse(refusal);
}

const keyOf = (line: string) => line.trim().replace(/\s+/g, ' ');

/** The lines of a text that a candidate has too, in order; null when the candidate has others. */
function leaveOut(original: string, candidate: string): string | null {
  const wanted = candidate
    .split('\n')
    .map(keyOf)
    .filter((line) => line !== '');
  const lines = outline(original);
  const out: string[] = [];
  let next = 0;
  let isGap = false;
  for (const { text, isOurs } of lines) {
    const key = keyOf(text);
    const isKept = isOurs || key === '' || key === wanted[next];
    if (!isKept) {
      isGap = true;
      continue;
    }
    // Of the blank lines around what is gone those before it stay.
    if (!isOurs && key === '' && isGap && (out.length === 0 || keyOf(out[out.length - 1]!) === '')) continue;
    if (key !== '') isGap = false;
    if (!isOurs && key !== '') next += 1;
    out.push(text);
  }
  if (next < wanted.length) return null;
  const content = out.join('\n');
  return original.endsWith('\n') && !content.endsWith('\n') ? `${content}\n` : content;
}

/** The outcome of a pruning that left everything as it was. */
export function notPruned(
  size: number,
  reason: string,
  status: 'nothing' | 'rejected' = 'rejected',
): PruneOutcome {
  return { applied: false, reason, sizeDelta: 0, originalSize: size, newSize: size, status };
}

export function pruned(originalSize: number, newSize: number): PruneOutcome {
  return {
    applied: true,
    reason: 'The candidate was accepted and written',
    sizeDelta: newSize - originalSize,
    originalSize,
    newSize,
    status: 'applied',
  };
}
