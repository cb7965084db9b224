import { plainLatin } from './spoken.ts';
import type { Token } from './tokens.ts';

export interface Quote {
  /** Words of the quoted phrase, folded, joined by one space. */
  value: string;
  /** First token inside, and the one after the last. */
  from: number;
  to: number;
}

/** Longer ones are whole speeches; their words are looked at one by one. */
const MAX_WORDS = 40;

/**
 * Phrases between quotation marks, double or single. A mark opens when it stands before a word and not right after one, and closes right after one: an
 * apostrophe, an inch mark and a year ('98) do neither.
 */
export function readQuotes(tokens: readonly Token[]): Quote[] {
  const quotes: Quote[] = [];
  let double = -1;
  let single = -1;
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'mark' || (token.text !== '"' && token.text !== "'")) continue;
    const isDouble = token.text === '"';
    const open = isDouble ? double : single;
    const closes = token.glued && open !== -1 && index > open + 1;
    if (closes && (isDouble || endsWord(tokens, index))) {
      const quote = quoteOf(tokens, open + 1, index);
      if (quote) quotes.push(quote);
      if (isDouble) double = -1;
      else single = -1;
    } else if (opensQuote(tokens, index)) {
      if (isDouble) double = index;
      else single = index;
    }
  }
  return quotes.sort((one, other) => one.from - other.from || other.to - one.to);
}

function opensQuote(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  const before = tokens[at - 1];
  if (!next?.glued || next.kind === 'mark') return false;
  if (tokens[at]!.text === "'" && next.kind === 'digits') return false;
  return !tokens[at]!.glued || before === undefined || before.kind === 'mark';
}

/** A single mark closes only where no letter follows: "the boys' toys" opened nothing, "'n'" closes nothing. */
function endsWord(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  return next === undefined || !next.glued || next.kind === 'mark';
}

function quoteOf(tokens: readonly Token[], from: number, to: number): Quote | null {
  const said: string[] = [];
  for (let index = from; index < to && said.length <= MAX_WORDS; index += 1) {
    if (tokens[index]!.kind !== 'mark') said.push(plainLatin(tokens[index]!.folded));
  }
  if (said.length === 0 || said.length > MAX_WORDS) return null;
  return isEverything(tokens, from, to) ? null : { value: said.join(' '), from, to };
}

/** A text that is one quotation from end to end is a statement that was written down word by word, not one about a phrase. */
function isEverything(tokens: readonly Token[], from: number, to: number): boolean {
  if (from > 1 || to - from < 3) return false;
  for (let index = to; index < tokens.length; index += 1) {
    if (tokens[index]!.kind !== 'mark') return false;
  }
  return true;
}
