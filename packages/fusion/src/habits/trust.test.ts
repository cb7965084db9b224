import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stanceOf, type TrustSignals, updateTrust } from './trust.ts';

function signals(overrides: Partial<TrustSignals>): TrustSignals {
  return { accepted: 0, dismissed: 0, explicit: 0, explicitSum: 0, sessions: 5, ...overrides };
}

describe('updateTrust', () => {
  it('takes three tenths of what is said now and seven of what was', () => {
    const update = updateTrust(0.9, signals({ accepted: 1, dismissed: 3 }));
    expect(update).toMatchObject({ status: 'updated', now: 0.25, stance: 'eager' });
    expect(update).toHaveProperty('trust', expect.closeTo(0.3 * 0.25 + 0.7 * 0.9, 12));
  });

  it('starts from the middle', () => {
    expect(updateTrust(null, signals({ accepted: 4 }))).toHaveProperty('trust', expect.closeTo(0.65, 12));
    expect(updateTrust(0, signals({ accepted: 4 }))).toHaveProperty('trust', expect.closeTo(0.3, 12));
  });

  it('gives an explicit rating one voice, as it stands', () => {
    expect(
      updateTrust(null, signals({ accepted: 1, dismissed: 1, explicit: 2, explicitSum: 1.5 })),
    ).toHaveProperty('now', expect.closeTo(2.5 / 4, 12));
  });

  it('waits for five sessions, whatever was said', () => {
    expect(updateTrust(0.5, signals({ accepted: 99, sessions: 4 }))).toEqual({ status: 'too_few_sessions' });
    expect(updateTrust(0.5, signals({ accepted: 99, sessions: 5 }))).toHaveProperty('status', 'updated');
  });

  it('leaves trust alone without signals', () => {
    expect(updateTrust(0.5, signals({ sessions: 50 }))).toEqual({ status: 'no_signals' });
  });

  it('stays from 0 to 1, moves towards what is said, and never jumps by more than 0.3', () => {
    const counts = fc.record({
      accepted: fc.nat(50),
      dismissed: fc.nat(50),
      ratings: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }),
    });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), counts, (before, { ratings, ...rest }) => {
        const explicitSum = ratings.reduce((sum, rating) => sum + rating, 0);
        const update = updateTrust(before, signals({ ...rest, explicit: ratings.length, explicitSum }));
        if (update.status !== 'updated') {
          expect(rest.accepted + rest.dismissed + ratings.length).toBe(0);
          return;
        }
        expect(update.trust).toBeGreaterThanOrEqual(Math.min(before, update.now) - 1e-12);
        expect(update.trust).toBeLessThanOrEqual(Math.max(before, update.now) + 1e-12);
        expect(Math.abs(update.trust - before)).toBeLessThanOrEqual(0.3 + 1e-12);
        expect(update.stance).toBe(stanceOf(update.trust));
      }),
    );
  });
});

describe('stanceOf', () => {
  it.each([
    [0, 'conservative'],
    [0.2999, 'conservative'],
    [0.3, 'balanced'],
    [0.6999, 'balanced'],
    [0.7, 'eager'],
    [1, 'eager'],
  ] as const)('is at %d %s', (trust, stance) => {
    expect(stanceOf(trust)).toBe(stance);
  });
});
