import { type AtomKind, readAtoms } from './atoms.ts';
import { normaliseText } from './normalise.ts';
import { readTokens, type Token } from './tokens.ts';

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

/** How far after the place where a token is expected it is looked for: what is dropped between two tokens is short. */
const SEARCH_CHARS = 64;

/**
 * The hard atoms of a text with their places, in order of where they begin. Quotations overlap what they quote; nothing else overlaps. An
 * atom whose words cannot be found in the text as written is left out.
 */
export function atomSpans(text: string): AtomSpan[] {
  const tokens = readTokens(text);
  const places = placesOf(text, tokens);
  const spans: AtomSpan[] = [];
  for (const { kind, value, sure, from, to } of readAtoms(tokens).atoms) {
    const first = places[from];
    const last = places[to - 1];
    if (!first || !last || last.to <= first.from) continue;
    const known = spans.find((span) => span.kind === kind && span.from === first.from && span.to === last.to);
    if (!known) spans.push({ kind, values: [value], sure, from: first.from, to: last.to });
    else if (!known.values.includes(value)) known.values.push(value);
  }
  return spans.sort((one, other) => one.from - other.from || other.to - one.to);
}

interface Place {
  from: number;
  to: number;
}

/** Reading brings a text to one spelling first, so tokens have no places of their own: they are looked for in order. */
function placesOf(text: string, tokens: readonly Token[]): (Place | null)[] {
  let at = 0;
  return tokens.map((token) => {
    const place = find(text, token.text, at);
    if (place) at = place.to;
    return place;
  });
}

function find(text: string, wanted: string, from: number): Place | null {
  const exact = text.slice(from, from + SEARCH_CHARS + wanted.length).indexOf(wanted);
  const respelt = exact === 0 ? null : findRespelt(text, wanted, from, exact);
  if (respelt) return respelt;
  return exact === -1 ? null : { from: from + exact, to: from + exact + wanted.length };
}

/** A stretch that reading spells otherwise, such as full-width digits or a typographic quote, before `before` when that is given. */
function findRespelt(text: string, wanted: string, from: number, before: number): Place | null {
  const limit = Math.min(text.length, from + (before === -1 ? SEARCH_CHARS : before));
  for (let start = from; start < limit; start += 1) {
    if (/[\s\uDC00-\uDFFF]/.test(text[start]!)) continue;
    // Most spellings keep their length: the longest change is one sign for a few letters, or the other way round.
    const longest = Math.min(text.length, start + 2 * wanted.length + 4);
    for (let end = start + 1; end <= longest; end += 1) {
      const read = normaliseText(text.slice(start, end)).trim();
      if (read === wanted) return { from: start, to: end };
      if (read.length > wanted.length + 2) break;
    }
  }
  return null;
}
