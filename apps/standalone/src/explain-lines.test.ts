import type { MemoryExplanation } from '@slowwave/db';
import {
  bandOf,
  CROSSING_THRESHOLDS,
  crossingTime,
  DAY_MS,
  type DecayParams,
  floorOf,
  prominenceAt,
  rateOf,
  stabilityOf,
} from '@slowwave/fusion';
import { describe, expect, it } from 'vitest';
import { distanceOf, explainSections, numberOf, printable } from './explain-lines.ts';

const ANCHOR = Date.UTC(2026, 0, 1);
const NOW = ANCHOR + 90 * DAY_MS;

/** As the database explains a memory of these parameters. */
function explanationOf(
  given: Partial<DecayParams> = {},
  more: Partial<MemoryExplanation> = {},
): MemoryExplanation {
  const params: DecayParams = {
    category: 'fact',
    memoryType: 'regular',
    importance: 6,
    confirmations: 0,
    peak: 0.8,
    anchorAt: ANCHOR,
    demotion: 1,
    ...given,
  };
  const prominence = prominenceAt(params, NOW);
  const crossings = CROSSING_THRESHOLDS.map((threshold) => {
    const at = crossingTime(params, threshold);
    if (at === null) return { threshold, at: null, state: 'never' as const };
    return {
      threshold,
      at: Number.isFinite(at) ? at : null,
      state: at <= NOW ? ('past' as const) : ('ahead' as const),
    };
  });
  const ahead = crossings.flatMap(({ state, at }) => (state === 'ahead' && at !== null ? [at] : []));
  return {
    tenant: 'default',
    user: 'ana',
    id: '0190a000-0000-7000-8000-000000000001',
    externalId: 'f1',
    content: 'Ana lives in Dublin.',
    origin: 'user',
    learnedFrom: 'conversation',
    version: 1,
    isLatest: true,
    createdAt: ANCHOR,
    documentDate: ANCHOR,
    said: { from: ANCHOR, to: ANCHOR },
    at: NOW,
    params,
    terms: {
      rate: rateOf(params.category, params.memoryType),
      stability: stabilityOf(params.confirmations),
      floor: Math.min(floorOf(params.category, params.importance), params.peak),
      ageDays: (NOW - params.anchorAt) / DAY_MS,
      demotion: params.demotion,
    },
    prominence,
    band: bandOf(prominence),
    crossings,
    nextCrossingAt: ahead.length > 0 ? Math.min(...ahead) : null,
    history: [],
    sources: [],
    derived: [],
    supersededBy: null,
    recalls: { count: 0, lastAt: null },
    auditedAt: null,
    archivedAt: null,
    expiresAt: null,
    ...more,
  };
}

