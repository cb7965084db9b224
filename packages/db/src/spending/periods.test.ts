import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { periodsOf } from './periods.ts';

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
