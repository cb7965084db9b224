import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATEGORIES, type Edge } from '../memory.ts';
import { AT, neighbour, relation } from '../testing/samples.ts';
import { DEFAULT_REM_CONFIG, type RemNode } from './config.ts';
import { planRem, type RemOptions } from './plan.ts';
import { createRandom } from './random.ts';

function node(id: string, overrides: Partial<RemNode> = {}): RemNode {
  return {
    id,
    version: 1,
    content: `Likes the thing called ${id}`,
    category: 'fact',
    importance: 5,
    prominence: 0.3,
    documentDate: AT,
    ...overrides,
  };
}

function plan(
  nodes: RemNode[],
  edges: Edge[],
  options: Partial<RemOptions> = {},
): ReturnType<typeof planRem> {
  return planRem(nodes, edges, { random: createRandom('x'), isJudged: () => false, ...options });
}

/** The pairs of a plan as "a b", sorted. */
function pairsOf({ seeds }: ReturnType<typeof planRem>): string[] {
  return seeds
    .flatMap(({ seed, candidates }) => candidates.map((found) => [seed.id, found.node.id].sort().join(' ')))
    .sort();
}

/** Chance that draws memories in the order of their ids. */
function inOrder(): () => number {
  let call = 0;
  return () => {
    call += 1;
    return 1 - call / 1_000;
  };
}

/** Even over its range, which doubles are not: half of those are next to nothing. */
const percent = fc.integer({ min: 0, max: 100 }).map((value) => value / 100);

/** Any graph of up to 30 nodes. */
const graphs = fc.integer({ min: 0, max: 30 }).chain((size) =>
  fc.record({
    nodes: fc.tuple(
      ...Array.from({ length: size }, (_, index) =>
        fc
          .record({
            category: fc.constantFrom(...CATEGORIES),
            importance: fc.integer({ min: 1, max: 10 }),
            prominence: percent,
          })
          .map((parts) => node(`n${index}`, parts)),
      ),
    ),
    edges: fc.array(
      fc
        .tuple(
          fc.integer({ min: 0, max: size + 1 }),
          fc.integer({ min: 0, max: size }),
          percent,
          fc.boolean(),
        )
        .map(([a, b, weight, isRelation]) => (isRelation ? relation : neighbour)(`n${a}`, `n${b}`, weight)),
      { maxLength: 120, size: 'max' },
    ),
    seed: fc.string(),
    judged: fc.integer({ min: 1, max: 7 }),
  }),
);

