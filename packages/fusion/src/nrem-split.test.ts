import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Link } from './components.ts';
import { type Split, splitGroup } from './nrem-split.ts';

const BOUNDS = { minSize: 3, maxSize: 5 };

function link(a: number, b: number, weight = 0.8): Link {
  return { a, b, weight };
}

function chain(size: number): Link[] {
  return Array.from({ length: size - 1 }, (_, node) => link(node, node + 1));
}

function star(rays: number): Link[] {
  return Array.from({ length: rays }, (_, node) => link(0, node + 1));
}

function complete(size: number): Link[] {
  return Array.from({ length: size }, (_, a) =>
    Array.from({ length: size - a - 1 }, (_, b) => link(a, a + b + 1)),
  ).flat();
}

function sizes({ parts }: Split): number[] {
  return parts.map(({ length }) => length);
}

function isConnected(part: number[], links: Link[]): boolean {
  const reached = new Set([part[0]!]);
  for (const node of reached) {
    for (const { a, b } of links) {
      const next = a === node ? b : b === node ? a : null;
      if (next !== null && part.includes(next)) reached.add(next);
    }
  }
  return reached.size === part.length;
}

function shareNeighbour(part: number[], links: Link[], size: number): boolean {
  return Array.from({ length: size }, (_, node) => node).some((centre) =>
    part.every((node) =>
      links.some(({ a, b }) => (a === centre && b === node) || (b === centre && a === node)),
    ),
  );
}

describe('splitGroup', () => {
  it.each([6, 7, 8, 9, 10, 11, 12, 13, 15, 40])('leaves nothing of a chain of %d out', (size) => {
    const split = splitGroup(size, chain(size), BOUNDS);
    expect(split.leftOut).toEqual([]);
    for (const part of split.parts) expect(isConnected(part, chain(size))).toBe(true);
  });

  it.each([
    [6, [3, 3]],
    [8, [4, 4]],
    [10, [5, 5]],
  ])('cuts %d that are all linked into %j', (size, expected) => {
    expect(sizes(splitGroup(size, complete(size), BOUNDS))).toEqual(expected);
  });

  it('starts at the end of a chain, wherever its first node stands', () => {
    // 2 1 0 3 4 5
    const links = [link(2, 1), link(1, 0), link(0, 3), link(3, 4), link(4, 5)];
    expect(splitGroup(6, links, BOUNDS)).toEqual({
      parts: [
        [0, 1, 2],
        [3, 4, 5],
      ],
      leftOut: [],
    });
    expect(splitGroup(6, links, { minSize: 4, maxSize: 5 }).leftOut).toHaveLength(1);
  });

  it.each([
    ['what fell off several parts hangs together', '10 21 31 40 52 64 73 15 72'],
    ['a small branch fills the part above it', '10 20 30 41 53 62 76'],
  ])('leaves nothing out of eight when %s', (_name, pairs) => {
    const links = pairs.split(' ').map(([a, b]) => link(Number(a), Number(b)));
    const split = splitGroup(8, links, BOUNDS);
    expect(sizes(split)).toEqual([5, 3]);
    for (const part of split.parts) expect(isConnected(part, links)).toBe(true);
  });

  it('keeps together what is linked most strongly', () => {
    const [left, right] = [
      [0, 2, 4],
      [1, 3, 5],
    ];
    const strong = [left!, right!].flatMap(([a, b, c]) => [link(a!, b!, 0.9), link(b!, c!, 0.9)]);
    const weak = complete(6).map(({ a, b }) => link(a, b, 0.2));
    expect(splitGroup(6, [...weak, ...strong], BOUNDS).parts).toEqual([left, right]);
  });

  it('puts rays of a star together by their centre', () => {
    const split = splitGroup(8, star(7), BOUNDS);
    expect(sizes(split)).toEqual([5, 3]);
    expect(split.leftOut).toEqual([]);
  });

  it('counts what is too little for a part of its own as left out', () => {
    // Of the centre's six rays two remain.
    const split = splitGroup(7, star(6), { minSize: 3, maxSize: 4 });
    expect(split.parts.flat().length + split.leftOut.length).toBe(7);
    expect(sizes(split)).toEqual([4, 3]);
    expect(splitGroup(6, star(5), { minSize: 4, maxSize: 4 })).toEqual({
      parts: [[0, 1, 2, 3]],
      leftOut: [4, 5],
    });
  });

  it('finds no part where the bounds allow none', () => {
    expect(splitGroup(3, chain(3), { minSize: 6, maxSize: 5 })).toEqual({ parts: [], leftOut: [0, 1, 2] });
    expect(splitGroup(3, [], BOUNDS)).toEqual({ parts: [], leftOut: [0, 1, 2] });
    expect(splitGroup(0, [], BOUNDS)).toEqual({ parts: [], leftOut: [] });
  });

  it('keeps to the bounds, uses each node once, and loses few', () => {
    const graph = fc.integer({ min: 1, max: 40 }).chain((size) =>
      fc.tuple(
        fc.constant(size),
        fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1), fc.double({ min: 0, max: 1, noNaN: true })), {
          maxLength: 2 * size,
        }),
        // A tree below it all, so that the group is one.
        fc.array(fc.nat(1_000), { minLength: size, maxLength: size }),
      ),
    );
    const bounds = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 8 }));
    let nodes = 0;
    let lost = 0;
    fc.assert(
      fc.property(graph, bounds, ([size, extra, parents], [minSize, maxSize]) => {
        const tree = parents.slice(1).map((parent, index) => link(index + 1, parent % (index + 1)));
        const links = [...tree, ...extra.map(([a, b, weight]) => link(a, b, weight))];
        const { parts, leftOut } = splitGroup(size, links, { minSize, maxSize });
        expect([...parts.flat(), ...leftOut].sort((a, b) => a - b)).toEqual([...Array(size).keys()]);
        for (const part of parts) {
          expect(part.length).toBeGreaterThanOrEqual(minSize);
          expect(part.length).toBeLessThanOrEqual(maxSize);
          expect(isConnected(part, links) || shareNeighbour(part, links, size)).toBe(true);
        }
        if (minSize === 3 && maxSize >= 5 && size >= 3) {
          nodes += size;
          lost += leftOut.length;
        }
      }),
      { seed: 7, numRuns: 400 },
    );
    expect(lost / nodes).toBeLessThan(0.1);
  });

  it('takes a long group in one go', () => {
    const split = splitGroup(20_000, chain(20_000), BOUNDS);
    expect(split.parts.flat().length + split.leftOut.length).toBe(20_000);
    expect(split.leftOut.length).toBeLessThan(5);
  });
});
