import { describe, expect, it } from 'vitest';
import { derivedProminence, deriveMemory } from './derive.ts';
import { type JudgeContext, judgeFusion } from './judge.ts';
import type { Candidate, Cluster } from './memory.ts';
import type { StoredAnswer } from './ports.ts';
import { AT, clusterOf, DAY } from './testing/samples.ts';

const CONTEXT: JudgeContext = { tier: 'deep', at: AT, latestCount: 100, alreadySuperseded: 0 };
const SOURCES = [
  'Lives in Dublin',
  'Works at a tech company in Dublin',
  'The office is near Trinity College',
];
const SUMMARY = 'Lives and works at a tech company in Dublin; the office is near Trinity College';

function stored(fields: Record<string, unknown> | string, stopReason = 'end_turn'): StoredAnswer {
  const text = typeof fields === 'string' ? fields : JSON.stringify(fields);
  return { text, stopReason, inputTokens: 1, outputTokens: 1, model: 'm' };
}

function clusterWith(parts: Partial<Candidate>[]): Cluster {
  const cluster = clusterOf(...SOURCES);
  return { ...cluster, members: cluster.members.map((member, n) => ({ ...member, ...parts[n] })) };
}

describe('judgeFusion', () => {
  it('derives a memory from a good answer', () => {
    const verdict = judgeFusion(
      clusterOf(...SOURCES),
      stored({ summary: SUMMARY, covered: [1, 2, 3], conflicts: [], importance: 9, category: 'insight' }),
      CONTEXT,
    );
    expect(verdict).toMatchObject({
      ok: true,
      conflicts: [],
      counts: { covered: 3 },
      derived: {
        content: SUMMARY,
        category: 'fact',
        importance: 5,
        coveredIds: ['m1', 'm2', 'm3'],
        sourceChunk: SOURCES.join(' | '),
        learnedFrom: 'consolidation',
        metadata: {
          fusedAt: '2026-06-01T12:00:00.000Z',
          sourceCount: 3,
          sourceIds: ['m1', 'm2', 'm3'],
          modelHints: { importance: 9, category: 'insight' },
        },
      },
    });
  });

  it.each([
    ['refused', stored('', 'refusal')],
    ['truncated', stored({ summary: SUMMARY, covered: [1, 2, 3], conflicts: [] }, 'max_tokens')],
    ['invalid_output', stored('no')],
    ['invalid_output', stored({ summary: SUMMARY, covered: [1, 2, 9] })],
    ['fact_loss', stored({ summary: 'Lives in Dublin', covered: [1, 2, 3] })],
    ['invented', stored({ summary: `${SUMMARY} 7`, covered: [1, 2, 3] })],
    ['too_few_covered', stored({ summary: SUMMARY, covered: [] })],
  ] as const)('says %s', (reason, answer) => {
    expect(judgeFusion(clusterOf(...SOURCES, 'Likes long walks'), answer, CONTEXT)).toMatchObject({
      ok: false,
      reason,
    });
  });

  it('says share_exceeded when the run has done enough', () => {
    const answer = stored({ summary: SUMMARY, covered: [1, 2, 3] });
    const verdict = judgeFusion(clusterOf(...SOURCES), answer, { ...CONTEXT, alreadySuperseded: 25 });
    expect(verdict).toMatchObject({ ok: false, reason: 'share_exceeded' });
  });

  it('does not cover sources that disagree, and names the pair by ids', () => {
    const conflict = { a: 2, b: 1, kind: 'contradictory', slot: 'home city' };
    const answer = stored({ summary: `${SUMMARY}. Likes tea`, covered: [1, 2, 3, 4], conflicts: [conflict] });
    const verdict = judgeFusion(clusterOf(...SOURCES, 'Likes tea very much indeed'), answer, CONTEXT);
    expect(verdict.ok).toBe(false);
    const kept = judgeFusion(clusterOf(...SOURCES, 'Really likes tea'), answer, CONTEXT);
    expect(kept).toMatchObject({
      ok: true,
      derived: { coveredIds: ['m3', 'm4'], metadata: { uncoveredIds: ['m1', 'm2'], sourceCount: 2 } },
      conflicts: [{ a: 'm1', b: 'm2', kind: 'contradictory', slot: 'home city' }],
    });
  });
});

