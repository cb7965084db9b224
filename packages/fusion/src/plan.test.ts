import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATEGORIES, type Candidate, type Edge, ORIGINS } from './memory.ts';
import { planClusters } from './plan.ts';
import { type ClusterPlan, DEEP_WINDOW, type PlanOptions, SLEEP_WINDOW } from './plan-config.ts';
import { AT, candidate, DAY, neighbour, relation } from './testing/samples.ts';

const DEEP: PlanOptions = { ...DEEP_WINDOW, at: AT };
const SLEEP: PlanOptions = { ...SLEEP_WINDOW, at: AT };

function several(count: number, overrides: Partial<Candidate> = {}): Candidate[] {
  return Array.from({ length: count }, (_, n) =>
    candidate({ id: `m${String(n + 1).padStart(2, '0')}`, ...overrides }),
  );
}

function chainOf(candidates: Candidate[], link: (a: string, b: string) => Edge = relation): Edge[] {
  return candidates.slice(1).map(({ id }, index) => link(candidates[index]!.id, id));
}

function idsOf(plan: ClusterPlan): string[][] {
  return plan.clusters.map(({ members }) => members.map(({ id }) => id).sort());
}

describe('who may be in a cluster', () => {
  it.each([
    ['notEligible', { memoryType: 'static_profile' }],
    ['notEligible', { memoryType: 'derived' }],
    ['notEligible', { memoryType: 'superseded' }],
    ['outsideWindow', { prominence: 0.5 }],
    ['outsideWindow', { prominence: 0.09 }],
    ['outsideWindow', { prominence: Number.NaN }],
    ['tooLong', { content: 'x'.repeat(8_001) }],
  ] as const)('counts as %s what is (%#) and leaves it out', (count, overrides) => {
    const candidates = [...several(3), candidate({ id: 'odd', ...overrides })];
    const plan = planClusters(candidates, chainOf(candidates), DEEP);
    expect(idsOf(plan)).toEqual([['m01', 'm02', 'm03']]);
    expect(plan.counts).toMatchObject({ considered: 4, eligible: 3, [count]: 1, clusters: 1, members: 3 });
  });

  it('leaves what is younger than a day to the day, but not in the deep window', () => {
    const candidates = several(3, { createdAt: AT - DAY + 1 });
    expect(planClusters(candidates, chainOf(candidates), SLEEP).counts).toMatchObject({
      tooYoung: 3,
      clusters: 0,
    });
    expect(planClusters(candidates, chainOf(candidates), DEEP).counts).toMatchObject({
      tooYoung: 0,
      clusters: 1,
    });
    const older = several(3, { createdAt: AT - DAY });
    expect(planClusters(older, chainOf(older), SLEEP).counts.clusters).toBe(1);
  });

  it('has the wider window at night', () => {
    const candidates = [0.05, 0.6, 0.79].map((prominence, n) => candidate({ id: `m${n}`, prominence }));
    expect(planClusters(candidates, chainOf(candidates), SLEEP).counts.clusters).toBe(1);
  });

  it('takes one of two candidates with the same id, the newer version', () => {
    const candidates = [candidate({ id: 'm01', version: 2 }), ...several(3)];
    const plan = planClusters(candidates, chainOf(several(3)), DEEP);
    expect(plan.clusters[0]!.members.find(({ id }) => id === 'm01')!.version).toBe(2);
    expect(plan.counts).toMatchObject({ eligible: 3, notEligible: 1 });
  });
});

