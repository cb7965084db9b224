import { dayOf } from '../day.ts';
import type { Candidate } from '../memory.ts';
import { isLasting } from '../reading/lasting.ts';
import type { Slices } from '../slices.ts';
import { mayBeOne } from './occasions.ts';
import type { TwinPair } from './twins.ts';
import { wordingOf } from './wording.ts';

/** Characters of the texts that are read in one slice: it takes a few milliseconds. */
const CHARS_AT_ONCE = 16_000;

/**
 * Candidates with the same words in the same order, and no others: what is worded differently is a question for a judge. What is not sure to
 * say the same on whatever day it is said has duplicates of its own day only. In slices, linear in the texts.
 */
export function* sameWordings(
  nodes: readonly Candidate[],
): Slices<{ duplicates: TwinPair[]; duplicateCount: number }> {
  const duplicates: TwinPair[] = [];
  const wordings = new Map<Candidate, string>();
  let chars = 0;
  for (const node of nodes) {
    wordings.set(node, wordingOf(node.content));
    chars += node.content.length;
    if (chars < CHARS_AT_ONCE) continue;
    yield;
    chars = 0;
  }
  for (const group of grouped(nodes, (node) => wordings.get(node)!)) {
    yield;
    const isLastingText = isLasting(group[0]!.content);
    for (const same of grouped(group, (node) => occasionOf(node, isLastingText))) {
      for (const [at, { id: b }] of same.entries())
        if (at > 0) duplicates.push({ a: same[at - 1]!.id, b, weight: 1, differs: [] });
    }
  }
  return { duplicates, duplicateCount: duplicates.length };
}

/** A text and the day on which it was said, YYYY-MM-DD, where that is known. */
export interface TwinText {
  content: string;
  documentDay?: string;
}

/** Whether two texts have the same words in the same order and tell of one occasion: only then does one merge into the other without a judge. */
export function isDuplicate(one: TwinText, other: TwinText): boolean {
  const wording = wordingOf(one.content);
  if (wording === '' || wording !== wordingOf(other.content)) return false;
  return mayBeOne([one, other].map(({ content, documentDay = null }) => ({ content, day: documentDay })));
}

/** The same for candidates of the same words that may be one; empty for one that no other may be. */
function occasionOf({ category, documentDay, documentDate }: Candidate, isLastingText: boolean): string {
  if (isLastingText && category !== 'event') return 'any day'; // guard: merge-event
  return documentDay ?? dayOf(documentDate) ?? '';
}

/** Groups of two and more with the same key that is not empty. */
function grouped(nodes: readonly Candidate[], keyOf: (node: Candidate) => string): Candidate[][] {
  const groups = new Map<string, Candidate[]>();
  for (const node of nodes) {
    const key = keyOf(node);
    if (key === '') continue;
    const group = groups.get(key);
    if (group) group.push(node);
    else groups.set(key, [node]);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}
