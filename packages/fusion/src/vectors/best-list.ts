/** The best few of each of several lists, in flat arrays: objects would take several times the memory. */
export interface BestLists {
  /** The worst cosine of a full list; -Infinity while there is room. */
  worstOf(list: number): number;
  /** Keeps an entry when it is among the best: by cosine, then by the lower index. */
  offer(list: number, index: number, cosine: number): void;
  /** All entries, list after list, best first. `starts` has one number more than there are lists. */
  collect(): { starts: Uint32Array; others: Uint32Array; cosines: Float64Array };
}

export function createBestLists(lists: number, limit: number): BestLists {
  const others = new Uint32Array(lists * limit);
  const cosines = new Float64Array(lists * limit);
  const counts = new Uint32Array(lists);

  function offer(list: number, index: number, cosine: number): void {
    const start = list * limit;
    let at = start + counts[list]!;
    if (counts[list] === limit) {
      if (limit === 0 || !isBetter(index, cosine, others[at - 1]!, cosines[at - 1]!)) return;
      at -= 1;
    } else counts[list]! += 1;
    for (; at > start && isBetter(index, cosine, others[at - 1]!, cosines[at - 1]!); at -= 1) {
      others[at] = others[at - 1]!;
      cosines[at] = cosines[at - 1]!;
    }
    others[at] = index;
    cosines[at] = cosine;
  }

  function collect() {
    const starts = new Uint32Array(lists + 1);
    for (let list = 0; list < lists; list += 1) starts[list + 1] = starts[list]! + counts[list]!;
    const total = starts[lists]!;
    const all = { starts, others: new Uint32Array(total), cosines: new Float64Array(total) };
    for (let list = 0; list < lists; list += 1) {
      const [from, to] = [list * limit, list * limit + counts[list]!];
      all.others.set(others.subarray(from, to), starts[list]);
      all.cosines.set(cosines.subarray(from, to), starts[list]);
    }
    return all;
  }

  return {
    worstOf: (list) => (counts[list] === limit ? (cosines[(list + 1) * limit - 1] ?? Infinity) : -Infinity),
    offer,
    collect,
  };
}

function isBetter(index: number, cosine: number, otherIndex: number, otherCosine: number): boolean {
  return cosine > otherCosine || (cosine === otherCosine && index < otherIndex);
}
