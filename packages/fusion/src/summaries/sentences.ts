/** Cutting text where it may be cut. Linear in the length of the text. */
const ENDS = new Set(['.', '!', '?']);
/** Marks that end a sentence without a space behind them. */
const WIDE_ENDS = new Set(['。', '！', '？', '।', '؟']);
const CLOSERS = new Set([')', ']', '"', "'", '”', '’', '»', '」', '』', '）']);
const TITLES = new Set(['mr', 'mrs', 'ms', 'dr', 'st', 'prof', 'sr', 'jr', 'vs', 'approx']);
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;

/** The sentences and lines of a text, each with the space behind it: joined they are the text. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const { ends, next } = readMark(text, at);
    at = next;
    if (!ends) continue;
    while (at < text.length && /\s/.test(text[at]!)) at += 1;
    sentences.push(text.slice(from, at));
    from = at;
  }
  if (from < text.length) sentences.push(text.slice(from));
  return sentences;
}

/** Whether a sentence ends with what stands at `at`, and where to read on. */
function readMark(text: string, at: number): { ends: boolean; next: number } {
  const mark = text[at]!;
  if (mark === '\n') return { ends: true, next: at + 1 };
  if (WIDE_ENDS.has(mark)) return { ends: true, next: skip(text, at + 1, CLOSERS) };
  if (!ENDS.has(mark)) return { ends: false, next: at + 1 };
  const marks = skip(text, at, ENDS);
  const end = skip(text, marks, CLOSERS);
  const inside = end < text.length && !/\s/.test(text[end]!);
  const abbreviates = mark === '.' && marks === at + 1 && goesOn(text, at, end);
  return inside || abbreviates ? { ends: false, next: marks } : { ends: true, next: end };
}

function skip(text: string, from: number, marks: ReadonlySet<string>): number {
  let at = from;
  while (at < text.length && marks.has(text[at]!)) at += 1;
  return at;
}

/** Whether the full stop at `at` belongs to an abbreviation: a title, an initial, "e.g.", or whatever goes on in lower case. */
function goesOn(text: string, at: number, end: number): boolean {
  const next = /\S/.exec(text.slice(end, end + 8))?.[0];
  if (next === undefined) return false;
  if (/\p{Ll}/u.test(next)) return true;
  const word = /[\p{L}\p{M}]{1,8}$/u.exec(text.slice(Math.max(0, at - 9), at))?.[0] ?? '';
  if (word.length === 1) return text[at - 2] === '.' || (/\p{Lu}/u.test(word) && word !== 'I');
  return TITLES.has(word.toLowerCase()) || (word.toLowerCase() === 'no' && /\d/.test(next));
}

/**
 * The first sentences of a text that fit, trimmed; '' when not even the first does.
 *
 * @param limits `chars` in UTF-16 units; `words` as `countWords` counts them.
 */
export function cutSentences(
  text: string,
  limits: { sentences?: number; chars?: number; words?: number },
): string {
  let kept = '';
  let words = 0;
  let count = 0;
  for (const sentence of splitSentences(text.trim())) {
    words += countWords(sentence);
    count += 1;
    if (count > (limits.sentences ?? Infinity) || words > (limits.words ?? Infinity)) break;
    if ((kept + sentence).trim().length > (limits.chars ?? Infinity)) break;
    kept += sentence;
  }
  return kept.trim();
}

/** Words between spaces; in scripts without spaces two characters count as one. */
export function countWords(text: string): number {
  let words = 0;
  for (const piece of text.split(/\s+/)) {
    if (piece !== '') words += Math.max(1, Math.ceil((piece.match(UNSPACED)?.length ?? 0) / 2));
  }
  return words;
}

/** The start of a text, at most `limit` UTF-16 units, up to the last space near the limit and never inside a character. */
export function startOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const hard = isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit;
  for (let at = hard; at > hard * NEAR; at -= 1) {
    if (/\s/.test(text[at]!)) return text.slice(0, at).trimEnd();
  }
  return text.slice(0, hard);
}

/** The end of a text, by the same rules. */
export function endOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const start = text.length - limit;
  const hard = isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start;
  for (let at = hard; at < hard + limit * (1 - NEAR); at += 1) {
    if (/\s/.test(text[at - 1]!)) return text.slice(at).trimStart();
  }
  return text.slice(hard);
}

/** A space is looked for in the last fifth before a limit. */
const NEAR = 0.8;

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
