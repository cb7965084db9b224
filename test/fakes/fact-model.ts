import { LENGTH_SHARE, MAX_SOURCES } from '@slowwave/fusion';
import { leftOut, unsupported } from '../fixtures/facts/claims.ts';
import type { ShownItem, ShownNote, StatementScript } from './statement-model.ts';

export interface Told {
  sources: number[];
  text: string;
}

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

/** What an honest judge says who sees only a statement and its sources: it says what they say, all of it and no more. */
export function honestJudge({ statement, sources }: ShownItem): 'same' | 'changed' {
  const said = sources.map(({ text }) => text);
  return unsupported(statement, said).length + leftOut(statement, said).length === 0 ? 'same' : 'changed';
}

/** A good writer of such facts and their honest judge. */
export const FACT_SCRIPT: StatementScript = {
  write: (notes) => ({ statements: tellFacts(notes), conflicts: [] }),
  judge: honestJudge,
};
