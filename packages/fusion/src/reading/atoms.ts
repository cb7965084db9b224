import { inOneGo, type Slices } from '../slices.ts';
import { goesOn, readBloodType, readCode } from './codes.ts';
import { readDate } from './dates.ts';
import { languageOf } from './languages/all.ts';
import { detectLanguageOf } from './languages/detect.ts';
import type { Language } from './languages/language.ts';
import { readName, readNameContext } from './names.ts';
import { isNegation } from './negations.ts';
import type { Reading } from './number-reading.ts';
import { readBareNumber, readNumber } from './numbers.ts';
import { readQuotes } from './quotes.ts';
import { readRate } from './rates.ts';
import { mayBegin } from './starts.ts';
import { readTime } from './times.ts';
import { isSign, readTokens, type Token } from './tokens.ts';

export const ATOM_KINDS = [
  'number',
  'date',
  'time',
  'name',
  'email',
  'url',
  'code',
  'quote',
  'negation',
] as const;
export type AtomKind = (typeof ATOM_KINDS)[number];

/** A hard fact in a text: a thing that two spellings of the same statement must both have. */
export interface Atom {
  kind: AtomKind;
  /**
   * Canonical: "1000", "5 kg", ">=50", "3..5 km", "2024-05-03", "14:00", "ann lee" for a name, the folded words of a quotation, "not" for every
   * negation.
   */
  value: string;
  /** Index of the clause it begins in, from 0. */
  clause: number;
  /**
   * False for a guess. A number that is one ("one", "once") may be offered and is never demanded. A name that is one (a capital at a sentence
   * start, a German noun, text in capitals) is demanded as a plain word is, since it may be either.
   */
  sure: boolean;
  /** Index of its first token, and of the one after its last. Only a quotation overlaps other atoms. */
  from: number;
  to: number;
}

export interface AtomReading {
  /** In order of `from`. */
  atoms: Atom[];
  /** 1 for each token that an atom used up, so that it is not read as a content word as well. */
  used: Uint8Array;
  /** Of the text; null for one without a table. */
  language: Language | null;
}

/** The hard atoms of a text, in order. Linear in its length. */
export function extractAtoms(text: string): Atom[] {
  return readAtoms(readTokens(text)).atoms;
}

/**
 * Reads the atoms of tokens. Clauses that end inside an atom ("March 3, 2019") are joined in the tokens.
 *
 * @param code ISO 639-1; without it the language is detected.
 */
export function readAtoms(tokens: Token[], code?: string): AtomReading {
  return inOneGo(readAtomsInSlices(tokens, code));
}

/** Tokens in one slice: it takes a few milliseconds. */
const TOKENS_AT_ONCE = 256;

/** As readAtoms, in slices: a long text takes longer than others can wait. */
export function* readAtomsInSlices(
  tokens: Token[],
  code: string = detectLanguageOf(tokens),
): Slices<AtomReading> {
  const language = languageOf(code);
  const atoms: Atom[] = [];
  const used = new Uint8Array(tokens.length);
  const context = readNameContext(tokens, language);
  let at = 0;
  let amountEnd = -1;
  // The names of a long text have taken a slice already.
  let sliceEnd = tokens.length > TOKENS_AT_ONCE ? 0 : TOKENS_AT_ONCE;
  while (at < tokens.length) {
    if (at >= sliceEnd) {
      yield;
      sliceEnd = at + TOKENS_AT_ONCE;
    }
    const rate = readRate(tokens, at, amountEnd);
    const found = rate
      ? foundIn('number', rate)
      : (readHard(tokens, at, language) ?? readWordAtom(tokens, at, language));
    if (found) {
      if (found.kind === 'number' && !rate) amountEnd = found.next;
      for (const value of found.values)
        atoms.push({ kind: found.kind, value, clause: 0, sure: !found.soft, from: at, to: found.next });
      if (!found.soft && found.uses) used.fill(1, at, found.next);
      at = found.next;
      continue;
    }
    const name = readName(tokens, at, context);
    if (name) {
      atoms.push({ kind: 'name', value: name.value, clause: 0, sure: name.sure, from: at, to: name.next });
      used.fill(1, at, name.next);
    }
    at = name?.next ?? at + 1;
  }
  joinClauses(tokens, atoms);
  for (const { value, from, to } of readQuotes(tokens)) {
    atoms.push({ kind: 'quote', value, clause: 0, sure: true, from, to });
  }
  for (const atom of atoms) atom.clause = tokens[atom.from]!.clause;
  return { atoms: atoms.sort((one, other) => one.from - other.from), used, language };
}

