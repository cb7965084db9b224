import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_FUSION_CONFIG, findFusionClusters } from './cluster.ts';
import type { MemoryEntry, MemoryRelation } from './memory.ts';
import { entry, memoryRelation } from './testing/samples.ts';

function relationsOf(relations: MemoryRelation[]): (id: string) => MemoryRelation[] {
  return (id) => relations.filter(({ sourceId, targetId }) => sourceId === id || targetId === id);
}

function chain(...ids: string[]): MemoryRelation[] {
  return ids.slice(1).map((id, index) => memoryRelation(ids[index]!, id));
}

function idsOf(clusters: MemoryEntry[][]): string[][] {
  return clusters.map((cluster) => cluster.map(({ id }) => id).sort());
}

describe('findFusionClusters', () => {
  const three = ['m1', 'm2', 'm3'].map((id) => entry({ id }));

  it('finds 3 related dormant facts', () => {
    expect(idsOf(findFusionClusters(three, relationsOf(chain('m1', 'm2', 'm3'))))).toEqual([
      ['m1', 'm2', 'm3'],
    ]);
  });

  it('finds nothing in 2 related facts', () => {
    expect(findFusionClusters(three.slice(0, 2), relationsOf(chain('m1', 'm2')))).toEqual([]);
  });

  it('takes the smallest size from the options', () => {
    const options = { minClusterSize: 2 };
    expect(findFusionClusters(three.slice(0, 2), relationsOf(chain('m1', 'm2')), options)).toHaveLength(1);
  });

  it('splits a mixed component by category, and leaves it whole with crossCategory', () => {
    const mixed = [1, 2, 3, 4, 5, 6].map((n) =>
      entry({ id: `m${n}`, category: n < 4 ? 'fact' : 'preference' }),
    );
    const get = relationsOf(chain('m1', 'm2', 'm3', 'm4', 'm5', 'm6'));
    expect(idsOf(findFusionClusters(mixed, get))).toEqual([
      ['m1', 'm2', 'm3'],
      ['m4', 'm5', 'm6'],
    ]);
    expect(findFusionClusters(mixed, get, { crossCategory: true })).toHaveLength(1);
  });

  it.each([
    ['active', { prominence: 0.5 }],
    ['archived', { prominence: 0.0999 }],
    ['derived', { memoryType: 'derived' }],
    ['static profile', { memoryType: 'static_profile' }],
    ['superseded', { memoryType: 'superseded' }],
    ['no longer latest', { isLatest: false }],
    ['without a number for prominence', { prominence: Number.NaN }],
  ] as const)('leaves out what is %s, even as a bridge', (_name, overrides) => {
    const memories = [...three, entry({ id: 'm4', ...overrides }), entry({ id: 'm5' })];
    const get = relationsOf([...chain('m1', 'm2', 'm3'), ...chain('m3', 'm4', 'm5')]);
    expect(idsOf(findFusionClusters(memories, get))).toEqual([['m1', 'm2', 'm3']]);
  });

  it('takes both ends of the window as [min, max)', () => {
    const memories = [0.1, 0.3, 0.4999].map((prominence, index) =>
      entry({ id: `m${index + 1}`, prominence }),
    );
    expect(findFusionClusters(memories, relationsOf(chain('m1', 'm2', 'm3')))).toHaveLength(1);
  });

  it('keeps a dynamic profile in', () => {
    const memories = [...three.slice(0, 2), entry({ id: 'm3', memoryType: 'dynamic_profile' })];
    expect(findFusionClusters(memories, relationsOf(chain('m1', 'm2', 'm3')))).toHaveLength(1);
  });

  it('finds nothing without relations', () => {
    expect(findFusionClusters(three, () => [])).toEqual([]);
    expect(findFusionClusters([], () => [])).toEqual([]);
  });

  it('returns the 5 largest of 10 clusters, largest first', () => {
    const memories: MemoryEntry[] = [];
    const relations: MemoryRelation[] = [];
    for (let cluster = 0; cluster < 10; cluster += 1) {
      const ids = Array.from({ length: 3 + cluster }, (_, n) => `c${cluster}-${n}`);
      memories.push(...ids.map((id) => entry({ id })));
      relations.push(...chain(...ids));
    }
    const sizes = findFusionClusters(memories, relationsOf(relations), { maxClusters: 5 }).map(
      ({ length }) => length,
    );
    expect(sizes).toEqual([12, 11, 10, 9, 8]);
  });

  it('counts a relation that only one end reports', () => {
    const outgoing = chain('m3', 'm2', 'm1');
    const get = (id: string): MemoryRelation[] => outgoing.filter(({ sourceId }) => sourceId === id);
    expect(findFusionClusters(three, get)).toHaveLength(1);
  });

  it('treats an option that is undefined as absent', () => {
    const options = { minClusterSize: undefined, crossCategory: undefined } as unknown as Record<
      string,
      never
    >;
    expect(findFusionClusters(three, relationsOf(chain('m1', 'm2', 'm3')), options)).toHaveLength(1);
  });

  it('has the documented defaults', () => {
    expect(DEFAULT_FUSION_CONFIG).toEqual({
      minClusterSize: 3,
      maxClusters: 5,
      minProminence: 0.1,
      maxProminence: 0.5,
      crossCategory: false,
    });
  });

  it('puts no memory into two clusters and joins whatever is linked, in any order', () => {
    const pairs = fc.array(fc.tuple(fc.nat(19), fc.nat(19)), { maxLength: 40 });
    fc.assert(
      fc.property(pairs, fc.shuffledSubarray([...Array(20).keys()], { minLength: 20 }), (links, order) => {
        const relations = links.map(([a, b]) => memoryRelation(`m${a}`, `m${b}`));
        const memories = order.map((n) => entry({ id: `m${n}` }));
        const clusters = findFusionClusters(memories, relationsOf(relations), { maxClusters: 100 });
        const all = clusters.flat().map(({ id }) => id);
        expect(new Set(all).size).toBe(all.length);
        const clusterOf = new Map(clusters.flatMap((cluster, index) => cluster.map(({ id }) => [id, index])));
        for (const [a, b] of links) expect(clusterOf.get(`m${a}`)).toBe(clusterOf.get(`m${b}`));
      }),
    );
  });
});
