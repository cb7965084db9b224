import { describe, expect, it } from 'vitest';
import type { MemoryCategory, MemoryEntry, MemoryRelation } from './memory.ts';
import {
  DEFAULT_NREM_CONFIG,
  NREM_TIME_LIMIT_MS,
  type NremOptions,
  type NremResult,
  nremConsolidate,
} from './nrem.ts';
import { type CompletionRequest, type LLMProvider, ModelError } from './ports.ts';
import { readFusionRequest } from './prompt.ts';
import { AT, DAY, entry, memoryRelation } from './testing/samples.ts';

type Reply = (request: CompletionRequest, call: number) => string | Promise<string>;

interface TestProvider extends LLMProvider {
  requests: CompletionRequest[];
}

function answer(summary: string): string {
  return JSON.stringify({ summary, importance: 1, category: 'event' });
}

/** The numbers of the sources, which is shorter than any of them. */
const fuseAll: Reply = (request) =>
  answer(
    readFusionRequest(request)!
      .map(({ n }) => n)
      .join(' '),
  );

function provider(reply: Reply = fuseAll): TestProvider {
  const requests: CompletionRequest[] = [];
  return {
    name: 'canned',
    requests,
    isAvailable: () => true,
    complete: async (request) => {
      requests.push(request);
      return {
        content: [{ type: 'text', text: await reply(request, requests.length) }],
        stopReason: 'end_turn',
        usage: { inputTokens: 1, outputTokens: 1 },
        model: 'canned-1',
      };
    },
  };
}

function chain(memories: MemoryEntry[]): MemoryRelation[] {
  return memories.slice(1).map(({ id }, index) => memoryRelation(memories[index]!.id, id));
}

function complete(memories: MemoryEntry[]): MemoryRelation[] {
  return memories.flatMap(({ id }, index) =>
    memories.slice(index + 1).map((other, gap) => ({
      ...memoryRelation(id, other.id),
      confidence: 0.99 - 0.01 * gap - 0.001 * index,
    })),
  );
}

function readerOf(relations: MemoryRelation[]): (id: string) => MemoryRelation[] {
  return (id) => relations.filter(({ sourceId, targetId }) => sourceId === id || targetId === id);
}

/** A chain of memories of these categories, named after `name`. */
function group(
  name: string,
  categories: MemoryCategory[],
  overrides: Partial<MemoryEntry> = {},
): MemoryEntry[] {
  return categories.map((category, n) =>
    entry({
      id: `${name}${n + 1}`,
      category,
      content: `A memory named ${name}${n + 1} that says something`,
      ...overrides,
    }),
  );
}

const MIXED: MemoryCategory[] = ['fact', 'event', 'preference'];

function run(groups: MemoryEntry[][], model: LLMProvider, options?: NremOptions): Promise<NremResult> {
  return nremConsolidate(groups.flat(), readerOf(groups.flatMap(chain)), model, options);
}

const sourcesOf = ({ fusionResults }: NremResult): string[][] =>
  fusionResults.map(({ sourceMemoryIds }) => [...sourceMemoryIds].sort());

