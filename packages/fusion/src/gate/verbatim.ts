import { COMMON_VERBS, COMMON_WORDS } from '../reading/common-words.ts';
import { lemmaOf } from './lemma.ts';

const SPACES = /[^\S\n]+/gu;
const FINAL_STOPS = /[.。．\s]+$/u;
/** What stands between two notes: an end of a sentence, a new line, or both. */
const BORDER = /^(?:[.。．]\s*|\s*\n\s*)|^\s*$/u;
/** A capitalised word and its genitive, and what stands before one that begins no sentence. */
const CAPITALISED = /(?<![\p{L}\p{M}])(\p{Lu}[\p{L}\p{M}]*)(['’]s)?(?![\p{L}\p{M}])/gu;
const INSIDE = /(?:[\p{L}\p{N},;]|(?<!\p{L})(?:Dr|Mr|Mrs|Ms|Prof)\.)\s$/u;
/** Enough to see the word before, in characters. */
const BEFORE = 8;
/** Behind a title, where there is one. */
const FIRST_WORD = /^(?:(?:Dr|Mr|Mrs|Ms|Prof)\.?\s)?(\p{Lu}[\p{L}\p{M}]*)/u;
/** Pronouns that are written with a capital, or followed by an 's that is a verb. */
const POINTING = new Set(
  'it he she they this that these those there here what who where how let one sie ihr ihre ihnen ihrer ihren'.split(
    ' ',
  ),
);
/** A note that ends otherwise, with a colon for instance, reaches into the one behind it. */
const COMPLETE = /[\p{L}\p{N}\p{M}\p{Sc}%°)\]"'”’»]$/u;
const NOTES_MIN = 2;

/**
 * Whether a summary is nothing but whole notes, word for word and each a sentence of its own: then nothing in it can stand with something
 * else than in its note, and there is nothing to compare. False whenever that is not certain.
 */
export function isListOfNotes(summary: string, notes: readonly string[]): boolean {
  const names = namesIn(notes);
  const known = [...new Set(notes.map(bare))].filter(
    (note) => COMPLETE.test(note) && names.has(FIRST_WORD.exec(note)?.[1] ?? ''),
  );
  // The longest first: a note may begin as another one does.
  known.sort((one, other) => other.length - one.length);
  let left = plain(summary);
  let count = 0;
  while (left !== '') {
    const note = known.find((one) => left.startsWith(one) && BORDER.test(left.slice(one.length)));
    if (note === undefined) return false;
    left = left.slice(note.length).replace(BORDER, '');
    count += 1;
  }
  return count >= NOTES_MIN;
}

/**
 * Words that are surely names: with a capital inside of a sentence, or with a genitive. A note that opens with anything else, a verb or a
 * pronoun, would borrow its subject from the note before.
 */
function namesIn(notes: readonly string[]): Set<string> {
  const names = new Set(['User']);
  for (const note of notes) {
    for (const { 1: word, 2: genitive, index } of note.matchAll(CAPITALISED)) {
      if (genitive !== undefined || INSIDE.test(note.slice(Math.max(0, index - BEFORE), index)))
        names.add(word!);
    }
  }
  for (const name of names) if (isCommon(name.toLowerCase())) names.delete(name);
  return names;
}

/** A word of the language with a capital: texts in title case have them everywhere. */
function isCommon(word: string): boolean {
  if (word === 'user') return false;
  const lemma = lemmaOf(word);
  return POINTING.has(word) || [word, lemma].some((form) => COMMON_WORDS.has(form) || COMMON_VERBS.has(form));
}

function plain(text: string): string {
  return text.normalize('NFC').replace(SPACES, ' ').trim();
}

function bare(note: string): string {
  return plain(note).replace(FINAL_STOPS, '');
}