describe('edges', () => {
  it('takes neighbours from the threshold on and relations always', () => {
    const candidates = several(4);
    const edges = [
      neighbour('m01', 'm02', 0.75),
      neighbour('m02', 'm03', 0.7499),
      relation('m03', 'm02', 0.1),
    ];
    expect(idsOf(planClusters(candidates, edges, DEEP))).toEqual([['m01', 'm02', 'm03']]);
    const weaker = [neighbour('m01', 'm02', 0.75), neighbour('m02', 'm03', 0.7499)];
    const plan = planClusters(candidates, weaker, DEEP);
    expect(plan.counts).toMatchObject({ edges: 2, edgesUsed: 1, tooSmall: 1, singletons: 2, clusters: 0 });
  });

  it('takes another threshold for another embedding model', () => {
    const candidates = several(3);
    const edges = chainOf(candidates, (a, b) => neighbour(a, b, 0.6));
    expect(planClusters(candidates, edges, { ...DEEP, edgeThreshold: 0.55 }).clusters).toHaveLength(1);
  });

  it('ignores edges to itself, to strangers and without weight', () => {
    const candidates = several(3);
    const edges = [relation('m01', 'm01'), relation('m01', 'x'), relation('m01', 'm02', Number.NaN)];
    expect(planClusters(candidates, edges, DEEP).counts.edgesUsed).toBe(0);
  });

  it('mixes categories only at night, origins never', () => {
    const mixed = [...several(3), candidate({ id: 'p1', category: 'preference' })];
    expect(idsOf(planClusters(mixed, chainOf(mixed), DEEP))).toEqual([['m01', 'm02', 'm03']]);
    expect(idsOf(planClusters(mixed, chainOf(mixed), SLEEP))).toEqual([['m01', 'm02', 'm03', 'p1']]);
    const origins = [...several(3), candidate({ id: 't1', origin: 'tool' })];
    expect(idsOf(planClusters(origins, chainOf(origins), SLEEP))).toEqual([['m01', 'm02', 'm03']]);
  });
});

describe('sizes', () => {
  it('refuses a union beyond 8, so that a chain breaks into clusters', () => {
    const candidates = several(20);
    const plan = planClusters(candidates, chainOf(candidates), DEEP);
    expect(plan.clusters.every(({ members }) => members.length <= 8)).toBe(true);
    expect(plan.counts.members).toBeGreaterThan(12);
    expect(plan.counts.unionsTooLarge).toBeGreaterThan(0);
  });

  it('refuses a union beyond 5 of more than 2 categories', () => {
    const two = several(8).map((one, n) => ({ ...one, category: CATEGORIES[n % 2]! }));
    expect(planClusters(two, chainOf(two), SLEEP).clusters[0]!.members).toHaveLength(8);
    const three = several(8).map((one, n) => ({ ...one, category: CATEGORIES[n % 3]! }));
    const sizes = planClusters(three, chainOf(three), SLEEP).clusters.map(({ members }) => members.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(5);
  });

  it('joins the strongest links first', () => {
    const [left, right] = [
      several(5),
      several(5).map((one) => ({ ...one, id: `z${one.id}`, content: `z ${one.content}` })),
    ];
    const strong = [
      ...chainOf(left, (a, b) => neighbour(a, b, 0.85)),
      ...chainOf(right, (a, b) => neighbour(a, b, 0.85)),
    ];
    const plan = planClusters([...left, ...right], [neighbour('m05', 'zm01', 0.8), ...strong], DEEP);
    // Taken in the order given, the weak link would have torn one of the two apart.
    expect(idsOf(plan)).toEqual([left.map(({ id }) => id), right.map(({ id }) => id)]);
  });

  it('orders clusters by size, weight and id, caps them and counts the rest', () => {
    const groups = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) =>
      several(letter === 'f' ? 4 : 3).map((one) => ({
        ...one,
        id: letter + one.id,
        content: `${letter} ${one.content}`,
      })),
    );
    const edges = groups.flatMap((group, n) => chainOf(group, (a, b) => relation(a, b, n === 3 ? 0.9 : 0.5)));
    const plan = planClusters(groups.flat(), edges, DEEP);
    expect(plan.clusters.map(({ members }) => members[0]!.id[0])).toEqual(['f', 'd', 'a', 'b', 'c']);
    expect(plan.counts).toMatchObject({ clusters: 5, capped: 1, members: 16 });
  });

  it('sorts members by document date and id, and keeps at most 3 relations each', () => {
    const candidates = several(8).map((one, n) => ({ ...one, documentDate: AT - (n % 2) * DAY }));
    const edges = candidates.flatMap(({ id: a }) =>
      candidates.filter(({ id: b }) => a < b).map(({ id: b }) => relation(a, b, a === 'm01' ? 0.9 : 0.5)),
    );
    const [cluster] = planClusters(candidates, edges, DEEP).clusters;
    expect(cluster!.members.map(({ id }) => id)).toEqual([
      'm02',
      'm04',
      'm06',
      'm08',
      'm01',
      'm03',
      'm05',
      'm07',
    ]);
    const perMember = new Map<string, number>();
    for (const { a, b } of cluster!.relations) {
      for (const id of [a, b]) perMember.set(id, (perMember.get(id) ?? 0) + 1);
    }
    expect(Math.max(...perMember.values())).toBe(3);
    const weights = cluster!.relations.map(({ weight }) => weight);
    expect(weights).toEqual([...weights].sort((one, other) => other - one));
  });

  it('drops known source sets before the cap', () => {
    const candidates = several(6);
    const edges = [...chainOf(candidates.slice(0, 3)), ...chainOf(candidates.slice(3))];
    const isKnownSourceSet = (members: Candidate[]): boolean => members[0]!.id === 'm01';
    const plan = planClusters(candidates, edges, { ...DEEP, maxClusters: 1, isKnownSourceSet });
    expect(idsOf(plan)).toEqual([['m04', 'm05', 'm06']]);
    expect(plan.counts).toMatchObject({ knownSets: 1, capped: 0 });
  });
});

