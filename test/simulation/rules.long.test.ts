import { describe, expect, it } from 'vitest';
import { serverFixture } from '../fixtures/databases.ts';
import { createPeople } from './people.ts';
import { faultsOf, printSimulation } from './print.ts';
import { simulate } from './simulate.ts';

const LIMIT_MS = 10 * 60_000;

describe('simulated time', () => {
  it('every band, window, archive and audit rule is met by some memory, and none by all', {
    timeout: LIMIT_MS,
  }, async () => {
    const fixture = await serverFixture();
    try {
      const report = await simulate({
        database: fixture.database,
        people: createPeople(4),
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
