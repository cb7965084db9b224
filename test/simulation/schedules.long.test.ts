import { describe, expect, it } from 'vitest';
import { serverFixture } from '../fixtures/databases.ts';
import { createPeople } from './people.ts';
import { faultsOf, printSimulation } from './print.ts';
import { simulate } from './simulate.ts';

const LIMIT_MS = 10 * 60_000;

describe('simulated time', () => {
  it('every user runs on time, through nights of 23, 24.5 and 25 hours and an outage of three days', {
    timeout: LIMIT_MS,
  }, async () => {
    const fixture = await serverFixture();
    try {
      const report = await simulate({
        database: fixture.database,
        people: createPeople(8),
        // Clocks change in New York, Berlin, and on the other side of the earth the other way round.
        start: Date.UTC(2026, 1, 25),
        days: 60,
        downtime: { from: 50, to: 53 },
        tickMs: 5 * 60_000,
        concurrency: 6,
        world: false,
        tierSteps: { light: [], deep: [], sleep: [] },
      });
      printSimulation(report, console.log);
      expect(faultsOf(report, { downtime: true })).toEqual([]);
      expect(report.people.map(({ nights }) => nights.odd)).toEqual([1, 1, 0, 0, 1, 1, 0, 0]);
    } finally {
      await fixture.drop();
    }
  });
});