describe('twins', () => {
  const may3 = candidate({ id: 'a', content: 'The dentist is on 3 May' });
  const may5 = candidate({ id: 'b', content: 'The dentist is on 5 May' });
  const bridge = candidate({ id: 'c', content: 'Sees a dentist twice a year' });
  const more = candidate({ id: 'd', content: 'Is afraid of dentists' });

  it('reports a pair that differs in a hard atom and keeps it apart, also through a third', () => {
    const edges = [
      neighbour('a', 'b', 0.97),
      neighbour('a', 'c', 0.85),
      neighbour('b', 'c', 0.84),
      relation('c', 'd'),
    ];
    const plan = planClusters([may3, may5, bridge, more], edges, DEEP);
    expect(plan.conflictCandidates).toEqual([{ a: 'a', b: 'b', weight: 0.97, differs: ['date'] }]);
    expect(idsOf(plan)).toEqual([['a', 'c', 'd']]);
    expect(plan.counts.unionsOfTwins).toBeGreaterThan(0);
  });

  it('keeps them apart even when an explicit relation joins them', () => {
    const plan = planClusters(
      [may3, may5, bridge],
      [neighbour('b', 'a', 0.97), relation('a', 'b', 1), relation('b', 'c')],
      DEEP,
    );
    expect(plan.clusters).toEqual([]);
  });

  it('does not look at pairs below 0.9', () => {
    const plan = planClusters(
      [may3, may5, bridge],
      [neighbour('a', 'b', 0.89), neighbour('b', 'c', 0.8)],
      DEEP,
    );
    expect(plan.conflictCandidates).toEqual([]);
    expect(idsOf(plan)).toEqual([['a', 'b', 'c']]);
  });

  it.each([
    ['number', 'Takes 5 mg a day', 'Takes 10 mg a day'],
    ['name', 'Ann likes tea', 'Bob likes tea'],
    ['negation', 'Is allergic to penicillin', 'Is not allergic to penicillin'],
    ['time', 'Wakes up at 6:30', 'Wakes up at 7:30'],
    ['email', 'Writes from ann@example.com', 'Writes from bob@example.com'],
  ] as const)('tells twins apart by %s', (kind, one, other) => {
    const plan = planClusters(
      [candidate({ id: 'a', content: one }), candidate({ id: 'b', content: other })],
      [neighbour('a', 'b', 0.95)],
      DEEP,
    );
    expect(plan.conflictCandidates.map(({ differs }) => differs)).toEqual([[kind]]);
  });

  describe('duplicates', () => {
    const candidates = [
      candidate({ id: 'a', content: 'Likes hiking on Sundays' }),
      candidate({ id: 'b', content: 'likes hiking on sundays.', confirmations: 1 }),
      candidate({ id: 'c', content: 'Bought hiking boots' }),
      candidate({ id: 'd', content: 'Hiking boots are from Oslo' }),
      candidate({ id: 'e', content: 'Hiking boots cost 90 euros' }),
    ];
    const edges = [
      neighbour('a', 'b', 0.95),
      neighbour('b', 'a', 0.95),
      neighbour('b', 'c', 0.8),
      neighbour('c', 'd', 0.8),
      neighbour('d', 'e', 0.8),
    ];

    it('are merged in pairs and stay out of the clusters of the plan', () => {
      const plan = planClusters(candidates, edges, DEEP);
      expect(plan.duplicates).toEqual([{ a: 'a', b: 'b', weight: 1, differs: [] }]);
      expect(plan.merges).toEqual([{ keepId: 'b', dropId: 'a' }]);
      expect(plan.counts).toMatchObject({ duplicates: 1, merges: 1, conflictCandidates: 0, clusters: 1 });
      expect(idsOf(plan)).toEqual([['c', 'd', 'e']]);
    });

    it.each([
      ['whose disagreement is not settled', { apart: [{ a: 'b', b: 'a' }] }],
      ['that were undone or wait', { isKnownSourceSet: (members: unknown[]) => members.length === 2 }],
    ])('are not merged, and may be fused, %s', (_why, options) => {
      const plan = planClusters(candidates, edges, { ...DEEP, ...options });
      expect(plan.merges).toEqual([]);
      expect(plan.counts.merges).toBe(0);
      expect(plan.clusters.some(({ members }) => members.some(({ id }) => id === 'b'))).toBe(true);
    });
  });

  it('sees no conflict in a wording that only says more', () => {
    const candidates = [
      candidate({ id: 'a', content: 'Lives in Dublin' }),
      candidate({ id: 'b', content: 'Lives in Dublin with Ann since 2020' }),
    ];
    const plan = planClusters(candidates, [neighbour('a', 'b', 0.95)], DEEP);
    expect(plan.counts).toMatchObject({ conflictCandidates: 0, duplicates: 0 });
  });
});

