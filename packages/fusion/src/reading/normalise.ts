/** Zeros of the decimal digit blocks that NFKC leaves as they are, and of the full-width block. */
const DIGIT_ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
  0x1040, 0x17e0, 0x1810, 0xff10,
];
/** Stands in place of an address or identifier that was lifted out of the text; a private-use character, taken out of any input. */
export const LIFT_MARK = '\uE000';

/** What a stretch of a text is replaced by. Its groups are those of the pattern. */
type Respelling = readonly [pattern: RegExp, respell: (stretch: string, ...groups: string[]) => string];

const by = (spelling: string) => (): string => spelling;

/** In order, before compatibility forms are brought to one spelling and after. */
const BEFORE_FORMS: readonly Respelling[] = [
  [/[^\P{Nd}0-9]/gu, asciiDigit],
  // "2½" is two and a half; NFKC would make it twenty-one halves.
  [
    /(\d?)([\u00BC-\u00BE\u2150-\u215E])/gu,
    (_all, digit, fraction) => {
      const plain = fraction!.normalize('NFKC').replace('\u2044', '/');
      return digit === '' ? plain : `${digit} ${plain}`;
    },
  ],
  [/(?<!\p{L})([kc]?m|ft)²/gu, (_all, unit) => ` sq${unit}`],
  // A no-break or thin space between digits groups thousands; NFKC would make it an ordinary space.
  [/(?<=\d)[\u00A0\u2009\u202F](?=\d{3}(?!\d))/gu, by('')],
  [/[™®©]/gu, by(' ')],
];
const AFTER_FORMS: readonly Respelling[] = [
  [/[\u00AD\u200B\u2060\uFEFF]|\uFE0F/gu, by('')],
  [/[‘’ʼ´`]/gu, by("'")],
  [/[“”„«»]/gu, by('"')],
  [/[−‐‑]/gu, by('-')],
  [/[—―]/gu, by('–')],
  [/\u2044/gu, by('/')],
  [/×(?=\s?\d)|(?<=\d)×/gu, by('x')],
  [/٫/gu, by('.')],
  [/٬/gu, by(',')],
  [/\uE000/gu, by(' ')],
  [/(?<=\d ?)([ap])\. ?m\b\.?/giu, (_all, half) => `${half}m`],
  // U.S. and e.g. and J.R.R. lose their dots: none of them ends a sentence.
  [/(?<![\p{L}\p{N}.])(?:\p{L}\.){2,8}/gu, (letters) => letters.replaceAll('.', '')],
  [/(?<=\d)T(?=\d\d:)/gu, by(' ')],
  [/(?<=:\d\d)Z\b/gu, by('')],
];

/** Compatibility forms, digits of every script, quotes, dashes and invisible characters brought to one spelling. Linear in the length. */
export function normaliseText(text: string): string {
  const respelt = (of: string, steps: readonly Respelling[]): string =>
    steps.reduce((spelt, [pattern, respell]) => spelt.replace(pattern, respell), of);
  return respelt(respelt(text, BEFORE_FORMS).normalize('NFKC'), AFTER_FORMS);
}

/** A normalised text, and for each of its UTF-16 units the stretch of the text as written that it comes from. */
export interface PlacedText {
  text: string;
  from: Int32Array;
  to: Int32Array;
}

/** As normaliseText, with places. Linear in the length. */
export function normaliseWithPlaces(text: string): PlacedText {
  const from = Int32Array.from({ length: text.length }, (_, at) => at);
  const written: PlacedText = { text, from, to: from.map((at) => at + 1) };
  const respelt = (of: PlacedText, steps: readonly Respelling[]): PlacedText => steps.reduce(respell, of);
  return respelt(inOneForm(respelt(written, BEFORE_FORMS)), AFTER_FORMS);
}

interface Edit {
  from: number;
  to: number;
  by: string;
}

function respell(placed: PlacedText, [pattern, replace]: Respelling): PlacedText {
  const edits: Edit[] = [];
  for (const match of placed.text.matchAll(pattern)) {
    const [stretch, ...groups] = match;
    edits.push({ from: match.index, to: match.index + stretch.length, by: replace(stretch, ...groups) });
  }
  return edited(placed, edits);
}

/** A character with all behind it that may compose with it: marks, and vowels and finals of Korean syllables, in whatever form. */
const FORMS = /.[\p{M}\u0E33\u0EB3\u1160-\u11FF\u3131-\u318E\uD7B0-\uD7FF\uFF9E-\uFFDC]*/gsu;

/** NFKC with places, stretch by stretch. */
function inOneForm(placed: PlacedText): PlacedText {
  const edits: Edit[] = [];
  for (const { 0: stretch, index } of placed.text.matchAll(FORMS)) {
    const plain = stretch.normalize('NFKC');
    if (plain !== stretch) edits.push({ from: index, to: index + stretch.length, by: plain });
  }
  const formed = edited(placed, edits);
  const whole = placed.text.normalize('NFKC');
  // A version of Unicode in which more characters compose: only the middle of the text loses its places.
  return formed.text === whole ? formed : edited(placed, [{ from: 0, to: placed.text.length, by: whole }]);
}

/** Replaces stretches, in order. What an edit keeps at its beginning and end keeps its places; the rest comes from what it replaces. */
function edited(placed: PlacedText, edits: readonly Edit[]): PlacedText {
  if (edits.length === 0) return placed;
  const length = edits.reduce((sum, { from, to, by }) => sum + by.length - (to - from), placed.text.length);
  const result = { from: new Int32Array(length), to: new Int32Array(length) };
  const parts: string[] = [];
  let read = 0;
  let written = 0;
  const keep = (to: number): void => {
    result.from.set(placed.from.subarray(read, to), written);
    result.to.set(placed.to.subarray(read, to), written);
    parts.push(placed.text.slice(read, to));
    written += to - read;
    read = to;
  };
  for (const { from, to, by } of edits) {
    const old = placed.text.slice(from, to);
    const shorter = Math.min(old.length, by.length);
    let head = 0;
    while (head < shorter && old[head] === by[head]) head += 1;
    let tail = 0;
    while (tail < shorter - head && old[old.length - 1 - tail] === by[by.length - 1 - tail]) tail += 1;
    keep(from + head);
    const put = by.slice(head, by.length - tail);
    const last = to - tail - 1;
    // What is put where nothing is taken away comes from what stands before it.
    const first = Math.min(from + head, last);
    result.from.fill(placed.from[Math.max(0, first)]!, written, written + put.length);
    result.to.fill(placed.to[Math.max(0, last)]!, written, written + put.length);
    parts.push(put);
    written += put.length;
    read = to - tail;
  }
  keep(placed.text.length);
  return { text: parts.join(''), ...result };
}

function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  for (const zero of DIGIT_ZEROS) {
    if (code >= zero && code < zero + 10) return String(code - zero);
  }
  return digit;
}
