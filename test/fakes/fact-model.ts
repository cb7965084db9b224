import { LENGTH_SHARE, MAX_SOURCES } from '@slowwave/fusion';
import type { ShownItem, ShownNote, StatementScript } from './statement-model.ts';

export interface Told {
  sources: number[];
  text: string;
}

/** Words that say nothing about a thing in a place. */
const FRAME = new Set(['a', 'an', 'the', 'in', 'stands', 'beside']);

/**
 * Joins notes about things and their places into statements that say all of them, each of at most five notes: "A jar labelled K101 stands in
 * the cellar." becomes "jar labelled K101 in cellar".
 */
export function tellFacts(notes: readonly ShownNote[]): Told[] {
  const groups = Math.max(1, Math.ceil(notes.length / MAX_SOURCES));
  const size = Math.ceil(notes.length / groups);
  return Array.from({ length: groups }, (_, at) => notes.slice(at * size, (at + 1) * size))
    .filter((group) => group.length > 1)
    .map((group) => ({ sources: group.map(({ n }) => n), text: shortened(group.map(({ text }) => text)) }))
    .filter(({ text, sources }) => {
      const length = notes
        .filter(({ n }) => sources.includes(n))
        .reduce((sum, note) => sum + note.text.length, 0);
      return text.length <= LENGTH_SHARE * length;
    });
}

const shortened = (texts: readonly string[]): string =>
  texts.map((text) => text.replace(/\b(?:an?|the|stands) /gi, '')).join(' ');

/**
 * What an honest judge says of statements about things and their places: each part of one says exactly what one of its sources says, and every
 * source is said.
 */
export function honestJudge({ statement, sources }: ShownItem): 'same' | 'changed' {
  const told = partsOf(statement);
  const said = sources.flatMap(({ text }) => partsOf(text));
  const holds = said.every((part) => told.includes(part)) && told.every((part) => said.includes(part));
  return holds ? 'same' : 'changed';
}

/** What a text says, sentence by sentence, whatever the order of its words. */
const partsOf = (text: string): string[] =>
  text
    .split(/[.;]\s*/)
    .map((part) => wordsOf(part).sort().join(' '))
    .filter((part) => part !== '');

const wordsOf = (part: string): string[] =>
  (part.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? []).filter((word) => !FRAME.has(word));

/** A good writer of such facts and their honest judge. */
export const FACT_SCRIPT: StatementScript = {
  write: (notes) => ({ statements: tellFacts(notes), conflicts: [] }),
  judge: honestJudge,
};