describe('properties', () => {
  const contents = [
    'Ann likes 3 cats',
    'Ann likes 4 cats',
    'Ann does not like cats',
    'Bob likes 3 cats',
    'likes cats',
  ];
  const someCandidates = fc.array(
    fc.record({
      category: fc.constantFrom(...CATEGORIES),
      origin: fc.constantFrom(...ORIGINS.slice(0, 2)),
      prominence: fc.double({ min: 0, max: 1, noNaN: true }),
      content: fc.constantFrom(...contents),
      documentDate: fc.nat(3),
    }),
    { maxLength: 40 },
  );
  const someEdges = fc.array(
    fc.record({
      a: fc.nat(39),
      b: fc.nat(39),
      weight: fc.constantFrom(0.5, 0.74, 0.75, 0.8, 0.9, 0.95),
      isRelation: fc.boolean(),
    }),
    { maxLength: 120 },
  );

  it('holds every limit, uses no memory twice, keeps twins apart, and does not depend on order', () => {
    fc.assert(
      fc.property(someCandidates, someEdges, fc.boolean(), fc.nat(), (parts, links, night, turn) => {
        const candidates = parts.map((part, n) => candidate({ id: `m${n}`, ...part }));
        const edges = links.map(({ a, b, weight, isRelation }) =>
          isRelation ? relation(`m${a}`, `m${b}`, weight) : neighbour(`m${a}`, `m${b}`, weight),
        );
        const options = night ? SLEEP : DEEP;
        const plan = planClusters(candidates, edges, options);
        const used = plan.clusters.flatMap(({ members }) => members.map(({ id }) => id));
        expect(new Set(used).size).toBe(used.length);
        expect(plan.clusters.length).toBeLessThanOrEqual(options.maxClusters);
        for (const { members } of plan.clusters) {
          const categories = new Set(members.map(({ category }) => category));
          expect(members.length).toBeGreaterThanOrEqual(3);
          expect(members.length).toBeLessThanOrEqual(categories.size > 2 ? 5 : 8);
          expect(new Set(members.map(({ origin }) => origin)).size).toBe(1);
          if (!night) expect(categories.size).toBe(1);
          const ids = new Set(members.map(({ id }) => id));
          for (const { a, b } of plan.conflictCandidates) expect(ids.has(a) && ids.has(b)).toBe(false);
        }
        const { notEligible, outsideWindow, tooYoung, tooLong, eligible, considered } = plan.counts;
        expect(notEligible + outsideWindow + tooYoung + tooLong + eligible).toBe(considered);
        const turned = <T>(list: T[]): T[] =>
          [...list.slice(turn % (list.length || 1)), ...list.slice(0, turn % (list.length || 1))].reverse();
        expect(planClusters(turned(candidates), turned(edges), options)).toEqual(plan);
      }),
      { numRuns: 300 },
    );
  });

  it('plans 50,000 memories with 600,000 edges', () => {
    const size = 50_000;
    const candidates = Array.from({ length: size }, (_, n) => candidate({ id: `m${n}` }));
    const edges: Edge[] = [];
    for (let n = 0; n < size; n += 1) {
      // Groups of 8, strongly linked inside, and weaker links to the next group that may not join.
      for (let step = 1; step <= 12; step += 1) {
        const other = (n + step) % size;
        const inside = Math.floor(n / 8) === Math.floor(other / 8);
        edges.push(neighbour(`m${n}`, `m${other}`, inside ? 0.88 : 0.76));
      }
    }
    const plan = planClusters(candidates, edges, { ...DEEP, maxClusters: size });
    expect(plan.counts).toMatchObject({
      eligible: size,
      edgesUsed: 600_000,
      clusters: size / 8,
      members: size,
    });
  });
});

