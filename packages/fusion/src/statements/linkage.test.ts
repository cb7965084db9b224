import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JoinRule, Link } from '../components.ts';
import { inOneGo } from '../slices.ts';
import { joinClosest } from './linkage.ts';

const atMost =
  (limit: number): JoinRule =>
  (one, other) =>
    one.length + other.length <= limit;
const groupsOf = (size: number, links: readonly Link[], mayJoin: JoinRule = () => true): number[][] => {
  const groups = inOneGo(joinClosest(size, links, mayJoin));
  const roots = [...new Set(Array.from({ length: size }, (_, node) => groups.find(node)))];
  return roots.map((root) => [...groups.membersOf(root)].sort((a, b) => a - b)).sort((a, b) => a[0]! - b[0]!);
};
const link = (a: number, b: number, weight: number): Link => ({ a, b, weight });

describe('joining the closest', () => {
  it('keeps pairs together that a chain of neighbours would cut apart', () => {
    const links = [link(0, 1, 0.9), link(1, 2, 0.85), link(2, 3, 0.8)];
    expect(groupsOf(4, links, atMost(3))).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(groupsOf(4, links, atMost(4))).toEqual([[0, 1, 2, 3]]);
  });

  it('prefers the group that is near as a whole to the one with a near member', () => {
    const links = [link(0, 1, 0.95), link(2, 3, 0.95), link(1, 4, 0.9), link(2, 4, 0.8), link(3, 4, 0.8)];
    expect(groupsOf(5, links, atMost(3))).toEqual([
      [0, 1],
      [2, 3, 4],
    ]);
  });

  it('counts the strongest link of a pair, and none of a node with itself', () => {
    expect(
      groupsOf(3, [link(0, 1, 0.2), link(0, 1, 0.9), link(1, 2, 0.5), link(2, 2, 1)], atMost(2)),
    ).toEqual([[0, 1], [2]]);
  });

  it('leaves apart what may not be joined, however near, and joins the rest', () => {
    const enemies: JoinRule = (one, other) =>
      !([...one, ...other].includes(0) && [...one, ...other].includes(1));
    expect(groupsOf(3, [link(0, 1, 1), link(1, 2, 0.5), link(0, 2, 0.4)], enemies)).toEqual([[0], [1, 2]]);
  });

  const graphs = fc.integer({ min: 1, max: 30 }).chain((size) =>
    fc.record({
      size: fc.constant(size),
      limit: fc.integer({ min: 1, max: 8 }),
      links: fc.array(
        fc.record({
          a: fc.nat(size - 1),
          b: fc.nat(size - 1),
          weight: fc.double({ min: 0.05, max: 1, noNaN: true }),
        }),
        { maxLength: 120 },
      ),
    }),
  );

  it('puts every node into one group within the limit, in whatever order the links come', () => {
    fc.assert(
      fc.property(graphs, ({ size, limit, links }) => {
        const groups = groupsOf(size, links, atMost(limit));
        expect(groups.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, node) => node));
        for (const group of groups) expect(group.length).toBeLessThanOrEqual(limit);
        expect(groupsOf(size, [...links].reverse(), atMost(limit))).toEqual(groups);
      }),
    );
  });

  it('leaves no two linked groups that might still be joined', () => {
    fc.assert(
      fc.property(graphs, ({ size, limit, links }) => {
        const groups = groupsOf(size, links, atMost(limit));
        const at = new Map(groups.flatMap((group, place) => group.map((node) => [node, place] as const)));
        for (const { a, b } of links) {
          const [one, other] = [at.get(a)!, at.get(b)!];
          if (one !== other) expect(groups[one]!.length + groups[other]!.length).toBeGreaterThan(limit);
        }
      }),
    );
  });

  it('takes work that grows with the links', () => {
    const size = 20_000;
    const links = Array.from({ length: size * 10 }, (_, at) =>
      link(at % size, (at * 7 + 1) % size, ((at * 31) % 97) / 100 + 0.03),
    );
    let joins = 0;
    inOneGo(
      joinClosest(size, links, (one, other) => {
        joins += 1;
        return one.length + other.length <= 8;
      }),
    );
    expect(joins).toBeLessThan(20 * links.length);
  });
});
