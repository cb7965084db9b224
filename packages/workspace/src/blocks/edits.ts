import type { BlockKey } from '@slowwave/db';
import { likeness, profileOf } from './likeness.ts';

/** A block that no longer stands in its file, as it was when it became a memory. */
export interface GoneBlock extends BlockKey {
  /** What its memory says. */
  content: string;
  headings: readonly string[];
  /** Where it stood among the blocks of the file; null: not known. */
  place: number | null;
}

/** A block that was not in its file before. */
export interface AddedBlock extends BlockKey {
  content: string;
  headings: readonly string[];
  place: number;
}

/** More of either are a new file rather than an edited one. */
const COMPARED_MAX = 200;
/** Below the same headings, of neighbours there, and anywhere: moved, and hardly changed. */
const ALIKE = { same: 0.5, neighbours: 0.35, anywhere: 0.9 } as const;
const NEIGHBOURHOOD = 1;

const keyOf = ({ blockHash, occurrence }: BlockKey): string => `${blockHash} ${occurrence}`;

/**
 * Which new block takes the place of which one that went: the most alike first, the nearer ones of equals. What is not alike is a deletion and
 * an addition.
 * @returns the block that went, by the key (hash and occurrence) of the one in its place
 */
export function findEdits(gone: readonly GoneBlock[], added: readonly AddedBlock[]): Map<string, BlockKey> {
  const edits = new Map<string, BlockKey>();
  if (gone.length > COMPARED_MAX || added.length > COMPARED_MAX) return edits;
  const profiles = added.map(({ content }) => profileOf(content));
  const pairs = gone.flatMap((old) => {
    const profile = profileOf(old.content);
    return added.flatMap((now, at) => {
      const alike = old.content === now.content ? 1 : likeness(profile, profiles[at]!);
      const away = old.place === null ? Number.POSITIVE_INFINITY : Math.abs(old.place - now.place);
      const same = JSON.stringify(old.headings) === JSON.stringify(now.headings);
      const near = away <= NEIGHBOURHOOD;
      const enough = !same ? ALIKE.anywhere : near ? ALIKE.neighbours : ALIKE.same;
      return alike >= enough ? [{ old, now, alike, away }] : [];
    });
  });
  pairs.sort((a, b) => b.alike - a.alike || a.away - b.away || a.now.place - b.now.place);
  const taken = new Set<string>();
  for (const { old, now } of pairs) {
    if (taken.has(keyOf(old)) || edits.has(keyOf(now))) continue;
    taken.add(keyOf(old));
    edits.set(keyOf(now), { blockHash: old.blockHash, occurrence: old.occurrence });
  }
  return edits;
}