interface Found {
  kind: AtomKind;
  values: string[];
  next: number;
  soft: boolean;
  uses: boolean;
}

function foundIn(kind: AtomKind, reading: Reading): Found {
  return { kind, values: reading.values, next: reading.next, soft: reading.soft ?? false, uses: true };
}

/** Times, dates, numbers and identifiers. What would end within a run of letters and digits is an identifier. */
function readHard(tokens: readonly Token[], at: number, language: Language | null): Found | null {
  const token = tokens[at]!;
  if (token.kind !== 'digits' && token.kind !== 'word' && token.kind !== 'mark') return null;
  const begins = mayBegin(token, tokens[at + 1], language);
  // "3 pm" is no day: a time is told by its own signs, so that it comes first.
  const time = begins ? readTime(tokens, at, language) : null;
  if (time && isWhole(tokens, at, time)) return foundIn('time', time);
  const date = begins ? readDate(tokens, at, language) : null;
  if (date && isWhole(tokens, at, date)) return foundIn('date', date);
  if (token.kind === 'word') {
    const blood = readBloodType(tokens, at);
    if (blood) return foundIn('code', blood);
    const code = readCode(tokens, at);
    if (code) return foundIn(code.version ? 'number' : 'code', code);
  }
  if (token.kind === 'digits' && isNumbered(token.text) && !goesOn(tokens, at + 1))
    return foundIn('code', { values: [token.text], next: at + 1 });
  if (!begins) return null;
  const number = readNumber(tokens, at, language);
  if (number && isWhole(tokens, at, number)) return foundIn('number', number);
  const code = token.kind === 'digits' ? readCode(tokens, at) : null;
  if (code) return foundIn('code', code);
  const bare = number === null ? null : readBareNumber(tokens, at, language);
  return bare ? foundIn('number', bare) : null;
}

/** A line or a sentence ends whatever stands before it: "born 3" and "May 4" on the next line are no date. */
const isWhole = (tokens: readonly Token[], at: number, { next }: Reading): boolean =>
  tokens[next - 1]!.sentence === tokens[at]!.sentence && !goesOn(tokens, next);

/** The number of an order or a file, "3311-87", "25-03318": digits that go down or begin with a nought are no range. */
function isNumbered(text: string): boolean {
  const parts = /^(\d{2,12})-(\d{2,12})$/.exec(text);
  // Three and four digits are a telephone number.
  if (!parts || /^\d{3}-\d{4}$/.test(text)) return false;
  const [, first = '', last = ''] = parts;
  return Math.max(first.length, last.length) >= 4 && (last.startsWith('0') || Number(first) > Number(last));
}

function readWordAtom(tokens: readonly Token[], at: number, language: Language | null): Found | null {
  const token = tokens[at]!;
  if (token.kind === 'email' || token.kind === 'url' || token.kind === 'code') {
    return foundIn(token.kind, { values: [token.folded], next: at + 1 });
  }
  if (isSign(token)) return foundIn('code', { values: [token.text], next: at + 1 });
  if (!isNegation(tokens, at, language)) return null;
  // A run of Kana or Han, or an elision (n'aime), carries content beside its negation.
  const uses = token.kind === 'word' && !token.folded.startsWith("n'");
  return { kind: 'negation', values: ['not'], next: at + 1, soft: false, uses };
}

/** A comma inside an atom parts no clause. */
function joinClauses(tokens: Token[], atoms: readonly Atom[]): void {
  let removed = 0;
  let at = 0;
  for (const { from, to } of atoms) {
    for (; at < from; at += 1) tokens[at]!.clause -= removed;
    if (at >= to) continue;
    const { clause } = tokens[from]!;
    const inside = tokens[to - 1]!.clause - clause;
    for (; at < to; at += 1) tokens[at]!.clause = clause - removed;
    removed += inside;
  }
  for (; at < tokens.length; at += 1) tokens[at]!.clause -= removed;
}
