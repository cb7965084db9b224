import fc from 'fast-check';
import { expect, it } from 'vitest';
import { groupBy, inPages } from './pages.ts';

async function listOf<T>(pages: AsyncIterable<T[]>): Promise<T[][]> {
  const list: T[][] = [];
  for await (const page of pages) list.push(page);
  return list;
}

it('pages are full but for the last one, and hold everything in its order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat()), fc.integer({ min: 1, max: 9 }), async (items, size) => {
      const pages = await listOf(inPages(items, size));
      expect(pages.flat()).toEqual(items);
      expect(pages.map(({ length }) => length).slice(0, -1)).toEqual(pages.slice(0, -1).map(() => size));
      expect(pages).toHaveLength(Math.ceil(items.length / size));
    }),
  );
});

it('a page is made when it is asked for, and whoever stops closes the source', async () => {
  const seen: string[] = [];
  async function* source() {
    try {
      for (let n = 1; ; n += 1) {
        seen.push(`made ${n}`);
        yield n;
      }
    } finally {
      seen.push('closed');
    }
  }
  for await (const page of inPages(source(), 2)) {
    seen.push(`page ${page.join()}`);
    if (page.includes(4)) break;
  }
  expect(seen).toEqual(['made 1', 'made 2', 'page 1,2', 'made 3', 'made 4', 'page 3,4', 'closed']);
});

it('what came before the source broke off is handed out, and then its error', async () => {
  async function* source() {
    yield* [1, 2, 3];
    throw new Error('broke off');
  }
  const pages: number[][] = [];
  await expect(
    (async () => {
      for await (const page of inPages(source(), 2)) pages.push(page);
    })(),
  ).rejects.toThrow('broke off');
  expect(pages).toEqual([[1, 2], [3]]);
});

it('groups keep the order of their first ones, and within them the order of all', () => {
  expect([...groupBy(['b1', 'a1', 'b2', 'a2', 'c1'], (text) => text[0])]).toEqual([
    ['b', ['b1', 'b2']],
    ['a', ['a1', 'a2']],
    ['c', ['c1']],
  ]);
});
