import { fence } from '../fence.ts';
import { DATA_RULE } from '../prompt-source.ts';
import type { Note } from './notes.ts';

/** The day on which a note was written down, YYYY-MM-DD; null when it does not say. */
function dayOfNote({ created_at }: Note): string | null {
  return /^\d{4}-\d\d-\d\d/.exec(created_at ?? '')?.[0] ?? null;
}

/** Notes as data, known to a model by their numbers from 1 alone. */
export function fenceNotes(notes: readonly Note[]): string {
  return fence(
    'SOURCES',
    notes.map((note, index) => ({ n: index + 1, date: dayOfNote(note), text: note.content })),
  );
}

export const NOTES_RULE = `The notes are numbered. ${DATA_RULE}`;

/** The note that an answer means: its number, or its id, as long as it is one of these. */
export function noteNamed(notes: readonly Note[], name: unknown): Note | null {
  if (typeof name === 'number') return notes[name - 1] ?? null;
  return notes.find(({ id }) => id === name) ?? null;
}
