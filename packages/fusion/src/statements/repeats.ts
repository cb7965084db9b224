import { isRepeat } from '../gate/fast-lane.ts';
import type { SaidText } from '../gate/hard-facts.ts';
import { mayBeOne } from '../gate/occasions.ts';
import { type Sentence, sentencesOf } from '../gate/wording.ts';
import { LENGTH_SHARE, MAX_SOURCES, MAX_WORDS, type WrittenStatement } from './answer.ts';
import type { StatementNote } from './prompt.ts';

interface ReadNote extends SaidText {
  n: number;
  sentences: Sentence[];
}

/**
 * Statements without a language model: notes that share whole sentences, each sentence once. Whatever is worded differently stays apart, and so
 * does what was said on several days and may tell of several occasions.
 * @param notes as a request shows them
 */
export function joinRepeats(notes: readonly StatementNote[]): WrittenStatement[] {
  const taken = new Set<number>();
  const statements: WrittenStatement[] = [];
  const read = notes.map(
    ({ n, date, text }): ReadNote => ({ n, content: text, day: date, sentences: sentencesOf(text) }),
  );
  for (const first of read) {
    if (taken.has(first.n)) continue;
    const group = [first];
    for (const note of read) {
      if (group.length === MAX_SOURCES) break;
      if (note.n === first.n || taken.has(note.n) || !shares(note, group)) continue;
      if (mayBeOne([...group, note])) group.push(note);
    }
    const text = textOf(group);
    const length = group.reduce((sum, { content }) => sum + content.length, 0);
    if (group.length < 2 || text.length > LENGTH_SHARE * length || text.split(/\s+/u).length > MAX_WORDS)
      continue;
    if (!isRepeat(group, text)) continue;
    for (const { n } of group) taken.add(n);
    statements.push({ sources: group.map(({ n }) => n).sort((one, other) => one - other), text });
  }
  return statements;
}

function shares({ sentences }: ReadNote, group: readonly ReadNote[]): boolean {
  const known = new Set(group.flatMap((note) => note.sentences.map(({ wording }) => wording)));
  return sentences.some(({ wording }) => known.has(wording));
}

/** Every sentence of the notes once, in their order. */
function textOf(group: readonly ReadNote[]): string {
  const distinct = new Map<string, string>();
  for (const { wording, written } of group.flatMap((note) => note.sentences))
    if (!distinct.has(wording)) distinct.set(wording, written);
  const sentences = [...distinct.values()];
  return sentences
    .map((sentence, at) =>
      at < sentences.length - 1 && !/[.!?。！？]$/u.test(sentence) ? `${sentence}.` : sentence,
    )
    .join(' ');
}
