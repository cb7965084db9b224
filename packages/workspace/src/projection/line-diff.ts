/** Where two texts differ: between what they have in common at the beginning and at the end. */
export interface LineDiff {
  /** The first line that differs, from 1. */
  line: number;
  removed: string[];
  added: string[];
}

/** Null when both are the same. */
export function diffLines(before: string, after: string): LineDiff | null {
  if (before === after) return null;
  const [old, next] = [before.split('\n'), after.split('\n')];
  const shorter = Math.min(old.length, next.length);
  let head = 0;
  while (head < shorter && old[head] === next[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++;
  return {
    line: head + 1,
    removed: old.slice(head, old.length - tail),
    added: next.slice(head, next.length - tail),
  };
}
