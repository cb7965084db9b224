import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATEGORIES, type Candidate, type Edge, ORIGINS } from './memory.ts';
import { planClusters } from './plan.ts';
import { type ClusterPlan, DEEP_WINDOW, type PlanOptions, SLEEP_WINDOW } from './plan-config.ts';
import { AT, candidate, close, DAY, neighbour, relation } from './testing/samples.ts';

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

const pairsAmong = (ids: readonly string[]) =>
  ids.flatMap((a) => ids.filter((b) => b > a).map((b) => ({ a, b })));

/** The groups of all requests, in their order. */
function groupsOf({ clusters }: ClusterPlan): string[][] {
  return clusters.flatMap(({ members, groups = members.map(() => 0) }) =>
    [...new Set(groups)]
      .sort()
      .map((no) => members.flatMap(({ id }, at) => (groups[at] === no ? [id] : [])).sort()),
  );
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
  it('joins what is close in the mean, and relations always', () => {
    const candidates = several(5);
    const edges = [close('m01', 'm02', 0.5), close('m03', 'm04', 0.49), relation('m04', 'm05', 0)];
    const plan = planClusters(candidates, edges, DEEP);
    expect(groupsOf(plan)).toEqual([
      ['m04', 'm05'],
      ['m01', 'm02'],
    ]);
    expect(plan.counts).toMatchObject({
      edges: 3,
      edgesUsed: 3,
      groups: 2,
      singletons: 1,
      clusters: 1,
      members: 4,
    });
  });

  it('counts words and a cosine, which is worth the same at the threshold of any model', () => {
    const candidates = several(2);
    const edgeOf = (cosine: number, words: number): Edge => ({
      ...close('m01', 'm02', words),
      weight: cosine,
    });
    const groups = (edge: Edge, edgeThreshold: number) =>
      planClusters(candidates, [edge], { ...DEEP, edgeThreshold }).counts.clusters;
    for (const threshold of [0.4, 0.75]) {
      expect(groups(edgeOf(threshold, 0.11), threshold)).toBe(1);
      expect(groups(edgeOf(threshold, 0.09), threshold)).toBe(0);
    }
    expect(groups(edgeOf(0.4, 0.11), 0.75)).toBe(0);
    expect(groups(edgeOf(-1, 0.5), 0.75)).toBe(1);
  });

  it('ignores edges to itself, to strangers and without weight, and neighbours, which only tell twins', () => {
    const candidates = several(3);
    const edges = [
      relation('m01', 'm01'),
      relation('m01', 'x'),
      relation('m01', 'm02', Number.NaN),
      neighbour('m01', 'm02', 0.89),
    ];
    expect(planClusters(candidates, edges, DEEP).counts).toMatchObject({ edgesUsed: 0, clusters: 0 });
  });

  it('mixes categories only at night, origins never', () => {
    const mixed = [...several(3), candidate({ id: 'p1', category: 'preference' })];
    expect(idsOf(planClusters(mixed, chainOf(mixed), DEEP))).toEqual([['m01', 'm02', 'm03']]);
    expect(idsOf(planClusters(mixed, chainOf(mixed), SLEEP))).toEqual([['m01', 'm02', 'm03', 'p1']]);
    const origins = [...several(3), candidate({ id: 't1', origin: 'tool' })];
    expect(idsOf(planClusters(origins, chainOf(origins), SLEEP))).toEqual([['m01', 'm02', 'm03']]);
  });
});

