import { describe, expect, it } from 'vitest';
import { totalsOf } from './run-totals.ts';

const NOTHING = {
  fused: 0,
  proposed: 0,
  failed: 0,
  superseded: 0,
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  costDollars: null,
};

describe('what a run came to', () => {
  it('adds up over its steps', () => {
    const clusters = { committed: 2, proposed: 1, failed: 3, stale: 9 };
    const usage = { calls: 4, inputTokens: 50, outputTokens: 6 };
    const step = { step: 'fusion', status: 'done', counts: { clusters, superseded: 7, usage } };
    expect(totalsOf({ steps: [step, { ...step, step: 'nrem' }], spend: { costNanos: 1_500 } })).toEqual({
      fused: 4,
      proposed: 2,
      failed: 6,
      superseded: 14,
      calls: 8,
      inputTokens: 100,
      outputTokens: 12,
      costDollars: 0.0000015,
    });
  });

  it.each([
    [null],
    [{}],
    [{ steps: null, spend: { costNanos: null } }],
    [{ steps: [null, 1, 'x', [], { counts: null }, { counts: { clusters: [], usage: 3 } }] }],
    [{ steps: [{ counts: { superseded: '7', usage: { calls: Number.NaN } } }] }],
  ])('is nothing for %j', (report) => {
    expect(totalsOf(report)).toEqual(NOTHING);
  });
});
