import type { TierState } from '@slowwave/db';
import { describe, expect, it } from 'vitest';
import type { UserStatus } from './client.ts';
import { statusLines } from './status-command.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const MINUTE = 60_000;
const CLOCK = { at: NOW, overdueMs: 15 * MINUTE };
const BANDS = { total: 3, latest: 3, active: 1, dormant: 1, archived: 1, superseded: 0, derived: 0 };

const tier = (more: Partial<TierState> = {}): TierState => ({
  dueAt: NOW + MINUTE,
  nextAttemptAt: null,
  lastAttemptAt: null,
  lastSuccessAt: null,
  failures: 0,
  enqueuedAt: null,
  requestedRun: null,
  paused: false,
  tenantPaused: false,
  tierPaused: false,
  unended: 0,
  faults: 0,
  ...more,
});
const lightOf = (more: Partial<TierState>, quarantine: UserStatus['quarantine'] = null): string => {
  const tiers = { light: tier(more), deep: tier(), sleep: tier() };
  return statusLines('ana', { tiers, quarantine, bands: BANDS }, CLOCK).find((line) =>
    line.includes('light'),
  )!;
};

describe('status', () => {
  it('tells memories by band, and of each tier when it is due and last succeeded', () => {
    const tiers = { light: tier({ lastSuccessAt: NOW - MINUTE }), deep: tier(), sleep: tier() };
    expect(statusLines('ana', { tiers, quarantine: null, bands: BANDS }, CLOCK)).toEqual([
      'ana: 3 latest (1 active, 1 dormant, 1 faded), 0 superseded, 0 derived',
      '  light  due 2026-06-15T12:01:00Z, last success 2026-06-15T11:59:00Z',
      '  deep   due 2026-06-15T12:01:00Z, last success never',
      '  sleep  due 2026-06-15T12:01:00Z, last success never',
    ]);
  });

  it('tells failures, and until when they hold a tier back', () => {
    expect(lightOf({ failures: 2, nextAttemptAt: NOW + MINUTE })).toContain(
      '2 failures in a row, not again before 2026-06-15T12:01:00Z',
    );
    expect(lightOf({ nextAttemptAt: NOW })).not.toContain('not again');
  });

  it('tells who is overdue, by when the tier could have run', () => {
    expect(lightOf({ dueAt: NOW - 15 * MINUTE - 1 })).toContain('overdue');
    expect(lightOf({ dueAt: NOW - 15 * MINUTE })).not.toContain('overdue');
    expect(lightOf({ dueAt: NOW - 60 * MINUTE, nextAttemptAt: NOW - MINUTE })).not.toContain('overdue');
    // As JSON has it when nothing is due.
    expect(lightOf({ dueAt: null as unknown as number })).not.toContain('overdue');
  });

  it('tells what a pause is for, and then of nothing overdue', () => {
    const late = { dueAt: NOW - 60 * MINUTE };
    expect(lightOf({ ...late, paused: true })).toMatch(/paused for this user$/);
    expect(lightOf({ ...late, tenantPaused: true, tierPaused: true })).toMatch(
      /paused for the tenant and everybody$/,
    );
  });

  it('tells of quarantine, and what to do', () => {
    const tiers = { light: tier(), deep: tier(), sleep: tier() };
    const quarantine = { code: 'never_ended', since: NOW };
    expect(statusLines('ana', { tiers, quarantine, bands: BANDS }, CLOCK)[1]).toBe(
      '  in quarantine since 2026-06-15T12:00:00Z (never_ended): nothing runs; when the cause is mended, slowwave release --user ana',
    );
    expect(lightOf({ dueAt: NOW - 60 * MINUTE }, quarantine)).not.toContain('overdue');
  });
});