describe('nremConsolidate', () => {
  it('has the documented defaults', () => {
    expect(DEFAULT_NREM_CONFIG).toEqual({
      minProminence: 0.05,
      maxProminence: 0.8,
      maxClusters: 10,
      minClusterSize: 3,
      maxRelationsPerMemory: 3,
    });
  });

  it('answers zeros for no memories, without a call', async () => {
    const model = provider();
    expect(await nremConsolidate([], () => [], model)).toEqual({
      clustersProcessed: 0,
      fusionResults: [],
      failures: 0,
      failureReasons: {},
      memoriesConsolidated: 0,
      skippedYoung: 0,
      leftOut: 0,
      capped: 0,
      timedOut: 0,
      relationFailures: 0,
    });
    expect(model.requests).toEqual([]);
  });

  it('fuses a mixed cluster in one call: highest importance, lowest confidence, its sources', async () => {
    const memories = [
      entry({ id: 'a', category: 'fact', importance: 7, confidence: 0.9 }),
      entry({ id: 'b', category: 'event', importance: 4, confidence: 0.6 }),
      entry({ id: 'c', category: 'preference', importance: 8, confidence: 0.8 }),
    ];
    const model = provider();
    const result = await run([memories], model);
    expect(result).toMatchObject({ clustersProcessed: 1, failures: 0, memoriesConsolidated: 3 });
    expect(result.fusionResults).toEqual([
      {
        summary: '1 2 3',
        importance: 8,
        category: 'insight',
        confidence: 0.6,
        learnedFrom: 'nrem_consolidation',
        sourceMemoryIds: ['a', 'b', 'c'],
      },
    ]);
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    [0.05, 1],
    [0.0499, 0],
    [0.7999, 1],
    [0.8, 0],
  ])('takes the prominence %d: %d clusters', async (prominence, clusters) => {
    const result = await run([group('m', MIXED, { prominence })], provider());
    expect(result.clustersProcessed).toBe(clusters);
  });

  it.each([
    { memoryType: 'derived' },
    { memoryType: 'static_profile' },
    { memoryType: 'superseded' },
    { isLatest: false },
  ] as const)('never takes %j, even as a bridge', async (overrides) => {
    const bridge = entry({ id: 'bridge', ...overrides });
    const result = await run([[...group('a', MIXED), bridge, ...group('b', ['fact', 'fact'])]], provider());
    expect(sourcesOf(result)).toEqual([['a1', 'a2', 'a3']]);
  });

  it('fuses the largest clusters, counts the others, and takes an undefined option as absent', async () => {
    const groups = Array.from({ length: 12 }, (_, n) =>
      group(`g${n}-`, n === 11 ? [...MIXED, 'fact'] : MIXED),
    );
    const result = await run(groups, provider(), { maxClusters: undefined } as unknown as NremOptions);
    expect(result).toMatchObject({ clustersProcessed: 10, capped: 2, memoriesConsolidated: 31 });
    expect(result.fusionResults[0]!.sourceMemoryIds).toHaveLength(4);
    expect(await run(groups, provider(), { maxClusters: 2 })).toMatchObject({
      clustersProcessed: 2,
      capped: 10,
    });
  });

  it('splits a group of more than two categories and more than five members, and counts what finds no place', async () => {
    const eight: MemoryCategory[] = [...MIXED, ...MIXED, 'fact', 'fact'];
    const split = await run([group('m', eight)], provider());
    expect(split.fusionResults.map(({ sourceMemoryIds }) => sourceMemoryIds.length)).toEqual([4, 4]);
    expect(split).toMatchObject({ clustersProcessed: 2, memoriesConsolidated: 8, leftOut: 0 });
    const whole = await run(
      [group('m', ['fact', 'event', 'fact', 'event', 'fact', 'event', 'fact', 'event'])],
      provider(),
    );
    expect(whole.clustersProcessed).toBe(1);
    const nine = await run(
      [
        group(
          'm',
          Array.from({ length: 9 }, () => 'fact' as const),
        ),
      ],
      provider(),
    );
    expect(nine.clustersProcessed).toBe(2);
    const five = await run([group('m', [...MIXED, ...MIXED].slice(0, 5))], provider());
    expect(five.clustersProcessed).toBe(1);
    // Of a centre and six rays, four rays stay with the centre and two are too few.
    const [centre, ...rays] = group('s', [...MIXED, ...MIXED, 'fact']);
    const star = rays.map(({ id }) => memoryRelation(centre!.id, id));
    const result = await nremConsolidate([centre!, ...rays], readerOf(star), provider());
    expect(result).toMatchObject({ clustersProcessed: 1, memoriesConsolidated: 5, leftOut: 2 });
  });

  it('takes the largest of what splitting has left', async () => {
    const six = group('six', [...MIXED, ...MIXED]);
    const four = group('four', ['fact', 'fact', 'fact', 'fact']);
    const result = await run([six, four], provider(), { maxClusters: 1 });
    expect(sourcesOf(result)).toEqual([['four1', 'four2', 'four3', 'four4']]);
    expect(result.capped).toBe(2);
  });

  it('asks for relations once per memory, and goes on without those that cannot be read', async () => {
    const memories = group('m', MIXED);
    const asked: string[] = [];
    const read = readerOf(chain(memories));
    const result = await nremConsolidate(
      memories,
      (id) => {
        asked.push(id);
        if (id === 'm2') throw new Error('unreadable');
        return read(id);
      },
      provider(),
    );
    expect(asked.sort()).toEqual(['m1', 'm2', 'm3']);
    expect(result).toMatchObject({ clustersProcessed: 1, relationFailures: 1, failures: 0 });
  });
});

