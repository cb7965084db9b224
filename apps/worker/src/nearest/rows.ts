import type { FoundNeighbours } from '@slowwave/db';
import type { NearestResult } from '@slowwave/fusion';

/**
 * Splits what was found for fresh memories into rows to be stored, in portions of so many fresh memories. A fresh memory has the rows
 * of its own list, an older one those in whose lists it stands. A row between two fresh ones waits for the later one of them.
 * @param ids of all rows that were compared: first the fresh ones
 * @param fresh how many of them are fresh
 */
export function portionsOf(
  { starts, others, cosines }: NearestResult,
  ids: readonly string[],
  fresh: number,
  size: number,
): FoundNeighbours[] {
  const portions = Array.from({ length: Math.ceil(fresh / size) }, createPortion);
  for (let one = 0; one < fresh; one += 1) {
    for (let at = starts[one]!; at < starts[one + 1]!; at += 1) {
      const [other, cosine] = [others[at]!, cosines[at]!];
      const isOlder = other >= fresh;
      const portion = portions[Math.floor(Math.max(one, isOlder ? 0 : other) / size)]!;
      portion.add(ids[one]!, ids[other]!, cosine);
      if (isOlder) portion.add(ids[other]!, ids[one]!, cosine);
    }
  }
  return portions.map((portion) => portion.finish());
}

function createPortion() {
  const ids: string[] = [];
  const numbers = new Map<string, number>();
  const [memories, others, cosines]: [number[], number[], number[]] = [[], [], []];
  const numberOf = (id: string): number => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    numbers.set(id, ids.length);
    return ids.push(id) - 1;
  };
  return {
    add(memory: string, other: string, cosine: number): void {
      memories.push(numberOf(memory));
      others.push(numberOf(other));
      cosines.push(cosine);
    },
    finish: (): FoundNeighbours => ({
      ids,
      memories: Int32Array.from(memories),
      others: Int32Array.from(others),
      cosines: Float32Array.from(cosines),
    }),
  };
}

/** Without the rows that name one of these. */
export function withoutThese(found: FoundNeighbours, gone: ReadonlySet<string>): FoundNeighbours {
  if (!found.ids.some((id) => gone.has(id))) return found;
  const isGone = found.ids.map((id) => gone.has(id));
  const kept = (_: number, row: number) => !isGone[found.memories[row]!] && !isGone[found.others[row]!];
  return {
    ids: found.ids,
    memories: found.memories.filter(kept),
    others: found.others.filter(kept),
    cosines: found.cosines.filter(kept),
  };
}
