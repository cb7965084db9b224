/**
 * Hands out what comes one by one in pages, in its order. The next page is asked for when somebody is done with this one; whoever stops
 * early closes the source. Where it breaks off, what came before is a page of its own, and then comes the error.
 * @param size at most so many of a page, from 1
 */
export async function* inPages<T>(
  source: AsyncIterable<T> | Iterable<T>,
  size: number,
): AsyncGenerator<T[], void, void> {
  let page: T[] = [];
  let broken: { error: unknown } | null = null;
  try {
    for await (const one of source) {
      page.push(one);
      if (page.length < size) continue;
      const full = page;
      page = [];
      yield full;
    }
  } catch (error) {
    broken = { error };
  }
  if (page.length > 0) yield page;
  if (broken) throw broken.error;
}

/** What belongs together, in the order in which the first of each came. */
export function groupBy<T, Key>(items: Iterable<T>, keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
