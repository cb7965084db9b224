import type { FusionView } from '@slowwave/db';
import { describe, expect, it } from 'vitest';
import { countsLine, outcomesOf } from './print.ts';

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
      view('nothing', { status: 'closed' }),
      view('merge', { status: 'applied', kind: 'merge' }),
    ];
    expect(outcomesOf(fusions).map(({ key }) => key)).toEqual(['one', 'nothing', 'merge']);
  });
});
