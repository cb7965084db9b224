import { extractAtoms } from '@slowwave/fusion';

/** Shorter atoms ("Ana", "12") stand in too many texts to tell that two say the same. */
const ATOM_CHARS_MIN = 4;
const WORD_CHARS_MIN = 3;
/** From this share of its content words on a text says what a memory says. */
const SHARE_MIN = 0.5;
/** Fewer letters find too much to be worth a look in the database. */
const ANCHOR_CHARS_MIN = 3;

/** Scripts without spaces between words: compared by pairs of characters. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu;
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu;

/** Words that every conversation is full of. */
const COMMON = new Set(
  `the and but for with from into about over under near via per are was were been being has have had does did doing this that these
  those some any such you your yours him his she her hers its they them their who whom whose which what there here when where while
  because although though since also too very really quite just well not never can could will would should shall may might must
  user users assistant than then out off our ours one say says said get gets got let like likes liked want wants wanted`.split(
    /\s+/,
  ),
);

/** What a memory said, taken apart once and compared with many texts. */
interface Needle {
  folded: string;
  words: string[];
  atoms: Set<string>;
}

export interface Matcher {
  /** Whether the text contains one of the memories' texts; case, spaces and punctuation do not count. */
  contains(text: string): boolean;
  /** Whether the text is a part of one of them, in the same sense. */
  isPart(text: string): boolean;
  /** Whether the text says what one of them says: all of it, half of its content words, or one of its names, numbers, dates or addresses. */
  says(text: string): boolean;
  /**
   * For each memory's text a run of plain letters and digits that every plain text containing it has too, for a first look in the
   * database; null for one without such a run, for which every text has to be looked at.
   */
  anchors: (string | null)[];
}

/** A text for comparison: one case, one form of every character, and single spaces for whatever is no letter or digit. */
export function foldText(text: string): string {
  // By way of capitals, which ß and ss have in common.
  const plain = text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  const folded = plain.replaceAll(SEPARATORS, ' ').trim();
  // Signs alone, such as a row of emoji, are all there is to compare.
  return folded === '' ? plain.trim() : folded;
}

/** The words of a folded text that carry content, each once. */
function contentWords(folded: string): string[] {
  const pairs: string[] = [];
  const spaced = folded.replaceAll(UNSPACED, (run) => {
    const characters = [...run];
    characters.forEach((character, i) => {
      if (i + 1 < characters.length) pairs.push(character + characters[i + 1]);
    });
    return ' ';
  });
  const words = spaced.split(' ').filter((word) => word.length >= WORD_CHARS_MIN && !COMMON.has(word));
  return [...new Set([...words, ...pairs])];
}

/** Names, numbers, dates and addresses by kind and value. */
function atomsOf(text: string): Set<string> {
  const atoms = new Set<string>();
  for (const { kind, value } of extractAtoms(text)) {
    if (kind !== 'negation' && value.length >= ATOM_CHARS_MIN) atoms.add(`${kind} ${value}`);
  }
  return atoms;
}

const isSpacedEdge = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character) && character.search(UNSPACED) === -1;

/** Whether one folded text stands in another as whole words: "tea" is not in "team". */
function isIn(part: string, whole: string): boolean {
  if (part === '') return false;
  const characters = [...part];
  const before = isSpacedEdge(characters[0]);
  const after = isSpacedEdge(characters.at(-1));
  for (let at = whole.indexOf(part); at !== -1; at = whole.indexOf(part, at + 1)) {
    const end = at + part.length;
    // A character is one unit or two.
    const opens = !before || at === 0 || !isSpacedEdge([...whole.slice(Math.max(0, at - 2), at)].at(-1));
    const closes = !after || !isSpacedEdge([...whole.slice(end, end + 2)][0]);
    if (opens && closes) return true;
  }
  return false;
}

function anchorOf(folded: string): string | null {
  const runs = folded.match(/[a-z0-9]+/g) ?? [];
  const longest = runs.reduce((a, b) => (b.length > a.length ? b : a), '');
  return longest.length >= ANCHOR_CHARS_MIN ? longest : null;
}

/** Prepares the texts of what is forgotten for comparison. Nothing matches an empty list. */
export function createMatcher(texts: readonly string[]): Matcher {
  const byFold = new Map<string, string>();
  for (const text of texts) {
    const folded = foldText(text);
    if (folded !== '') byFold.set(folded, text);
  }
  const needles: Needle[] = [...byFold].map(([folded, text]) => ({
    folded,
    words: contentWords(folded),
    atoms: atomsOf(text),
  }));
  return {
    anchors: needles.map(({ folded }) => anchorOf(folded)),
    contains(text) {
      const whole = foldText(text);
      return needles.some(({ folded }) => isIn(folded, whole));
    },
    isPart(text) {
      const part = foldText(text);
      return needles.some(({ folded }) => isIn(part, folded));
    },
    says(text) {
      const whole = foldText(text);
      const words = new Set(contentWords(whole));
      const atoms = atomsOf(text);
      return needles.some((needle) => isIn(needle.folded, whole) || overlaps(needle, words, atoms));
    },
  };
}

function overlaps(needle: Needle, words: ReadonlySet<string>, atoms: ReadonlySet<string>): boolean {
  for (const atom of needle.atoms) {
    // Whoever types without capitals names the same thing.
    if (atoms.has(atom) || words.has(atom.slice(atom.indexOf(' ') + 1))) return true;
  }
  const shared = needle.words.filter((word) => words.has(word)).length;
  return needle.words.length > 0 && shared / needle.words.length >= SHARE_MIN;
}
