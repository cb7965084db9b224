import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AT, DAY } from '../testing/samples.ts';
import { goalStage } from './goals.ts';

describe('goalStage', () => {
  it.each([
    [-100 * DAY, 'overdue'],
    [-1, 'overdue'],
    [0, 'urgent'],
    [2 * DAY, 'urgent'],
    [2 * DAY + 1, 'warning'],
    [7 * DAY, 'warning'],
    [7 * DAY + 1, null],
    [Number.NaN, null],
  ] as const)('says of a deadline %d ms ahead: %s', (left, stage) => {
    expect(goalStage(AT + left, AT)).toBe(stage);
  });

  it('never grows less pressing with time', () => {
    const order = [null, 'warning', 'urgent', 'overdue'];
    const spans = fc.tuple(fc.integer({ min: -30 * DAY, max: 30 * DAY }), fc.nat(40 * DAY));
    fc.assert(
      fc.property(spans, ([left, later]) => {
        const [now, then] = [goalStage(AT + left, AT), goalStage(AT + left, AT + later)];
        expect(order.indexOf(then)).toBeGreaterThanOrEqual(order.indexOf(now));
      }),
    );
  });
});