describe('clusters that are asked for statements', () => {
  const offeredAmong = (ids: readonly string[]) =>
    ids.flatMap((a) => ids.filter((b) => b > a).map((b) => ({ a, b })));

  it('offers no pair twice: a cluster needs as many members as ever with a pair that is new', () => {
    const candidates = several(4);
    const edges = offeredAmong(candidates.map(({ id }) => id)).map(({ a, b }) => relation(a, b));
    const plan = (offered: PlanOptions['offered']) =>
      planClusters(candidates, edges, { ...DEEP, ...(offered ? { offered } : {}) });
    expect(idsOf(plan(undefined))).toEqual([['m01', 'm02', 'm03', 'm04']]);
    const all = plan(offeredAmong(['m01', 'm02', 'm03', 'm04']));
    expect(all.clusters).toEqual([]);
    expect(all.counts).toMatchObject({ offeredBefore: 1 });
    // What is new is offered beside what it is close to.
    expect(idsOf(plan(offeredAmong(['m01', 'm02', 'm03'])))).toEqual([['m01', 'm02', 'm03', 'm04']]);
  });

  it('keeps what is closest together, where a chain would cut it apart', () => {
    const ids = Array.from({ length: 10 }, (_, n) => `m${String(n).padStart(2, '0')}`);
    const candidates = ids.map((id, n) => candidate({ id, documentDate: AT - (20 - n) * DAY }));
    const tight = offeredAmong(ids.slice(5, 8)).map(({ a, b }) => neighbour(a, b, 0.9));
    const chain = ids.slice(1).map((id, at) => neighbour(ids[at]!, id, 0.8));
    const clusters = idsOf(planClusters(candidates, [...chain, ...tight], DEEP));
    expect(clusters.some((cluster) => ['m05', 'm06', 'm07'].every((id) => cluster.includes(id)))).toBe(true);
  });

  it('keep apart what contradicts on one day, and offer what was said otherwise later', () => {
    const told = (id: string, content: string, documentDay: string) =>
      candidate({ id, content, documentDay });
    const notes = (day: string) => [
      told('a', 'Ana pays 50 euros a month for the studio.', '2025-03-01'),
      told('b', 'Ana pays 80 euros a month for the studio.', day),
      told('c', 'The studio of Ana has a north window.', '2025-03-01'),
      told('d', 'Ana shares the studio with Ben.', '2025-03-01'),
    ];
    const edges = offeredAmong(['a', 'b', 'c', 'd']).map(({ a, b }) => neighbour(a, b, 0.95));
    const sameDay = planClusters(notes('2025-03-01'), edges, DEEP);
    expect(sameDay.conflictCandidates.map(({ a, b }) => [a, b])).toEqual([['a', 'b']]);
    for (const ids of idsOf(sameDay)) expect(ids.includes('a') && ids.includes('b')).toBe(false);
    const later = planClusters(notes('2025-05-09'), edges, DEEP);
    expect(later.conflictCandidates).toEqual([]);
    expect(idsOf(later)).toEqual([['a', 'b', 'c', 'd']]);
  });

  it('merges the same words alone, and never the same "yesterday" of two days', () => {
    const told = (id: string, content: string, documentDay: string) =>
      candidate({ id, content, documentDay });
    const candidates = [
      told('a', 'Ana has an old bicycle.', '2025-03-01'),
      told('b', 'ana has the old bicycle', '2025-03-09'),
      told('c', 'Ana has an old bicycle!', '2025-03-09'),
      told('d', 'Ana fell off her bicycle yesterday.', '2025-03-01'),
      told('e', 'Ana fell off her bicycle yesterday.', '2025-03-09'),
      told('f', 'Ana rides on Friday.', '2025-03-01'),
      told('g', 'Ana rides on Friday.', '2025-03-09'),
    ];
    const { merges, conflictCandidates } = planClusters(candidates, [], DEEP);
    expect(merges.map(({ keepId, dropId }) => [keepId, dropId].sort())).toEqual([['a', 'c']]);
    expect(conflictCandidates).toEqual([]);
  });
});
