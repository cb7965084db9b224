import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LastPeriods, periodsOf } from './periods.ts';

const sleep = (timezone: string, at: string) => periodsOf({ tier: 'sleep', timezone, at: Date.parse(at) });

describe('budget periods', () => {
  it('are days and nights of the user, and days in UTC of those who share', () => {
    const periods = sleep('America/New_York', '2026-11-22T07:30:00Z');
    expect(periods).toEqual({
      user_night: { day: '2026-11-22', renewsAt: Date.parse('2026-11-22T17:00:00Z') },
      user_day: { day: '2026-11-22', renewsAt: Date.parse('2026-11-23T05:00:00Z') },
      tenant_day: { day: '2026-11-22', renewsAt: Date.parse('2026-11-23T00:00:00Z') },
      overall_day: { day: '2026-11-22', renewsAt: Date.parse('2026-11-23T00:00:00Z') },
    });
    expect(periodsOf({ tier: 'deep', timezone: 'UTC', at: 0 }).user_night).toBeNull();
  });

  it('do not cut a night in two', () => {
    const before = sleep('Europe/Dublin', '2026-11-21T23:30:00Z').user_night;
    expect(before).toEqual(sleep('Europe/Dublin', '2026-11-22T04:30:00Z').user_night);
    expect(before?.day).toBe('2026-11-22');
    expect(sleep('Europe/Dublin', '2026-11-22T12:00:00Z').user_night?.day).toBe('2026-11-23');
  });

  it('stay in force when the user moves to another zone, until they end where they began', () => {
    const at = Date.parse('2026-11-22T10:30:00Z');
    const last = { user_day: periodsOf({ tier: 'deep', timezone: 'UTC', at }).user_day };
    for (const timezone of ['Pacific/Pago_Pago', 'UTC', 'Pacific/Kiritimati']) {
      expect(periodsOf({ tier: 'deep', timezone, at }, last).user_day, timezone).toEqual(last.user_day);
    }
    // At midnight in UTC most of the 23rd is over at Kiritimati, and it is the 22nd at Pago Pago: neither is a day anew.
    const midnight = last.user_day.renewsAt;
    const inZone = (timezone: string, when: number) =>
      periodsOf({ tier: 'deep', timezone, at: when }, last).user_day;
    expect(inZone('Pacific/Kiritimati', midnight)).toEqual({
      day: '2026-11-22',
      renewsAt: Date.parse('2026-11-23T10:00:00Z'),
    });
    expect(inZone('Pacific/Pago_Pago', midnight)).toEqual({
      day: '2026-11-22',
      renewsAt: Date.parse('2026-11-23T11:00:00Z'),
    });
    expect(inZone('Europe/Dublin', midnight).day).toBe('2026-11-23');
  });

  it('are no more for whoever moves on and on: of three that begin, 20 hours lie between the first and the last', () => {
    const zones = [
      'Pacific/Pago_Pago',
      'America/New_York',
      'UTC',
      'Asia/Kathmandu',
      'Pacific/Chatham',
      'Pacific/Kiritimati',
    ];
    const moves = fc.array(fc.tuple(fc.constantFrom(...zones), fc.integer({ min: 0, max: 13 * 3_600_000 })), {
      minLength: 20,
      maxLength: 80,
    });
    fc.assert(
      fc.property(moves, fc.constantFrom('user_day', 'user_night'), (list, scope) => {
        let at = Date.UTC(2026, 10, 22);
        let last: LastPeriods = {};
        const begun: { day: string; at: number }[] = [];
        for (const [timezone, later] of list) {
          at += later;
          const period = periodsOf({ tier: 'sleep', timezone, at }, last)[scope]!;
          expect(period.renewsAt).toBeGreaterThan(at);
          if (period.day !== begun.at(-1)?.day) begun.push({ day: period.day, at });
          last = { [scope]: period };
        }
        for (const [i, one] of begun.entries()) {
          if (i > 0) expect(one.day > begun[i - 1]!.day).toBe(true);
          if (i > 1) expect(one.at - begun[i - 2]!.at).toBeGreaterThan(20 * 3_600_000);
        }
      }),
    );
  });

  it('begin where the last one ends, in any zone, whatever clocks do', () => {
    const zones = fc.constantFrom(
      'UTC',
      'America/St_Johns',
      'Pacific/Apia',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'nowhere',
    );
    const instants = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2035, 0) });
    fc.assert(
      fc.property(zones, instants, (timezone, at) => {
        const periods = periodsOf({ tier: 'sleep', timezone, at });
        for (const scope of ['user_night', 'user_day', 'tenant_day', 'overall_day'] as const) {
          const { day, renewsAt } = periods[scope]!;
          expect(renewsAt).toBeGreaterThan(at);
          expect(renewsAt - at).toBeLessThanOrEqual(25 * 3_600_000);
          expect(periodsOf({ tier: 'sleep', timezone, at: renewsAt })[scope]!.day > day).toBe(true);
          expect(periodsOf({ tier: 'sleep', timezone, at: renewsAt - 1 })[scope]!.day).toBe(day);
        }
      }),
    );
  });
});
