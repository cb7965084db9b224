import { type BudgetLimits, type BudgetScope, NO_LIMITS, type PeriodSpend } from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from './context.ts';
import { MODEL_STEPS, MODEL_STEPS_OF } from './model-roles.ts';
import { shareOf } from './step-shares.ts';
import { TIER_STEPS } from './tiers.ts';

const limits = DEFAULT_LIMITS.steps;
const spendOf = (tokens: number, nanos = 0n): Record<BudgetScope, PeriodSpend> => {
  const one = { spent: { tokens, nanos }, reserved: { tokens: 0, nanos: 0n } };
  return { user_night: one, user_day: one, tenant_day: one, overall_day: one };
};
const night = (tokens: number | null, nanos: bigint | null = null): BudgetLimits => ({
  ...NO_LIMITS,
  user_night: { tokens, nanos },
});

describe('MODEL_STEPS_OF', () => {
  it('names the model steps of each tier in the order in which they run', () => {
    for (const tier of TIERS) {
      const names = TIER_STEPS[tier].map(({ name }) => name);
      expect(MODEL_STEPS_OF[tier], tier).toEqual(
        names.filter((name) => (MODEL_STEPS as readonly string[]).includes(name)),
      );
    }
  });
});

describe('shareOf', () => {
  it('gives a step its part of what is left, by the limits of the steps that still come', () => {
    const share = (step: 'conflicts' | 'nrem' | 'rem', used: number) =>
      shareOf({ tier: 'sleep', step, limits }, night(150_000, 900n), spendOf(used))!.user_night;
    expect(share('conflicts', 0)).toEqual({ tokens: 33_333, nanos: 200n });
    expect(share('nrem', 10_000)).toEqual({ tokens: 90_000, nanos: 514n });
    expect(share('rem', 90_000)).toEqual({ tokens: 130_000, nanos: 600n });
  });

  it('leaves the last step everything, and bounds nothing that has no limit', () => {
    expect(shareOf({ tier: 'sleep', step: 'reflection', limits }, night(1), spendOf(0))).toBeNull();
    expect(shareOf({ tier: 'light', step: 'insights', limits }, night(1), spendOf(0))).toBeNull();
    expect(shareOf({ tier: 'deep', step: 'fusion', limits }, NO_LIMITS, spendOf(5))).toEqual({
      user_night: { tokens: null, nanos: null },
      user_day: { tokens: null, nanos: null },
    });
  });

  it('leaves something for each later step, whatever the steps before it used of their shares', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 10_000_000 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 }),
        (budget, uses) => {
          let used = 0;
          for (const [i, step] of MODEL_STEPS_OF.sleep.entries()) {
            const share = shareOf({ tier: 'sleep', step, limits }, night(budget), spendOf(used));
            const upTo = share === null ? budget : share.user_night!.tokens!;
            expect(upTo).toBeGreaterThan(used);
            expect(upTo).toBeLessThanOrEqual(budget);
            used += Math.floor(uses[i]! * (upTo - used));
          }
        },
      ),
    );
  });

  it('gives nothing of a budget that is passed', () => {
    const share = shareOf({ tier: 'deep', step: 'fusion', limits }, night(100), spendOf(150))!;
    expect(share.user_night!.tokens).toBe(150);
  });
});