describe('groups', () => {
  it('holds a component of 3 to 8 related memories, and never more than 5 of a larger one or of what is close', () => {
    const candidates = several(8);
    expect(groupsOf(planClusters(candidates, chainOf(candidates), DEEP))[0]).toHaveLength(8);
    const many = several(20);
    const closeAll = chainOf(many, (a, b) => close(a, b, 0.9));
    for (const edges of [chainOf(many), closeAll]) {
      const { clusters, counts } = planClusters(many, edges, DEEP);
      for (const { members, groups = members.map(() => 0) } of clusters)
        for (const group of new Set(groups)) {
          const size = groups.filter((one) => one === group).length;
          expect(size >= 2 && size <= 5).toBe(true);
        }
      expect(counts.unionsTooLarge + counts.groups).toBeGreaterThan(3);
      expect(counts.members).toBeGreaterThan(12);
    }
  });

  it('refuses a group beyond 5 of more than 2 categories', () => {
    const two = several(8).map((one, n) => ({ ...one, category: CATEGORIES[n % 2]! }));
    expect(groupsOf(planClusters(two, chainOf(two), SLEEP))[0]).toHaveLength(8);
    const three = several(8).map((one, n) => ({ ...one, category: CATEGORIES[n % 3]! }));
    const sizes = groupsOf(planClusters(three, chainOf(three), SLEEP)).map(({ length }) => length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(5);
  });

  it('joins the closest first', () => {
    const candidates = several(6);
    const edges = [
      close('m03', 'm04', 0.8),
      ...[candidates.slice(0, 3), candidates.slice(3)].flatMap((three) =>
        pairsAmong(three.map(({ id }) => id)).map(({ a, b }) => close(a, b, 0.9)),
      ),
    ];
    // Taken in the order given, the weak link would have torn one of the two apart.
    expect(groupsOf(planClusters(candidates, edges, { ...DEEP, maxGroupSize: 3 }))).toEqual([
      ['m01', 'm02', 'm03'],
      ['m04', 'm05', 'm06'],
    ]);
  });

  describe('partners from outside the window', () => {
    const inside = candidate({ id: 'b' });
    const partners = ['a', 'c', 'd'].map((id) => candidate({ id, prominence: 0.01, isPartner: true }));

    it('join a memory inside the window, and make no group of their own', () => {
      const edges = [close('a', 'b', 0.9), close('c', 'd', 0.9)];
      const plan = planClusters([inside, ...partners], edges, DEEP);
      expect(idsOf(plan)).toEqual([['a', 'b']]);
      expect(plan.counts).toMatchObject({ eligible: 4, outsideWindow: 0, groups: 1 });
    });

    it('of the same words or with another number: neither merged nor a conflict, and apart', () => {
      const texts = ['Owns 3 cats in Cork', 'Owns 4 cats in Cork', 'owns 3 cats in Cork.'];
      const said = texts.map((content, at) =>
        candidate({ id: `m${at}`, content, ...(at === 0 ? {} : { isPartner: true, prominence: 0.01 }) }),
      );
      const edges = pairsAmong(said.map(({ id }) => id)).flatMap(({ a, b }) => [
        close(a, b, 0.95),
        neighbour(a, b, 0.95),
      ]);
      const plan = planClusters(said, edges, DEEP);
      expect(plan.merges).toEqual([]);
      expect(plan.conflictCandidates).toEqual([]);
      expect(plan.counts).toMatchObject({ duplicates: 0, conflictCandidates: 0 });
      expect(idsOf(plan)).toEqual([['m0', 'm2']]);
    });
  });

  it('are asked about again only with a pair that was never offered, in its new company', () => {
    const candidates = several(4);
    const ids = candidates.map(({ id }) => id);
    const edges = pairsAmong(ids).map(({ a, b }) => close(a, b, 0.9));
    const plan = (of: string[]) =>
      planClusters(candidates, edges, {
        ...DEEP,
        offered: pairsAmong(of).map((pair) => ({ ...pair, failed: false })),
      });
    expect(idsOf(plan([]))).toEqual([ids]);
    const all = plan(ids);
    expect(all.clusters).toEqual([]);
    expect(all.counts).toMatchObject({ offeredBefore: 6, groups: 0 });
    // What is new is offered beside what it is close to.
    expect(idsOf(plan(ids.slice(0, 3)))).toEqual([ids]);
  });

  it('of relations are asked about again when one of their pairs is new', () => {
    const candidates = several(4);
    const offered = (of: string[]) => pairsAmong(of).map((pair) => ({ ...pair, failed: false }));
    const plan = (of: string[]) =>
      planClusters(candidates, chainOf(candidates), { ...DEEP, offered: offered(of) });
    expect(idsOf(plan(['m01', 'm02', 'm03']))).toEqual([['m01', 'm02', 'm03', 'm04']]);
    expect(plan(['m01', 'm02', 'm03', 'm04']).clusters).toEqual([]);
  });

  it('known as source sets are left out', () => {
    const candidates = several(6);
    const edges = [...chainOf(candidates.slice(0, 3)), ...chainOf(candidates.slice(3))];
    const isKnownSourceSet = (members: Candidate[]): boolean =>
      members[0]!.id === 'm01' && members.length === 3;
    const plan = planClusters(candidates, edges, { ...DEEP, maxClusters: 1, isKnownSourceSet });
    expect(idsOf(plan)).toEqual([['m04', 'm05', 'm06']]);
    expect(plan.counts).toMatchObject({ knownSets: 1, capped: 0 });
  });
});

describe('requests', () => {
  /** Pairs a1 a2, b1 b2, …, the first ones closest. */
  const pairs = (letters: string, overrides: (letter: string) => Partial<Candidate> = () => ({})) => ({
    candidates: [...letters].flatMap((letter) =>
      ['1', '2'].map((n) => candidate({ id: letter + n, ...overrides(letter) })),
    ),
    edges: [...letters].map((letter, at) => close(`${letter}1`, `${letter}2`, 0.9 - at / 100)),
  });

  it('pack groups closest first, up to 8 memories; a pair alone is a request', () => {
    const { candidates, edges } = pairs('abcdef');
    const plan = planClusters(candidates, [...edges].reverse(), DEEP);
    expect(idsOf(plan)).toEqual([
      ['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2'],
      ['e1', 'e2', 'f1', 'f2'],
    ]);
    expect(plan.clusters[0]!.groups).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    expect(plan.counts).toMatchObject({ groups: 6, clusters: 2, members: 12, capped: 0 });
    const alone = pairs('a');
    const [only] = planClusters(alone.candidates, alone.edges, DEEP).clusters;
    expect(only!.members).toHaveLength(2);
    expect(only).not.toHaveProperty('groups');
  });

  it('have room for groups that are too little close to be worth one', () => {
    const { candidates, edges } = pairs('ab');
    const plan = (least: number) =>
      planClusters(candidates, edges, { ...DEEP, minCloseness: least, fillCloseness: 0.5 });
    expect(idsOf(plan(0.9))).toEqual([['a1', 'a2', 'b1', 'b2']]);
    expect(plan(0.91)).toMatchObject({ clusters: [], counts: { groups: 2, capped: 0 } });
  });

  it('hold one origin, and one category by day', () => {
    const { candidates, edges } = pairs('abc', (letter) =>
      letter === 'b' ? { category: 'preference' } : letter === 'c' ? { origin: 'tool' } : {},
    );
    expect(idsOf(planClusters(candidates, edges, DEEP))).toHaveLength(3);
    expect(idsOf(planClusters(candidates, edges, SLEEP))).toEqual([
      ['a1', 'a2', 'b1', 'b2'],
      ['c1', 'c2'],
    ]);
  });

  it('never hold a pair that must stay apart', () => {
    const { candidates, edges } = pairs('abc');
    const plan = planClusters(candidates, edges, { ...DEEP, apart: [{ a: 'b2', b: 'a1' }] });
    expect(idsOf(plan)).toEqual([
      ['a1', 'a2', 'c1', 'c2'],
      ['b1', 'b2'],
    ]);
  });

  it('begin with the one that may save most, are capped, and the groups without one are counted', () => {
    const { candidates, edges } = pairs('ab', (letter) => ({ category: letter === 'a' ? 'fact' : 'event' }));
    const more = several(4, { category: 'event' });
    const plan = (maxClusters: number) =>
      planClusters(
        [...candidates, ...more],
        [...edges, ...pairsAmong(more.map(({ id }) => id)).map(({ a, b }) => close(a, b, 0.5))],
        {
          ...DEEP,
          maxClusters,
        },
      );
    expect(idsOf(plan(5))).toEqual([
      ['b1', 'b2', 'm01', 'm02', 'm03', 'm04'],
      ['a1', 'a2'],
    ]);
    expect(plan(1).counts).toMatchObject({ clusters: 1, capped: 2 });
  });

  it('that failed, or are known as a whole, are asked about group by group', () => {
    const { candidates, edges } = pairs('abc');
    const failed = planClusters(candidates, edges, {
      ...DEEP,
      offered: [{ a: 'b1', b: 'b2', failed: true }],
    });
    expect(idsOf(failed)).toEqual([
      ['a1', 'a2', 'c1', 'c2'],
      ['b1', 'b2'],
    ]);
    // What only filled the room of a request that failed is asked about as well, though it would open none.
    const offered = [{ a: 'b1', b: 'b2', failed: true }];
    const filled = planClusters(candidates, edges, {
      ...DEEP,
      minCloseness: 0.9,
      fillCloseness: 0.5,
      offered,
    });
    expect(idsOf(filled)).toEqual([
      ['a1', 'a2', 'c1', 'c2'],
      ['b1', 'b2'],
    ]);
    const isKnownSourceSet = (members: Candidate[]): boolean => members.length === 6;
    expect(idsOf(planClusters(candidates, edges, { ...DEEP, isKnownSourceSet }))).toEqual([
      ['a1', 'a2'],
      ['b1', 'b2'],
      ['c1', 'c2'],
    ]);
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
});

describe('twins', () => {
  const may3 = candidate({ id: 'a', content: 'The dentist is on 3 May' });
  const may5 = candidate({ id: 'b', content: 'The dentist is on 5 May' });
  const bridge = candidate({ id: 'c', content: 'Sees a dentist twice a year' });
  const more = candidate({ id: 'd', content: 'Is afraid of dentists' });

  it('reports a pair that differs in a hard atom and keeps it apart, also through a third', () => {
    const edges = [
      neighbour('a', 'b', 0.97),
      close('a', 'b', 0.97),
      close('a', 'c', 0.85),
      close('b', 'c', 0.84),
      relation('c', 'd'),
    ];
    const plan = planClusters([may3, may5, bridge, more], edges, DEEP);
    expect(plan.conflictCandidates).toEqual([{ a: 'a', b: 'b', weight: 0.97, differs: ['date'] }]);
    expect(groupsOf(plan)).toEqual([['c', 'd']]);
    expect(plan.counts.unionsOfTwins).toBeGreaterThan(0);
  });

  it('keeps them apart even when an explicit relation joins them', () => {
    const plan = planClusters(
      [may3, may5, bridge],
      [neighbour('b', 'a', 0.97), relation('a', 'b', 1), relation('b', 'c')],
      DEEP,
    );
    expect(idsOf(plan)).toEqual([['b', 'c']]);
  });

  it('does not look at pairs below 0.9', () => {
    const plan = planClusters(
      [may3, may5, bridge],
      [neighbour('a', 'b', 0.89), close('a', 'b', 0.89), close('b', 'c', 0.8), close('a', 'c', 0.8)],
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
      candidate({ id: 'b', content: 'likes  hiking on Sundays.', confirmations: 1 }),
      candidate({ id: 'c', content: 'Bought hiking boots' }),
      candidate({ id: 'd', content: 'Hiking boots are from Oslo' }),
      candidate({ id: 'e', content: 'Hiking boots cost 90 euros' }),
    ];
    const edges = [
      neighbour('a', 'b', 0.95),
      neighbour('b', 'a', 0.95),
      ...pairsAmong(['b', 'c', 'd', 'e']).map(({ a, b }) => close(a, b, 0.8)),
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
      weight: fc.constantFrom(0.2, 0.5, 0.75, 0.9, 0.95),
      kind: fc.constantFrom(relation, neighbour, close),
    }),
    { maxLength: 120 },
  );

  it('holds every limit, uses no memory twice, keeps twins apart, and does not depend on order', () => {
    fc.assert(
      fc.property(someCandidates, someEdges, fc.boolean(), fc.nat(), (parts, links, night, turn) => {
        const candidates = parts.map((part, n) => candidate({ id: `m${n}`, ...part }));
        const edges = links.map(({ a, b, weight, kind }) => kind(`m${a}`, `m${b}`, weight));
        const options = night ? SLEEP : DEEP;
        const plan = planClusters(candidates, edges, options);
        const used = plan.clusters.flatMap(({ members }) => members.map(({ id }) => id));
        expect(new Set(used).size).toBe(used.length);
        expect(plan.clusters.length).toBeLessThanOrEqual(options.maxClusters);
        for (const { members, groups = members.map(() => 0) } of plan.clusters) {
          const categories = new Set(members.map(({ category }) => category));
          expect(members.length).toBeLessThanOrEqual(8);
          for (const no of new Set(groups)) {
            const group = members.filter((_, at) => groups[at] === no);
            expect(group.length).toBeGreaterThanOrEqual(2);
            expect(group.length).toBeLessThanOrEqual(
              new Set(group.map(({ category }) => category)).size > 2 ? 5 : 8,
            );
          }
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

  it('plans thousands of memories with a dozen edges each', () => {
    const size = 8_000;
    const candidates = Array.from({ length: size }, (_, n) => candidate({ id: `m${n}` }));
    const edges: Edge[] = [];
    for (let n = 0; n < size; n += 1) {
      // Groups of 4, strongly linked inside, and weaker links to the next ones that may not join.
      for (let step = 1; step <= 12; step += 1) {
        const other = (n + step) % size;
        const inside = Math.floor(n / 4) === Math.floor(other / 4);
        edges.push(close(`m${n}`, `m${other}`, inside ? 0.88 : 0.76));
      }
    }
    const plan = planClusters(candidates, edges, { ...DEEP, maxGroupSize: 4, maxClusters: size });
    expect(plan.counts).toMatchObject({
      eligible: size,
      edgesUsed: size * 12,
      groups: size / 4,
      clusters: size / 8,
      members: size,
    });
  });
});

describe('what was said on several days', () => {
  it('keep apart what contradicts on one day, and offer what was said otherwise later', () => {
    const told = (id: string, content: string, documentDay: string) =>
      candidate({ id, content, documentDay });
    const notes = (day: string) => [
      told('a', 'Ana pays 50 euros a month for the studio.', '2025-03-01'),
      told('b', 'Ana pays 80 euros a month for the studio.', day),
      told('c', 'The studio of Ana has a north window.', '2025-03-01'),
      told('d', 'Ana shares the studio with Ben.', '2025-03-01'),
    ];
    const edges = pairsAmong(['a', 'b', 'c', 'd']).flatMap(({ a, b }) => [
      neighbour(a, b, 0.95),
      close(a, b, 0.95),
    ]);
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
      told('c', 'ana has an  old bicycle', '2025-03-09'),
      told('d', 'Ana fell off her bicycle yesterday.', '2025-03-01'),
      told('e', 'Ana fell off her bicycle yesterday.', '2025-03-09'),
      told('f', 'Ana rides on Friday.', '2025-03-01'),
      told('g', 'Ana rides on Friday.', '2025-03-09'),
    ];
    const { merges, conflictCandidates } = planClusters(candidates, [], DEEP);
    expect(merges).toEqual([{ keepId: 'c', dropId: 'a' }]);
    expect(conflictCandidates).toEqual([]);
  });
});
