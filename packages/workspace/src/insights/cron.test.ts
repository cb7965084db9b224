import { describe, expect, it } from 'vitest';
import { InvalidInsightSchedule, isInsightSchedule, nextInsightsAt } from './cron.ts';

function times(schedule: string, timezone: string, after: string, count: number): string[] {
  const found: string[] = [];
  let at = Date.parse(after);
  while (found.length < count) {
    at = nextInsightsAt(schedule, { timezone, after: at });
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

describe('the schedule of insights', () => {
  it('IN-12 follows the wall clock of the zone across a change of the clocks', () => {
    expect(times('0 4 * * *', 'Europe/Berlin', '2026-03-27T12:00:00Z', 3)).toEqual([
      '2026-03-28T03:00',
      '2026-03-29T02:00',
      '2026-03-30T02:00',
    ]);
    expect(times('0 2 * * *', 'America/New_York', '2026-10-31T03:00:00Z', 3)).toEqual([
      '2026-10-31T06:00',
      '2026-11-01T07:00',
      '2026-11-02T07:00',
    ]);
    expect(times('0 2 * * *', 'Asia/Tokyo', '2026-03-28T12:00:00Z', 1)).toEqual(['2026-03-28T17:00']);
  });

  it('IN-12 leaves out no night whose time the clocks jump over, and takes one that comes twice once', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:30',
      '2026-03-30T00:30',
    ]);
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  it('is later than the time it is asked from', () => {
    const at = Date.UTC(2026, 0, 1, 2);
    expect(nextInsightsAt('0 2 * * *', { timezone: 'UTC', after: at })).toBe(at + 86_400_000);
    expect(nextInsightsAt('0 2 * * *', { timezone: 'UTC', after: at - 1 })).toBe(at);
  });

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '@daily',
    '61 * * * *',
    'a b c d e',
    'H H * * *',
    '0 0 30 2 *',
    `${'1,'.repeat(200)}1 * * * *`,
  ])('IN-12 %j is an error that says what is expected', (schedule) => {
    const next = () => nextInsightsAt(schedule, { timezone: 'UTC', after: 0 });
    expect(next).toThrow(InvalidInsightSchedule);
    expect(next).toThrow(/^Invalid insight extraction schedule: .*expected five fields/);
    expect(isInsightSchedule(schedule)).toBe(false);
  });

  it.each(['0 2 * * *', '*/15 8-18 * * MON-FRI', '0 2 * * thu', '0 0 29 2 *'])('%j is one', (schedule) => {
    expect(isInsightSchedule(schedule)).toBe(true);
  });
});
