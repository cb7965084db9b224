import { LANGUAGES } from './languages/all.ts';
import { liftOut } from './lifting.ts';
import { LIFT_MARK, normaliseText, normaliseWithPlaces } from './normalise.ts';

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
  /** a path, a handle, a name made of signs */
  | 'code'
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
  /** Index of the sentence or line it stands in. */
  sentence: number;
}

const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const TOKENS = new RegExp(
  `(?:(?=[\\p{L}\\p{M}])[${UNSPACED}])+` +
    `|(?:(?![${UNSPACED}])[\\p{L}\\p{M}])+(?:'(?:(?![${UNSPACED}])[\\p{L}\\p{M}])+)*` +
    `|\\d+(?:[.,:/'-]\\d+)*` +
    `|${LIFT_MARK}|\\n|[^\\s]`,
  'gu',
);
const STARTS_WITH_LETTER = /^[\p{L}\p{M}]/u;
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
const CLAUSE_MARKS = new Set([';', ':', ',', '(', ')', '–', '、', '،', '؛', '|', '→']);
const SENTENCE_MARKS = new Set(['!', '?', '。', '؟', '।', '！', '？']);
const CLAUSE_WORDS = new Set(
  `and but while because although though whereas which who whose where when since until unless
  und aber weil während obwohl sondern mais parce tandis pero porque mientras sino ma perché mentre mas enquanto maar omdat terwijl и но а
  или который`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
/** Where a day of the month may be written with a full stop. */
export const MONTH_NAMES = new Set(LANGUAGES.flatMap(({ months }) => [...months.keys()]));
/** Words that are written with a full stop which ends no sentence. */
export const ABBREVIATIONS = new Set(
  `mr mrs ms mx dr rs st prof rev sr jr hon gen col sgt capt lt no vs approx ca etc inc ltd co corp dept est fig vol pp ave blvd mt ft al
  jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat
  bzw usw nr str tel evtl inkl zb bsp mme mlle av sra srta ud uds sig avv dhr mevr bijv`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
/** Of those, the ones that end a sentence as often. */
const ALSO_AT_END = new Set(['etc', 'no', 'usw', 'al', 'sat']);

/** @param text any text, as stored; it is normalised here. */
export function readTokens(text: string): Token[] {
  return tokensOf(normaliseText(text), () => undefined);
}

/** Where something stands in a text, in UTF-16 units. */
export interface Place {
  from: number;
  to: number;
}

/** As readTokens, with the place of each token in the text as written. */
export function readPlacedTokens(text: string): { tokens: Token[]; places: Place[] } {
  const placed = normaliseWithPlaces(text);
  const places: Place[] = [];
  const tokens = tokensOf(placed.text, (from, to) => {
    places.push({ from: placed.from[from]!, to: placed.to[to - 1]! });
  });
  return { tokens, places };
}

/** @param place told where each token stands in the normalised text */
function tokensOf(normalised: string, place: (from: number, to: number) => void): Token[] {
  const lifting = liftOut(normalised);
  const tokens: Token[] = [];
  let liftIndex = 0;
  /** How much shorter the text is up to here than before addresses were lifted out of it. */
  let shortened = 0;
  let clause = 0;
  let sentence = 0;
  let opens = true;
  let end = -1;
  for (const match of lifting.text.matchAll(TOKENS)) {
    const raw = match[0];
    const glued = match.index === end;
    end = match.index + raw.length;
    if (raw === '\n') {
      clause += 1;
      sentence += 1;
      opens = true;
      end = -1;
      continue;
    }
    const lifted = raw === LIFT_MARK ? lifting.lifted[liftIndex++] : undefined;
    const length = lifted?.text.length ?? raw.length;
    place(match.index + shortened, match.index + shortened + length);
    shortened += length - raw.length;
    const kind = lifted ? lifted.kind : kindOf(raw);
    const written = lifted ? lifted.text : raw;
    const folded = lifted ? lifted.folded : kind === 'word' ? foldWord(raw) : raw;
    tokens.push({ kind, text: written, folded, glued, opens, clause, sentence });
    if (kind === 'mark') {
      const ends = endsSentence(raw, lifting.text, end, tokens[tokens.length - 2]);
      if (ends) {
        opens = true;
        sentence += 1;
      }
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
  if (next !== undefined && !/[\s"')\]]/.test(next)) return false;
  if (previous?.kind === 'digits' && isDayBefore(previous, text, end)) return false;
  return !endsAbbreviation(previous, text, end);
}

/** Lower case without a possessive ending. */
export function foldWord(word: string): string {
  const lower = word.toLowerCase();
  return lower.endsWith("'s") ? lower.slice(0, -2) : lower;
}

/** "am 3. Mai": the point makes the number an ordinal. */
function isDayBefore(previous: Token, text: string, end: number): boolean {
  if (!/^\d{1,2}$/.test(previous.text)) return false;
  const word = /^ (\p{L}{3,10})/u.exec(text.slice(end, end + 12))?.[1];
  return word !== undefined && MONTH_NAMES.has(word.toLowerCase());
}

function endsAbbreviation(previous: Token | undefined, text: string, end: number): boolean {
  if (previous?.kind !== 'word') return false;
  // An initial, but not the last letter of "vitamin c" or "I".
  if (previous.text.length === 1) return previous.text !== 'I' && previous.text !== previous.folded;
  if (!ABBREVIATIONS.has(previous.folded)) return false;
  if (!ALSO_AT_END.has(previous.folded)) return true;
  return !/^\s+\p{Lu}/u.test(text.slice(end, end + 8));
}

/** Marks that stand for something rather than part words: a text that loses one may lose a fact. */
const SIGN = /^[\p{Extended_Pictographic}★☆♥♡♦♣♠✓✔✗✘]$/u;

/** Whether a mark is a picture or a sign with a meaning of its own. */
export function isSign(token: Token): boolean {
  return (
    token.kind === 'mark' && token.text.length > 0 && token.text.charCodeAt(0) > 0x7f && SIGN.test(token.text)
  );
}
