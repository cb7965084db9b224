import { describe, expect, it } from 'vitest';
import { serverFixture } from '../fixtures/databases.ts';
import { createPeople } from './people.ts';
import { faultsOf, printSimulation } from './print.ts';
import { simulate } from './simulate.ts';

const LIMIT_MS = 10 * 60_000;

describe('simulated time', () => {
  it('every user runs on time for 400 days, through clock changes and an outage of three days', {
    timeout: LIMIT_MS,
  }, async () => {
    const fixture = await serverFixture();
    try {
      const report = await simulate({
        database: fixture.database,
        people: createPeople(8),
        start: Date.UTC(2026, 0, 5),
        days: 400,
        downtime: { from: 200, to: 203 },
        tickMs: 5 * 60_000,
        concurrency: 6,
        world: false,
        tierSteps: { light: [], deep: [], sleep: [] },
      });
      printSimulation(report, console.log);
      expect(faultsOf(report, { downtime: true })).toEqual([]);
      // Four of the eight zones change their clocks, twice a year each.
      expect(report.people.filter(({ nights }) => nights.odd >= 2)).toHaveLength(4);
    } finally {
      await fixture.drop();
    }
  });

  it('every band, window, archive and audit rule is met by some memory, and none by all', {
    timeout: LIMIT_MS,
  }, async () => {
    const fixture = await serverFixture();
    try {
      const report = await simulate({
        database: fixture.database,
        people: createPeople(3),
        start: Date.UTC(2026, 2, 20),
        days: 24,
        downtime: null,
        tickMs: 5 * 60_000,
        concurrency: 3,
        world: true,
      });
      printSimulation(report, console.log);
      expect(faultsOf(report, { downtime: false })).toEqual([]);
    } finally {
      await fixture.drop();
    }
  });
});
