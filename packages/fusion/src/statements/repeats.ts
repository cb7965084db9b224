import { isRepeat } from '../gate/fast-lane.ts';
import { LENGTH_SHARE, MAX_SOURCES, MAX_WORDS, type WrittenStatement } from './answer.ts';
import type { StatementNote } from './prompt.ts';

const SENTENCE_END = /(?<=[.!?。！？])\s+|\n+/u;

/**
 * Statements without a language model: notes that share whole sentences, each sentence once. Whatever is worded differently stays apart.
 * @param notes as a request shows them
 */
export function joinRepeats(notes: readonly StatementNote[]): WrittenStatement[] {
  const taken = new Set<number>();
  const statements: WrittenStatement[] = [];
  for (const first of notes) {
    if (taken.has(first.n)) continue;
    const group = [first];
    for (const note of notes) {
      if (group.length === MAX_SOURCES) break;
      if (note.n !== first.n && !taken.has(note.n) && shares(note, group)) group.push(note);
    }
    const text = textOf(group);
    const length = group.reduce((sum, note) => sum + note.text.length, 0);
    const contents = group.map((note) => note.text);
    if (group.length < 2 || text.length > LENGTH_SHARE * length || text.split(/\s+/u).length > MAX_WORDS)
      continue;
    if (!isRepeat(contents, text)) continue;
    for (const { n } of group) taken.add(n);
    statements.push({ sources: group.map(({ n }) => n).sort((one, other) => one - other), text });
  }
  return statements;
}

const sentencesOf = (text: string): string[] =>
  text
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

const keyOf = (sentence: string): string =>
  sentence
    .normalize('NFC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .replace(/[.!?。！？\s]+$/u, '');

function shares({ text }: StatementNote, group: readonly StatementNote[]): boolean {
  const known = new Set(group.flatMap((note) => sentencesOf(note.text).map(keyOf)));
  return sentencesOf(text).some((sentence) => known.has(keyOf(sentence)));
}

/** Every sentence of the notes once, in their order. */
function textOf(group: readonly StatementNote[]): string {
  const distinct = new Map<string, string>();
  for (const { text } of group)
    for (const sentence of sentencesOf(text))
      if (!distinct.has(keyOf(sentence))) distinct.set(keyOf(sentence), sentence);
  const sentences = [...distinct.values()];
  return sentences
    .map((sentence, at) =>
      at < sentences.length - 1 && !/[.!?。！？]$/u.test(sentence) ? `${sentence}.` : sentence,
    )
    .join(' ');
}