describe('the pitfalls of a night', () => {
  it('pitfall 1: incoherent summaries — every memory of a request is connected, and the request says how', async () => {
    const big = group(
      'm',
      Array.from({ length: 20 }, (_, n) => (n % 2 ? 'fact' : 'event')),
    );
    const model = provider();
    await run([big, group('x', [...MIXED, ...MIXED])], model);
    expect(model.requests.length).toBeGreaterThanOrEqual(5);
    for (const request of model.requests) {
      const sources = readFusionRequest(request)!;
      const categories = new Set(sources.map(({ category }) => category));
      expect(sources.length).toBeLessThanOrEqual(categories.size > 2 ? 5 : 8);
      const lines = request.messages[0]!.content.split('\n').filter((line) => line.startsWith('- Memory '));
      for (const { n } of sources)
        expect(lines.some((line) => ` ${line} `.includes(` Memory ${n} `))).toBe(true);
      expect(request.system).toContain('cross-category');
    }
  });

  it('pitfall 2: active memories — nothing is superseded or changed here, and the most prominent are left alone', async () => {
    const memories = [...group('m', MIXED), ...group('fresh', MIXED, { prominence: 0.85 })];
    for (const memory of memories) Object.freeze(memory);
    const relations = chain(memories).map((relation) => Object.freeze(relation));
    const before = JSON.stringify(memories);
    const failed = await nremConsolidate(
      memories,
      readerOf(relations),
      provider(() => 'no JSON'),
    );
    // Without a summary that stands there is nothing that anybody could supersede by.
    expect(failed).toMatchObject({ fusionResults: [], memoriesConsolidated: 0, failures: 1 });
    const done = await nremConsolidate(
      Object.freeze(memories) as MemoryEntry[],
      readerOf(relations),
      provider(),
    );
    expect(sourcesOf(done)).toEqual([['m1', 'm2', 'm3']]);
    expect(JSON.stringify(memories)).toBe(before);
  });

  it('pitfall 3: too much context — the three strongest relations inside the cluster, and no text of others', async () => {
    const memories = group(
      'm',
      Array.from({ length: 8 }, () => 'fact' as const),
      { content: 'y'.repeat(300) },
    );
    const outside = entry({ id: 'outside', content: 'OUTSIDE', prominence: 0.9 });
    const relations = [...complete(memories), ...memories.map(({ id }) => memoryRelation(id, 'outside'))];
    const model = provider();
    await nremConsolidate([...memories, outside], readerOf(relations), model);
    expect(model.requests).toHaveLength(1);
    const { content } = model.requests[0]!.messages[0]!;
    const lines = content.split('\n').filter((line) => line.startsWith('- Memory '));
    // Of 28 pairs; a pair may be among the three of either end.
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.every((line) => line.length < 60)).toBe(true);
    expect(content).not.toContain('OUTSIDE');
    const none = provider();
    await nremConsolidate(memories, readerOf(relations), none, { maxRelationsPerMemory: 0 });
    expect(none.requests[0]!.messages[0]!.content).toContain('no explicit connections');
  });

  it('pitfall 4: consolidating twice — what day or night has fused is no source again', async () => {
    const memories = group('m', MIXED);
    const first = await run([memories], provider());
    expect(first.clustersProcessed).toBe(1);
    const derived = entry({ id: 'derived', memoryType: 'derived', category: 'insight' });
    const after = [
      ...memories.map((memory) => ({ ...memory, memoryType: 'superseded' as const, isLatest: false })),
      derived,
      ...group('n', ['fact', 'fact']),
    ];
    const model = provider();
    expect(await nremConsolidate(after, readerOf(chain(after)), model)).toMatchObject({
      clustersProcessed: 0,
    });
    expect(model.requests).toEqual([]);
  });

  it('pitfall 5: failure — one cluster that throws, babbles, refuses or says too much never stops the rest', async () => {
    const groups = Array.from({ length: 5 }, (_, n) => group(`g${n}-`, MIXED));
    const model = provider((request, call) => {
      if (call === 1) throw new ModelError('overloaded', { retryable: true });
      if (call === 2) return 'no JSON {';
      if (call === 3) return answer('x'.repeat(1_000));
      if (call === 4) throw null;
      return fuseAll(request, call);
    });
    const result = await run(groups, model);
    expect(model.requests).toHaveLength(5);
    expect(result).toMatchObject({
      clustersProcessed: 5,
      failures: 4,
      failureReasons: { provider_error: 2, invalid_output: 1, not_shorter: 1 },
      memoriesConsolidated: 3,
      timedOut: 0,
    });
    expect(sourcesOf(result)).toEqual([['g4-1', 'g4-2', 'g4-3']]);
  });

  it('pitfall 5: failure — a memory that is not what it should be spoils its own cluster only', async () => {
    const broken = group('b', [...MIXED, 'fact'], { content: undefined as unknown as string });
    const result = await run([broken, group('g', MIXED)], provider());
    expect(result).toMatchObject({
      clustersProcessed: 2,
      failures: 1,
      failureReasons: { unexpected_error: 1 },
    });
    expect(sourcesOf(result)).toEqual([['g1', 'g2', 'g3']]);
  });

  it('pitfall 5: time — no cluster is begun when five minutes are over, and what was done stays', async () => {
    const groups = Array.from({ length: 4 }, (_, n) => group(`g${n}-`, MIXED));
    let clock = AT;
    const model = provider((request, call) => {
      clock += NREM_TIME_LIMIT_MS / 2;
      return fuseAll(request, call);
    });
    const result = await run(groups, model, { nowMs: () => clock });
    expect(result).toMatchObject({ clustersProcessed: 2, timedOut: 2, failures: 0, memoriesConsolidated: 6 });
    expect(model.requests).toHaveLength(2);
    expect(await run(groups, provider(), { nowMs: () => clock, deadlineMs: clock })).toMatchObject({
      timedOut: 4,
    });
    // Without a clock there is no limit.
    expect(await run(groups, model, { deadlineMs: 0 })).toMatchObject({ timedOut: 0, clustersProcessed: 4 });
  });

  it('pitfall 5: time — an abort ends the call under way, even of a provider that is deaf to it', async () => {
    const groups = Array.from({ length: 3 }, (_, n) => group(`g${n}-`, MIXED));
    const controller = new AbortController();
    const model = provider((request, call) => {
      expect(request.signal).toBe(controller.signal);
      if (call === 1) return fuseAll(request, call);
      controller.abort();
      return new Promise<string>(() => {});
    });
    const result = await run(groups, model, { signal: controller.signal });
    expect(result).toMatchObject({ clustersProcessed: 1, failures: 0, timedOut: 2 });
    expect(model.requests).toHaveLength(2);
  });
});