describe('deriveMemory', () => {
  const judged = { summary: SUMMARY, coveredIds: ['m1', 'm2'] };
  const options = { tier: 'deep', at: AT } as const;

  it('takes importance, dates and category from what it replaces', () => {
    const cluster = clusterWith([
      { importance: 3, documentDate: AT - 9 * DAY, category: 'event', prominence: 0.2 },
      { importance: 4, documentDate: AT - 8 * DAY, category: 'event', prominence: 0.4 },
      { importance: 9, documentDate: AT, category: 'fact', prominence: 0.49 },
    ]);
    expect(deriveMemory(cluster, judged, options)).toMatchObject({
      importance: 4,
      documentDate: AT - 8 * DAY,
      category: 'event',
      prominence: 0.5,
      sourceChunk: `${SOURCES[0]} | ${SOURCES[1]}`,
    });
  });

  it('takes confidence, trust and visibility from all that the model has read', () => {
    const cluster = clusterWith([
      { confidence: 0.9, trust: 0.9, visibility: 'shared' },
      { confidence: 0.8, trust: 0.7, visibility: 'shared' },
      { confidence: 0.3, trust: 0.1, visibility: 'private' },
    ]);
    expect(deriveMemory(cluster, judged, options)).toMatchObject({
      confidence: 0.3,
      trust: 0.1,
      visibility: 'private',
    });
    const open = clusterWith([{ visibility: 'shared' }, { visibility: 'shared' }, { visibility: 'shared' }]);
    expect(deriveMemory(open, judged, options).visibility).toBe('shared');
  });

  it('unites the times at which its sources are true', () => {
    const closed = clusterWith([
      { eventDate: null, validFrom: 10, validTo: 50 },
      { eventDate: 5, validFrom: null, validTo: 70 },
    ]);
    expect(deriveMemory(closed, judged, options)).toMatchObject({ eventDate: 5, validFrom: 10, validTo: 70 });
    const open = clusterWith([{ eventDate: 9, validTo: 50 }, { eventDate: 5 }]);
    expect(deriveMemory(open, judged, options)).toMatchObject({
      eventDate: 5,
      validFrom: null,
      validTo: null,
    });
  });

  it('makes an insight of a mixed cluster at night only', () => {
    const mixed = clusterWith([{ category: 'fact' }, { category: 'event' }]);
    expect(deriveMemory(mixed, judged, options)).toMatchObject({
      category: 'fact',
      learnedFrom: 'consolidation',
    });
    const night = deriveMemory(mixed, judged, { tier: 'sleep', at: AT });
    expect(night).toMatchObject({ category: 'insight', learnedFrom: 'nrem_consolidation' });
  });

  it.each([
    [0.05, 0.15],
    [0.3, 0.4],
    [0.55, 0.6],
    [0.6, 0.6],
    [0.75, 0.75],
  ])('raises a best prominence of %d to %d', (best, expected) => {
    expect(derivedProminence(best)).toBeCloseTo(expected, 12);
  });

  it('refuses a cluster of two origins and ids that are not its own', () => {
    expect(() => deriveMemory(clusterWith([{}, {}, { origin: 'tool' }]), judged, options)).toThrow(TypeError);
    expect(() =>
      deriveMemory(clusterOf(...SOURCES), { summary: 'x', coveredIds: ['m1', 'm9'] }, options),
    ).toThrow(TypeError);
    expect(() => deriveMemory(clusterOf(...SOURCES), { summary: 'x', coveredIds: [] }, options)).toThrow(
      TypeError,
    );
  });
});
