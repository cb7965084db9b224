/**
 * Text to tokens: the shared first step of reading atoms and content words. Everything here is linear in the length of the
 * text: each regular expression is a run of one character class, without nested repetition.
 */
export type TokenKind =
  /** letters of a script that separates words by spaces */
  | 'word'
  /** letters of a script that does not (Han, Kana, Thai, Lao, Khmer, Myanmar) */
  | 'run'
  /** digits with the separators between them: 1,000.50 or 2024-05-03 or 14:30 */
  | 'digits'
  | 'email'
  | 'url'
  /** any other single character */
  | 'mark';

export interface Token {
  kind: TokenKind;
  /** As written, after normalisation. */
  text: string;
  /** Lower case; possessive ending removed from words. */
  folded: string;
  /** No space stands before it. */
  glued: boolean;
  /** First word of a sentence or line. */
  opens: boolean;
  /** Index of the clause it stands in. */
  clause: number;
}

/** Zeros of the decimal digit blocks that NFKC leaves as they are, and of the full-width block. */
const DIGIT_ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
  0x1040, 0x17e0, 0x1810, 0xff10,
];
const LINK_MARK = '\uE000';
const LINKS = /(?:https?:\/\/|www\.)[!#-;=?-~]+/giu;
const EMAIL_LOCAL = /[A-Za-z0-9._%+-]/;
const EMAIL_DOMAIN = /[A-Za-z0-9.-]/;
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const TOKENS = new RegExp(
  `(?:(?=[\\p{L}\\p{M}])[${UNSPACED}])+` +
    `|(?:(?![${UNSPACED}])[\\p{L}\\p{M}])+(?:'(?:(?![${UNSPACED}])[\\p{L}\\p{M}])+)*` +
    `|\\d+(?:[.,:/'-]\\d+)*` +
    `|${LINK_MARK}|\\n|[^\\s]`,
  'gu',
);
const STARTS_WITH_LETTER = /^[\p{L}\p{M}]/u;
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
const CLAUSE_MARKS = new Set([';', ':', ',', '(', ')', '–', '、', '،', '؛', '|']);
const SENTENCE_MARKS = new Set(['!', '?', '。', '؟', '।']);
const CLAUSE_WORDS = new Set([
  'and',
  'but',
  'while',
  'because',
  'although',
  'und',
  'aber',
  'mais',
  'pero',
  'и',
  'но',
]);
const TITLES = new Set(['mr', 'mrs', 'ms', 'dr', 'st', 'prof', 'no', 'vs', 'approx']);

/** Compatibility forms, digits of every script, quotes, dashes and invisible characters brought to one spelling. */
export function normaliseText(text: string): string {
  return (
    text
      .replace(/[^\P{Nd}0-9]/gu, asciiDigit)
      // A no-break or thin space between digits groups thousands; NFKC would make it an ordinary space.
      .replace(/(?<=\d)[\u00A0\u2009\u202F](?=\d{3}(?!\d))/gu, '')
      .normalize('NFKC')
      .replace(/[\u00AD\u200B\u2060\uFEFF]/gu, '')
      .replace(/[‘’ʼ´`]/gu, "'")
      .replace(/[“”„«»]/gu, '"')
      .replace(/[−‐‑]/gu, '-')
      .replace(/[—―]/gu, '–')
      .replace(/٫/gu, '.')
      .replace(/٬/gu, ',')
      .replaceAll(LINK_MARK, ' ')
      .replace(/(?<=\d ?)([ap])\. ?m\b\.?/giu, '$1m')
      .replace(/(?<=\d)T(?=\d\d:)/gu, ' ')
      .replace(/(?<=:\d\d)Z\b/gu, '')
  );
}

function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  for (const zero of DIGIT_ZEROS) {
    if (code >= zero && code < zero + 10) return String(code - zero);
  }
  return digit;
}

/** Takes links and e-mail addresses out, so that their digits and dots are not read as anything else. */
function liftLinks(text: string): { text: string; links: { kind: 'email' | 'url'; text: string }[] } {
  const spans: { from: number; to: number; kind: 'email' | 'url' }[] = [];
  for (const match of text.matchAll(LINKS)) {
    let to = match.index + match[0].length;
    while (to > match.index && '.,;:!?)]}\'"'.includes(text[to - 1]!)) to -= 1;
    spans.push({ from: match.index, to, kind: 'url' });
  }
  let after = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let from = at;
    while (from > after && EMAIL_LOCAL.test(text[from - 1]!)) from -= 1;
    let to = at + 1;
    while (to < text.length && EMAIL_DOMAIN.test(text[to]!)) to += 1;
    after = to;
    while (to > at + 1 && (text[to - 1] === '.' || text[to - 1] === '-')) to -= 1;
    const domain = text.slice(at + 1, to);
    const lastDot = domain.lastIndexOf('.');
    if (from < at && lastDot > 0 && domain.length - lastDot > 2) spans.push({ from, to, kind: 'email' });
  }
  spans.sort((one, other) => one.from - other.from);
  const parts: string[] = [];
  const links: { kind: 'email' | 'url'; text: string }[] = [];
  let done = 0;
  for (const span of spans) {
    if (span.from < done) continue;
    parts.push(text.slice(done, span.from), LINK_MARK);
    links.push({ kind: span.kind, text: text.slice(span.from, span.to) });
    done = span.to;
  }
  parts.push(text.slice(done));
  return { text: parts.join(''), links };
}

/** @param text any text, as stored; it is normalised here. */
export function readTokens(text: string): Token[] {
  const lifted = liftLinks(normaliseText(text));
  const tokens: Token[] = [];
  let linkIndex = 0;
  let clause = 0;
  let opens = true;
  let end = -1;
  for (const match of lifted.text.matchAll(TOKENS)) {
    const raw = match[0];
    const glued = match.index === end;
    end = match.index + raw.length;
    if (raw === '\n') {
      clause += 1;
      opens = true;
      continue;
    }
    const link = raw === LINK_MARK ? lifted.links[linkIndex++] : undefined;
    const kind = link ? link.kind : kindOf(raw);
    const folded = link ? foldLink(link) : kind === 'word' ? foldWord(raw) : raw;
    tokens.push({ kind, text: link ? link.text : raw, folded, glued, opens, clause });
    if (kind === 'mark') {
      const ends = endsSentence(raw, lifted.text, end, tokens[tokens.length - 2]);
      if (ends) opens = true;
      if (ends || CLAUSE_MARKS.has(raw)) clause += 1;
    } else {
      opens = false;
      if (kind === 'word' && CLAUSE_WORDS.has(folded)) clause += 1;
    }
  }
  return tokens;
}

function kindOf(raw: string): TokenKind {
  const code = raw.charCodeAt(0);
  if (code < 0x80) {
    const letter = code | 0x20;
    if (letter >= 0x61 && letter <= 0x7a) return 'word';
    return code >= 0x30 && code <= 0x39 ? 'digits' : 'mark';
  }
  if (!STARTS_WITH_LETTER.test(raw)) return 'mark';
  return STARTS_UNSPACED.test(raw) ? 'run' : 'word';
}

/** @param end where the mark ends in `text`. */
function endsSentence(mark: string, text: string, end: number, previous: Token | undefined): boolean {
  if (SENTENCE_MARKS.has(mark)) return true;
  if (mark !== '.') return false;
  const next = text[end];
  return (next === undefined || /\s/.test(next)) && !endsAbbreviation(previous);
}

/** The host and an e-mail address are case-insensitive, a path is not. */
function foldLink(link: { kind: 'email' | 'url'; text: string }): string {
  return link.kind === 'email' ? link.text.toLowerCase() : foldUrl(link.text);
}

/** Lower case without a possessive ending. */
export function foldWord(word: string): string {
  const lower = word.toLowerCase();
  return lower.endsWith("'s") ? lower.slice(0, -2) : lower;
}

function foldUrl(url: string): string {
  const path = url.indexOf('/', url.includes('://') ? url.indexOf('://') + 3 : 0);
  const cut = path === -1 ? url.length : path;
  const rest = url.slice(cut);
  return url.slice(0, cut).toLowerCase() + (rest === '/' ? '' : rest);
}

function endsAbbreviation(previous: Token | undefined): boolean {
  return previous?.kind === 'word' && (previous.text.length === 1 || TITLES.has(previous.folded));
}