describe('the open questions of a night', () => {
  it('question 1: clusters cross categories by the flag of the one cluster search', async () => {
    const result = await run([group('m', ['fact', 'event', 'preference', 'relationship'])], provider());
    expect(sourcesOf(result)).toEqual([['m1', 'm2', 'm3', 'm4']]);
  });

  it('question 2: what the night fuses is told apart from what the day fuses', async () => {
    const result = await run([group('m', ['fact', 'fact', 'fact'])], provider());
    expect(result.fusionResults[0]!.learnedFrom).toBe('nrem_consolidation');
  });

  it('question 3: memories younger than a day are left alone once it is known what time it is', async () => {
    const old = group('old', MIXED, { createdAt: AT - DAY });
    const young = group('young', MIXED, { createdAt: AT - DAY + 1 });
    const derived = entry({ id: 'derived', memoryType: 'derived', createdAt: AT });
    const undated = entry({ id: 'undated', createdAt: Number.NaN });
    const result = await run([[...old, ...young, derived, undated]], provider(), { now: AT });
    expect(sourcesOf(result)).toEqual([['old1', 'old2', 'old3']]);
    // The derived one would not have been taken anyway.
    expect(result.skippedYoung).toBe(4);
    expect(await run([young], provider(), { now: AT, cooldownMs: DAY / 2 })).toMatchObject({
      clustersProcessed: 1,
    });
    expect(await run([group('new', MIXED, { createdAt: AT })], provider())).toMatchObject({
      clustersProcessed: 1,
      skippedYoung: 0,
    });
  });

  it.each([
    [['fact', 'event', 'fact', 'fact'], 'insight'],
    [['event', 'event', 'event'], 'event'],
  ] as const)(
    'question 4: a cluster of %j becomes %s, whatever the model says',
    async (categories, expected) => {
      const model = provider(() =>
        JSON.stringify({ summary: 'short', importance: 1, category: 'relationship' }),
      );
      const result = await run([group('m', [...categories])], model);
      expect(result.fusionResults[0]!.category).toBe(expected);
    },
  );
});
