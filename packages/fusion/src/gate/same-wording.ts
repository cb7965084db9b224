import { dayOf } from '../day.ts';
import type { Candidate } from '../memory.ts';
import { resolveRelativeDates } from '../reading/relative-dates.ts';
import { wordingOf } from './fast-lane.ts';
import type { TwinPair } from './twins.ts';

/**
 * Candidates with the same words in the same order, and no others: what is worded differently is a question for a judge. "Yesterday" on two
 * days means two days, so relative dates are resolved first, and what cannot be resolved has no twin. Linear in the texts.
 */
export function sameWordings(nodes: readonly Candidate[]): {
  duplicates: TwinPair[];
  duplicateCount: number;
} {
  const duplicates: TwinPair[] = [];
  for (const group of grouped(nodes, ({ content }) => wordingOf(content))) {
    for (const same of grouped(group, datedWordingOf)) {
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

/** Whether two texts have the same words in the same order and mean the same days: only then does one merge into the other without a judge. */
export function isDuplicate(one: TwinText, other: TwinText): boolean {
  const first = datedWording(one.content, one.documentDay ?? null);
  return first !== '' && first === datedWording(other.content, other.documentDay ?? null);
}

const datedWordingOf = ({ content, documentDay, documentDate }: Candidate): string =>
  datedWording(content, documentDay ?? dayOf(documentDate));

function datedWording(content: string, day: string | null): string {
  const { text, unresolved } = resolveRelativeDates(content, day);
  return unresolved.length > 0 ? '' : wordingOf(text);
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