const textOf = (memory: MemoryExplanation) =>
  explainSections(memory)
    .map(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`)].join('\n'))
    .join('\n');

describe('explain', () => {
  it('says how the prominence came about, which band it is, and what comes next', () => {
    expect(textOf(explanationOf())).toBe(
      `memory f1 (0190a000-0000-7000-8000-000000000001) of ana
  “Ana lives in Dublin.”
  regular fact of importance 6, from user
  prominence 0.3271 on 2026-04-01: dormant (0.1 to 0.5)
  never recalled
How it came about
  peak       0.8: where it stood on 2026-01-01, when it was last written, confirmed or set
  rate       0.99: a fact keeps 99 % of it a day
  stability  1: never confirmed; each confirmation slows the fading
  floor      0: it may fade to nothing (only facts and relationships of importance 8 or more have a floor)
  age        90 days, of which 89 count (the first one is free)
  demotion   1: never demoted
  1 × (0 + (0.8 − 0) × 0.99^(89 / 1)) = 0.3271
What is ahead
  below 0.8 since 2026-01-02
  below 0.5 since 2026-02-17
  below 0.1 on 2026-07-27, in 118 days (next): faded, and deep no longer fuses it
  below 0.05 on 2026-10-04, in 187 days: sleep no longer fuses it either`,
    );
  });

  it('tells what slows, holds and lowers a memory', () => {
    const text = textOf(explanationOf({ importance: 9, confirmations: 3, demotion: 0.95, peak: 0.9 }));
    expect(text).toContain('confirmed 3 times, so it fades 1.7 times more slowly');
    expect(text).toContain('floor      0.2: important facts and relationships fade no further than this');
    expect(text).toContain('demotion   0.95: lowered by hand or by the retrieval audit');
    expect(text).toContain('0.95 × (0.2 + (0.9 − 0.2) × 0.99^(89 / 1.7)) = ');
    expect(text).toContain('below 0.1 never, unless something changes');
  });

  it('tells over which days something was said', () => {
    const memory = explanationOf({});
    const said = { from: memory.documentDate - 30 * DAY_MS, to: memory.documentDate };
    expect(textOf({ ...memory, said })).toMatch(/said from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d/);
    expect(textOf(memory)).not.toContain('said from');
  });

  it('has nothing to compute for the static profile', () => {
    const text = textOf(explanationOf({ memoryType: 'static_profile' }));
    expect(text).toContain('static profile, whose prominence is always 1');
    expect(text).not.toContain('rate ');
    expect(text).toContain('it crosses no threshold any more');
  });

  it('promises no fusion to what is never fused', () => {
    for (const memory of [
      explanationOf({ memoryType: 'derived' }),
      explanationOf({ memoryType: 'superseded' }, { isLatest: false, supersededBy: 'x' }),
      explanationOf({}, { archivedAt: NOW }),
    ]) {
      expect(textOf(memory)).not.toContain('fuse');
    }
    expect(textOf(explanationOf({}, { archivedAt: NOW }))).toContain('archived on 2026-04-01');
    expect(textOf(explanationOf({ memoryType: 'superseded' }, { supersededBy: 'x' }))).toContain(
      'superseded by x',
    );
  });

  it('tells a crossing that was there from the start', () => {
    expect(textOf(explanationOf({ peak: 0.4 }))).toContain('below 0.5 from its peak on');
  });

  it('tells what happened, the latest first, and where it came from and went', () => {
    const at = NOW - DAY_MS;
    const history = [
      {
        changeSet: 'c2',
        kind: 'prominence' as const,
        at,
        runId: null,
        fusionKey: null,
        before: { peak: 0.7, demotion: 1, confirmations: 0 },
        after: { peak: 0.8, demotion: 1, confirmations: 1 },
      },
      {
        changeSet: 'c1',
        kind: 'audit' as const,
        at,
        runId: 'r',
        fusionKey: null,
        before: { demotion: 1 },
        after: { demotion: 0.95 },
      },
    ];
    const relative = { id: 'o1', externalId: null, memoryType: 'regular' as const, isLatest: false };
    const sources = Array.from({ length: 12 }, (_, i) => ({ ...relative, id: `s${i}` }));
    const text = textOf(explanationOf({}, { history, sources, derived: [relative], auditedAt: at }));
    expect(text).toContain('2026-03-31 prominence: peak 0.7 → 0.8, confirmations 0 → 1');
    expect(text).toContain('2026-03-31 audit: demotion 1 → 0.95');
    expect(text).toContain('derived from s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 2 more');
    expect(text).toContain('gone into o1');
    expect(text).toContain('last looked at by the retrieval audit on 2026-03-31');
    const long = Array.from({ length: 13 }, () => history[0]!);
    expect(textOf(explanationOf({}, { history: long }))).toContain('… and 3 more, see --json');
  });

  it('tells about recalls and expiry', () => {
    const past = explanationOf({}, { recalls: { count: 2, lastAt: NOW - DAY_MS }, expiresAt: NOW - DAY_MS });
    expect(textOf(past)).toContain('recalled 2 times, last on 2026-03-31');
    expect(textOf(past)).toContain('expired on 2026-03-31');
    expect(textOf(explanationOf({}, { expiresAt: NOW + DAY_MS }))).toContain('expires on 2026-04-02');
  });

  it('obeys no control character of a memory', () => {
    const text = textOf(
      explanationOf({}, { content: 'red \u001b[31m\u0007\u009b5A', externalId: 'a\u001b[2J' }),
    );
    for (const character of text.replaceAll('\n', '')) expect(character).not.toMatch(/\p{Cc}/u);
    expect(printable('two\nlines\tand a tab')).toBe('two\n   lines\tand a tab');
  });

  it('writes numbers and distances that people can read', () => {
    expect([0, 1, 0.5, 0.123456, 1 / 3, 0.00001, 1e-9].map(numberOf)).toEqual([
      '0',
      '1',
      '0.5',
      '0.1235',
      '0.3333',
      '1.0e-5',
      '1.0e-9',
    ]);
    const minute = 60_000;
    expect([0, minute, 90 * minute, 30 * 60 * minute, 3 * DAY_MS, 3 * 365 * DAY_MS].map(distanceOf)).toEqual([
      '0 minutes',
      '1 minute',
      '2 hours',
      '30 hours',
      '3 days',
      '3 years',
    ]);
  });
});
