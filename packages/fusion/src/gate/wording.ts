import { STOP_WORDS } from '../reading/lexicon.ts';
import { ABBREVIATIONS, MONTH_NAMES } from '../reading/tokens.ts';

/**
 * The words of a text as they are compared where no model looks: as they stand, but for spaces, the final stop of a sentence and the
 * capital of its first word. Every other capital, sign and mark may be a fact: of a password, an id, a unit, a path, an address.
 */

/** What stands between spaces, or the end of a line. */
const PIECES = /\n|[^\s]+/gu;
const CLOSERS = new Set(')]"\'”’»」』）');
const ENDS = /[!?。！？।؟]$/u;
const STOP = /^(.*[^.。．।۔։])?[.。．।۔։]$/su;
/** A plain word with a capital first letter, and marks that may follow a word. */
const CAPITAL_WORD = /^(\p{Lu})((?:[\p{Ll}\p{Lo}\p{M}]|['’-](?=\p{Ll}))*)[,;:.!?…)"'”’»]*$/u;
/** Words of so few letters may be units ("Mb") unless every text has them ("It"). */
const SHORT = 2;
const MORE_ABBREVIATIONS = new Set(
  'incl excl max min resp abs sec hrs exkl ggf vgl abb bspw enz ej pág'.split(' '),
);

export interface Sentence {
  /** As it is written, its spaces apart. */
  written: string;
  /** As it is compared, without its final stop. */
  wording: string;
}

/** The sentences of a text; a line is one at least. Linear in the text. */
export function sentencesOf(text: string): Sentence[] {
  return readSentences(text)
    .map(({ first, pieces }) => {
      const compared = pieces.join(' ');
      return { written: first + compared.slice(first.length), wording: withoutStop(compared) };
    })
    .filter(({ wording }) => wording !== '');
}

/** A whole text as it is compared; empty for one without any word. The end of a line is no space. */
export function wordingOf(text: string): string {
  const lines: string[] = [];
  let line: string[] = [];
  for (const { pieces, endsLine } of readSentences(text)) {
    line.push(...pieces);
    if (!endsLine) continue;
    lines.push(line.join(' '));
    line = [];
  }
  lines.push(line.join(' '));
  return withoutStop(lines.filter((one) => one !== '').join('\n'));
}

interface Pieces {
  /** The first piece as it is written. */
  first: string;
  pieces: string[];
  endsLine: boolean;
}

function readSentences(text: string): Pieces[] {
  const pieces = text.normalize('NFC').match(PIECES) ?? [];
  const sentences: Pieces[] = [];
  let current: string[] = [];
  let first = '';
  let opens = true;
  const end = (endsLine: boolean): void => {
    sentences.push({ first, pieces: current, endsLine });
    current = [];
    first = '';
  };
  for (const [at, piece] of pieces.entries()) {
    if (piece === '\n') {
      end(true);
      opens = true;
      continue;
    }
    if (current.length === 0) first = piece;
    current.push(opens ? plainStart(piece) : piece);
    opens = false;
    const ending = endingOf(piece, pieces[at + 1], current.length === 1);
    if (ending === 'none') continue;
    end(false);
    opens = ending === 'sure';
  }
  end(false);
  return sentences;
}

/** Whether a sentence ends with a piece; `likely`: what follows may as well go on, so that its capital counts. */
function endingOf(piece: string, next: string | undefined, isFirst: boolean): 'none' | 'likely' | 'sure' {
  let closed = piece.length;
  while (closed > 0 && CLOSERS.has(piece[closed - 1]!)) closed -= 1;
  const bare = piece.slice(0, closed);
  if (ENDS.test(bare)) return 'sure';
  const word = STOP.exec(bare)?.[1];
  if (word === undefined) return 'none';
  const letters = /[\p{L}\p{M}]+$/u.exec(word.slice(-12))?.[0] ?? '';
  const folded = letters.toLowerCase();
  if (ABBREVIATIONS.has(folded) || MORE_ABBREVIATIONS.has(folded)) return 'none';
  // An initial, "e.g.", "U.S."; the number of a list or of a day.
  if ([...letters].length === 1 && letters !== 'I') return 'none';
  if (/^(?:\p{L}{1,2}\.)+\p{L}{1,2}$/u.test(word.slice(-24))) return 'none';
  if (/^\d{1,2}$/.test(word) && (isFirst || isMonth(next))) return 'none';
  return letters === '' || /^\p{Lu}?[\p{Ll}\p{Lo}\p{M}]{3,}$/u.test(letters) ? 'sure' : 'likely';
}

const isMonth = (piece: string | undefined): boolean =>
  piece !== undefined &&
  MONTH_NAMES.has(
    piece
      .slice(0, 24)
      .replace(/[^\p{L}\p{M}]+$/u, '')
      .toLowerCase(),
  );

/** A first word without its capital. What has another capital, a digit or a sign inside stays as it stands. */
function plainStart(piece: string): string {
  const found = CAPITAL_WORD.exec(piece);
  if (!found) return piece;
  const lower = found[1]!.toLowerCase();
  if ([...lower].length !== 1) return piece;
  const word = lower + found[2]!;
  if ([...word].length <= SHORT && !STOP_WORDS.has(word)) return piece;
  return lower + piece.slice(found[1]!.length);
}

/** One stop, and no more: "…" and "..." leave something open. */
function withoutStop(text: string): string {
  const found = STOP.exec(text);
  return found ? (found[1] ?? '').trimEnd() : text;
}
