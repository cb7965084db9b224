import type { Promotable } from '@slowwave/db';
import { lineHash, marksIn, memoryLine, withoutMarks } from './markers.ts';
import { composeRegion, parseRegion, type Region, regionAtEnd, withOwnLines } from './region.ts';

/** The line of a memory as some projection wrote it. */
export interface WrittenLine {
  memoryId: string;
  lineHash: string;
}

export interface MemoryPlanInput {
  path: string;
  /** Null: there is no such document. */
  content: string | null;
  /** The lines that stand as far as anybody knows. */
  standing: readonly WrittenLine[];
  /** Lines that may stand besides: those of a projection that ended before it could say whether it wrote them. */
  perhaps: readonly WrittenLine[];
  /** Memories whose line a hand removed or made its own before. */
  removed: ReadonlySet<string>;
  /** What the memories whose marks stand in the document say now; forgotten ones are null, unknown ones absent. */
  marked: ReadonlyMap<string, string | null>;
  /** The best first. */
  memories: readonly Pick<Promotable, 'id' | 'content' | 'paths'>[];
  /** Of the whole document. */
  maxChars: number;
}

/** What was done with the memories that may be promoted, and what hands did to the lines before. */
export interface MemoryCounts {
  /** Lines in the region. */
  lines: number;
  /** Of them, memories that had no line before. */
  added: number;
  /** Left out: too low for the room that is left. */
  noRoom: number;
  /** Left out: the user's own words say it in this document. */
  ownWords: number;
  /** Left out: a hand removed or changed its line, now or before. */
  byHand: number;
  /** Left out: another one says the same, or there is nothing to be seen. */
  same: number;
  /** Lines that a hand removed since the last time. */
  removed: number;
  /** Lines that a hand changed or added since; they are the user's now. */
  edited: number;
  /** Lines of forgotten memories that were taken out. */
  forgotten: number;
  /** Of the whole document. */
  chars: number;
}

export interface MemoryPlan {
  /** Null: there is nothing to say and no document. */
  content: string | null;
  /** `line` counts from 1. */
  lines: (WrittenLine & { line: number })[];
  /** Memories whose line a hand removed or changed since. */
  removed: string[];
  counts: MemoryCounts;
}

/** What stands in the region, told apart by whose it is. */
interface Reading {
  present: Set<string>;
  /** Lines of the user's own, without our marks. */
  own: string[];
  edited: Set<string>;
  forgotten: number;
}

function readRegion(region: Region | null, input: MemoryPlanInput): Reading {
  const known = new Map<string, Set<string>>();
  for (const { memoryId, lineHash: hash } of [...input.standing, ...input.perhaps]) {
    known.set(memoryId, (known.get(memoryId) ?? new Set()).add(hash));
  }
  const isOurs = (id: string, line: string): boolean => {
    const hashes = known.get(id);
    if (hashes) return hashes.has(lineHash(line));
    // Nobody knows of it, as after a restore of either side: ours when it is what we would write.
    const content = input.marked.get(id);
    return typeof content === 'string' && !input.removed.has(id) && memoryLine({ id, content }) === line;
  };
  const reading: Reading = { present: new Set(), own: [], edited: new Set(), forgotten: 0 };
  for (const line of region?.lines ?? []) {
    const ids = marksIn(line);
    if (ids.some((id) => input.marked.get(id) === null)) reading.forgotten++;
    else if (ids.length === 1 && isOurs(ids[0]!, line.trimEnd())) reading.present.add(ids[0]!);
    else {
      for (const id of ids) reading.edited.add(id);
      const text = withoutMarks(line);
      if (!/^\s*[-*+]?\s*$/.test(text)) reading.own.push(text);
    }
  }
  return reading;
}

/**
 * A document with its managed region as it should be. Lines that a hand changed or added become text of the user's before the region; those
 * of `memories` that fit take the place of the rest. Everything else stays byte for byte.
 * @throws RegionRefused
 */
export function planMemory(input: MemoryPlanInput): MemoryPlan {
  const { content, maxChars } = input;
  const found = content === null ? null : parseRegion(content, input.path);
  const reading = readRegion(found, input);
  const gone = content === null ? [] : input.standing.map(({ memoryId }) => memoryId);
  const removed = [...new Set([...gone, ...reading.edited])].filter((id) => !reading.present.has(id));
  const region = withOwnLines({ ...(found ?? regionAtEnd(content ?? '')), lines: [] }, reading.own);
  const { chosen, left } = choose(input, region, new Set([...input.removed, ...removed]));
  const fits: typeof chosen = [];
  let chars = composeRegion(region).length;
  for (const one of chosen) {
    const more = one.line.length + region.lineEnd.length;
    if (chars + more > maxChars) break;
    chars += more;
    fits.push(one);
  }
  const isWritten = found !== null || fits.length > 0;
  const next = isWritten ? composeRegion({ ...region, lines: fits.map(({ line }) => line) }) : content;
  const first = (region.before + region.lead).split('\n').length + 1;
  const had = new Set([...input.standing, ...input.perhaps].map(({ memoryId }) => memoryId));
  return {
    content: next,
    lines: fits.map(({ id, line }, i) => ({ memoryId: id, lineHash: lineHash(line), line: first + i })),
    removed,
    counts: {
      lines: fits.length,
      added: fits.filter(({ id }) => !had.has(id)).length,
      noRoom: chosen.length - fits.length,
      ...left,
      removed: removed.filter((id) => !reading.edited.has(id)).length,
      edited: reading.own.length,
      forgotten: reading.forgotten,
      chars: next?.length ?? 0,
    },
  };
}

function choose(
  input: MemoryPlanInput,
  region: Region,
  removed: ReadonlySet<string>,
): {
  chosen: { id: string; line: string }[];
  left: Pick<MemoryCounts, 'ownWords' | 'byHand' | 'same'>;
} {
  const outside = new Set(marksIn(region.before + region.after));
  const said = new Set<string>();
  const chosen: { id: string; line: string }[] = [];
  const left = { ownWords: 0, byHand: 0, same: 0 };
  for (const { id, content, paths } of input.memories) {
    const line = memoryLine({ id, content });
    if (removed.has(id)) left.byHand++;
    else if (paths.includes(input.path) || outside.has(id)) left.ownWords++;
    else if (line === null || said.has(withoutMarks(line))) left.same++;
    else {
      said.add(withoutMarks(line));
      chosen.push({ id, line });
    }
  }
  return { chosen, left };
}
