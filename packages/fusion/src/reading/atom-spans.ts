import { type AtomKind, readAtoms } from './atoms.ts';
import { readPlacedTokens } from './tokens.ts';

/** Where a hard atom stands in a text as it was written, for whoever shows it. Positions in UTF-16 units. */
export interface AtomSpan {
  kind: AtomKind;
  /** Canonical, as in Atom; several where one stretch of text says several things ("3 and a half", a range). */
  values: string[];
  /** False for a guess, as in Atom. */
  sure: boolean;
  from: number;
  to: number;
}

/**
 * The hard atoms of a text with their places, in order of where they begin. Quotations overlap what they quote; nothing else overlaps. Of
 * several atoms in one character that stands for many ("㏂") the first is placed. Linear in the length.
 */
export function atomSpans(text: string): AtomSpan[] {
  const { tokens, places } = readPlacedTokens(text);
  const spans = new Map<string, AtomSpan>();
  const told = new Set<string>();
  let end = 0;
  for (const { kind, value, sure, from: first, to: next } of readAtoms(tokens).atoms) {
    const { from } = places[first]!;
    const { to } = places[next - 1]!;
    const key = `${kind} ${from} ${to}`;
    const known = spans.get(key);
    const isTold = told.has(`${key} ${value}`);
    told.add(`${key} ${value}`);
    if (known) {
      if (!isTold) known.values.push(value);
      continue;
    }
    if (kind !== 'quote') {
      if (from < end) continue;
      end = to;
    }
    spans.set(key, { kind, values: [value], sure, from, to });
  }
  return [...spans.values()].sort((one, other) => one.from - other.from || other.to - one.to);
}
