import type { FusionView } from '@slowwave/db';
import { describe, expect, it } from 'vitest';
import { countsLine, nothingJoined, outcomesOf } from './print.ts';

describe('the counts of a step', () => {
  it('are told in one line, without what is zero, and without times', () => {
    const counts = {
      plan: { considered: 40, tooYoung: 0, clusters: 2 },
      clusters: { committed: 1, failed: 0 },
      stopped: 'tokens',
      failures: [{ key: 'k' }],
      durationMs: 12,
      nextCrossingAt: 1_800_000_000_000,
      trust: 0.56789,
      profile: true,
      none: null,
    };
    expect(countsLine(counts)).toBe('considered 40, clusters 2, committed 1, stopped tokens, trust 0.568');
  });

  it('are nothing when a step counted nothing', () => {
    expect(countsLine({ embedded: 0, usage: { calls: 0 } })).toBe('');
  });
});

describe('fusions as people count them', () => {
  it('are statements where there are any, else what was asked', () => {
    const view = (key: string, more: Partial<FusionView>) => ({ key, request: null, ...more }) as FusionView;
    const fusions = [
      view('asked', { status: 'closed' }),
      view('one', { status: 'applied', request: 'asked' }),
      view('nothing', { status: 'closed', errorCode: 'floor' }),
      view('merge', { status: 'applied', kind: 'merge' }),
    ];
    const { made, nothing } = outcomesOf(fusions);
    expect(made.map(({ key }) => key)).toEqual(['one', 'merge']);
    expect(nothing.map(({ key }) => key)).toEqual(['nothing']);
    expect(nothingJoined(nothing)).toBe('1 cluster left as it is (no statement accepted, floor: 1)');
    expect(nothingJoined([])).toBeNull();
  });
});