describe('planRem', () => {
  it('reaches an isolated memory through neighbours and what is behind it through relations', () => {
    const nodes = ['a', 'b', 'c', 'd', 'far'].map((id) => node(id));
    const edges = [neighbour('a', 'b', 0.5), relation('b', 'c', 0.9), relation('c', 'd', 0.9)];
    const { seeds, counts } = plan(nodes, [...edges, relation('d', 'far', 0.9)], {
      random: inOrder(),
      seeds: 1,
    });
    const [first] = seeds;
    expect(first!.seed.id).toBe('a');
    expect(first!.candidates.map(({ node: { id } }) => id)).toEqual(['b', 'c', 'd']);
    const [b, c, d] = first!.candidates.map(({ activation }) => activation);
    expect(b).toBeCloseTo(0.5 * 0.6, 12);
    expect(c).toBeCloseTo(b! * 0.9 * 0.6, 12);
    expect(d).toBeCloseTo(c! * 0.9 * 0.6, 12);
    expect(counts).toMatchObject({ nodes: 5, eligible: 5, edges: 4, edgesUsed: 4, connected: 5, reached: 3 });
  });

  it('proposes nothing that is linked, by a relation or by a neighbour at the threshold', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((id) => node(id));
    const edges = [
      relation('a', 'b', 0.9),
      neighbour('b', 'a', 0.5),
      neighbour('a', 'c', 0.7),
      relation('b', 'c', 0.9),
      neighbour('b', 'd', 0.5),
      neighbour('d', 'a', 0.75),
    ];
    expect(pairsOf(plan(nodes, edges, { maxSeedsPerCategory: 6 }))).toEqual(['a c', 'b d', 'c d']);
    expect(pairsOf(plan(nodes, edges, { edgeThreshold: 0.7, maxSeedsPerCategory: 6 }))).toEqual([
      'b d',
      'c d',
    ]);
  });

  it('takes neighbours from 0.4 up to the threshold only', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((id) => node(id));
    const edges = [neighbour('a', 'b', 0.39), neighbour('a', 'c', 0.4), neighbour('a', 'd', 0.75)];
    const { counts, ...planned } = plan(nodes, edges);
    expect(pairsOf({ counts, ...planned })).toEqual(['a c']);
    expect(counts).toMatchObject({ edges: 3, edgesUsed: 1, connected: 2 });
  });

  it('leaves out judged pairs, whichever end is asked about, and counts them', () => {
    const nodes = [node('a'), node('b', { version: 3 }), node('c')];
    const edges = [neighbour('a', 'b', 0.5), neighbour('b', 'c', 0.5)];
    const known = new Set(['a@1 b@3']);
    const planned = plan(nodes, edges, {
      isJudged: (one, other) =>
        known.has(
          [one, other]
            .map(({ id, version }) => `${id}@${version}`)
            .sort()
            .join(' '),
        ),
    });
    expect(pairsOf(planned)).toEqual(['a c', 'b c']);
    expect(planned.counts.judged).toBeGreaterThan(0);
    const all = plan(nodes, edges, { isJudged: () => true });
    expect(all).toMatchObject({ seeds: [], counts: { seeds: 0, barren: 3, candidates: 0, judged: 6 } });
  });

  it('takes the strongest candidates up to the limit, and each pair once', () => {
    const nodes = Array.from({ length: 12 }, (_, index) => node(`n${String(index).padStart(2, '0')}`));
    const edges = nodes.slice(1).map(({ id }, index) => neighbour('n00', id, 0.4 + index / 100));
    const { seeds, counts } = plan(nodes, edges, { random: inOrder(), maxHops: 1, maxSeedsPerCategory: 3 });
    expect(seeds[0]!.candidates.map(({ node: { id } }) => id)).toEqual(
      ['11', '10', '09', '08', '07', '06', '05', '04'].map((number) => `n${number}`),
    );
    expect(counts).toMatchObject({ capped: 3, candidates: 10, seeds: 3 });
    // n01 and n02 reach n00 alone; for n04 and the others that pair is taken.
    expect(seeds.slice(1).map(({ seed }) => seed.id)).toEqual(['n01', 'n02']);
  });

  it('takes six seeds and at most two of a category', () => {
    const nodes = Array.from({ length: 40 }, (_, index) =>
      node(`n${index}`, { category: CATEGORIES[index % CATEGORIES.length]! }),
    );
    const edges = nodes.flatMap(({ id }, index) =>
      nodes.slice(index + 1).map((other) => neighbour(id, other.id, 0.5)),
    );
    const { seeds } = plan(nodes, edges);
    expect(seeds).toHaveLength(6);
    for (const category of CATEGORIES) {
      expect(seeds.filter(({ seed }) => seed.category === category).length).toBeLessThanOrEqual(2);
    }
    const facts = nodes.map((memory) => ({ ...memory, category: 'fact' as const }));
    expect(plan(facts, edges).seeds).toHaveLength(2);
  });

  it('draws heavy memories more often, and light ones now and then', () => {
    const nodes = [
      node('heavy', { importance: 9, prominence: 0.4 }),
      node('light', { importance: 3, prominence: 0.3 }),
    ];
    let heavy = 0;
    for (let round = 0; round < 2_000; round += 1) {
      const { seeds } = plan(nodes, [neighbour('heavy', 'light', 0.5)], {
        random: createRandom(`round ${round}`),
        seeds: 1,
      });
      if (seeds[0]!.seed.id === 'heavy') heavy += 1;
    }
    // 3.6 of 4.5
    expect(heavy / 2_000).toBeGreaterThan(0.76);
    expect(heavy / 2_000).toBeLessThan(0.84);
  });

  it('passes over memories without text or weight, and older versions', () => {
    const nodes = [
      node('a'),
      node('a', { version: 2, content: 'Newer' }),
      node('b', { prominence: 0 }),
      node('c', { content: ' \n' }),
      node('d', { importance: Number.NaN }),
      node('e'),
    ];
    const edges = ['b', 'c', 'd', 'e'].map((id) => neighbour('a', id, 0.5));
    const { seeds, counts } = plan(nodes, edges, { random: inOrder() });
    expect(counts).toMatchObject({ nodes: 6, eligible: 2, edges: 4, edgesUsed: 1, candidates: 1 });
    expect(seeds[0]).toMatchObject({ seed: { content: 'Newer' }, candidates: [{ node: { id: 'e' } }] });
  });

  it('lets no activation arrive that is too weak', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((id) => node(id));
    const edges = [relation('a', 'b', 0.1), relation('b', 'c', 0.2), relation('a', 'd', 5e-324)];
    const planned = plan(nodes, edges, { random: inOrder() });
    expect(planned).toMatchObject({ seeds: [], counts: { barren: 4, candidates: 0, reached: 4, linked: 4 } });
    expect(pairsOf(plan(nodes, edges, { minActivation: 0.005 }))).toEqual(['a c']);
  });

  it('adds up what comes on several ways and never beyond 1', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((id) => node(id));
    const edges = [
      neighbour('a', 'b', 0.5),
      neighbour('a', 'c', 0.5),
      relation('b', 'd'),
      relation('c', 'd'),
    ];
    const [seed] = plan(nodes, edges, { random: inOrder(), seeds: 1 }).seeds;
    const one = 0.5 * 0.6 * 0.8 * 0.6;
    expect(seed!.candidates.find(({ node: { id } }) => id === 'd')!.activation).toBeCloseTo(
      1 - (1 - one) ** 2,
      12,
    );
  });

  it('takes options that are there but undefined as absent', () => {
    const nodes = ['a', 'b'].map((id) => node(id));
    const edges = [neighbour('a', 'b', 0.5)];
    expect(plan(nodes, edges, { seeds: undefined, edgeThreshold: undefined })).toEqual(plan(nodes, edges));
    expect(plan(nodes, edges, { seeds: 0 }).seeds).toEqual([]);
  });

  it('keeps all its promises on any graph, in any order of the input', () => {
    fc.assert(
      fc.property(graphs, ({ nodes, edges, seed, judged }) => {
        const isJudged = (one: RemNode, other: RemNode): boolean =>
          (Number(one.id.slice(1)) + Number(other.id.slice(1))) % judged === 0;
        const planned = plan(nodes, edges, { random: createRandom(seed), isJudged });
        const again = plan([...nodes].reverse(), [...edges].reverse(), {
          random: createRandom(seed),
          isJudged,
        });
        expect(again).toEqual(planned);
        const turned = edges.map((edge) => ({ ...edge, a: edge.b, b: edge.a }));
        expect(plan(nodes, turned, { random: createRandom(seed), isJudged })).toEqual(planned);

        const { seeds, counts } = planned;
        const pairs = pairsOf(planned);
        expect(new Set(pairs).size).toBe(pairs.length);
        expect(new Set(seeds.map(({ seed: { id } }) => id)).size).toBe(seeds.length);
        expect(seeds.length).toBeLessThanOrEqual(DEFAULT_REM_CONFIG.seeds);
        expect(counts.seeds).toBe(seeds.length);
        expect(counts.candidates).toBe(pairs.length);
        expect(counts.linked + counts.judged + counts.repeated + counts.capped + counts.candidates).toBe(
          counts.reached,
        );
        const linked = new Set(
          edges
            .filter(({ kind, weight }) => kind === 'relation' || weight >= DEFAULT_REM_CONFIG.edgeThreshold)
            .map(({ a, b }) => [a, b].sort().join(' ')),
        );
        expect(pairs.filter((pair) => linked.has(pair))).toEqual([]);
        for (const { seed: from, candidates } of seeds) {
          expect(candidates.length).toBeGreaterThan(0);
          expect(candidates.length).toBeLessThanOrEqual(DEFAULT_REM_CONFIG.candidatesPerSeed);
          for (const [index, { node: to, activation }] of candidates.entries()) {
            expect(to.id).not.toBe(from.id);
            expect(isJudged(from, to)).toBe(false);
            expect(activation).toBeGreaterThanOrEqual(DEFAULT_REM_CONFIG.minActivation - 1e-12);
            expect(activation).toBeLessThanOrEqual(candidates[index - 1]?.activation ?? 1);
          }
        }
      }),
    );
  });

  it('proposes every open pair within reach sooner or later, when what was judged is remembered', () => {
    const nodes = Array.from({ length: 9 }, (_, index) => node(`n${index}`));
    const edges = nodes.slice(1).map(({ id }, index) => neighbour(nodes[index]!.id, id, 0.6));
    const judged = new Set<string>();
    for (let night = 0; night < 40; night += 1) {
      const planned = plan(nodes, edges, {
        random: createRandom(`night ${night}`),
        isJudged: (one, other) => judged.has([one.id, other.id].sort().join(' ')),
      });
      for (const pair of pairsOf(planned)) judged.add(pair);
    }
    // Pairs one, two and three steps apart in a chain of nine.
    expect(judged.size).toBe(8 + 7 + 6);
  });

  it('gives up on a large graph in which everything was judged', () => {
    const nodes = Array.from({ length: 500 }, (_, index) => node(`n${index}`));
    const edges = nodes.slice(1).map(({ id }, index) => neighbour(nodes[index]!.id, id, 0.6));
    const { counts } = plan(nodes, edges, { isJudged: () => true });
    expect(counts).toMatchObject({ seeds: 0, barren: 60 });
  });
});
