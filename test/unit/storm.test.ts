import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { attempts } from '../fault/invariants/failed-list.ts';
import type { Given, Look } from '../fault/invariants/types.ts';
import { OptionsError, readOptions } from '../fault/storm/options.ts';
import { createRandom, mixSeed } from '../fault/storm/random.ts';
import { linesOfViolations, totalsOf } from '../fault/storm/report.ts';
import type { RoundReport } from '../fault/storm/round.ts';
import { paceOf } from '../fault/storm/stage.ts';
import { createToll } from '../fault/storm/toll.ts';
import { drawBatch } from '../fault/storm/users.ts';

const ROUND: RoundReport = {
  seed: 3,
  seconds: 60,
  users: 40,
  processKills: 100,
  counts: { 'database cut': 2 },
  points: { 'before-model': 4 },
  fusions: 80,
  ledger: { applied: 80, failed: 1 },
  calls: 90,
  recoveryMs: 4_000,
  violations: [],
};

describe('a storm', () => {
  it('draws the same from the same seed, and something else from another one', () => {
    const drawn = (seed: number) => {
      const random = createRandom(seed).fork('users');
      return drawBatch(random, { name: 'x', count: 50, poisoned: 2, stormMs: 10_000 });
    };
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
    expect(new Set(drawn(1).users.map(({ tenant, user }) => `${tenant} ${user}`)).size).toBe(
      drawn(1).users.length,
    );
    expect(new Set(Array.from({ length: 1_000 }, (_, i) => mixSeed(1, String(i)))).size).toBe(1_000);
  });

  it('draws by weight', () => {
    const random = createRandom(5);
    const drawn = Array.from({ length: 2_000 }, () => random.weighted({ often: 9, seldom: 1, never: 0 }));
    expect(drawn.filter((name) => name === 'seldom').length).toBeGreaterThan(100);
    expect(drawn.filter((name) => name === 'seldom').length).toBeLessThan(300);
    expect(drawn).not.toContain('never');
  });

  it('says which options it does not know, and within which bounds they lie', () => {
    expect(readOptions(['--help'])).toBeNull();
    expect(readOptions(['--queue', 'embedded', '--seed', '9'])).toMatchObject({ kind: 'embedded', seed: 9 });
    for (const args of [
      ['--queue', 'rabbit'],
      ['--seed', '-1'],
      ['--minutes', 'ten'],
      ['--rounds', '1.5'],
      ['--rest'],
    ])
      expect(() => readOptions(args)).toThrow(OptionsError);
  });

  it('counts kills of processes apart from everything else that costs calls', () => {
    const toll = createToll();
    const process = { reached: ['before-model' as const], wasReady: () => true };
    toll.ended('worker-1', { code: null, signal: 'SIGKILL' }, process);
    toll.ended('worker-2', { code: null, signal: 'SIGKILL' }, { ...process, reached: [] });
    toll.ended('worker-2', { code: 1, signal: null }, { reached: [], wasReady: () => false });
    toll.add('database cut', 'cut', 4);
    expect(toll.processKills()).toBe(2);
    expect(toll.counts()).toMatchObject({ 'process ended by itself before it worked (1)': 1 });
    expect(toll.points()).toEqual({ 'before-model': 1 });
    expect(toll.tally()).toEqual({ kills: 3, cuts: 4, flushedAt: null });
    toll.flushed();
    expect(toll.tally().flushedAt).not.toBeNull();
  });

  it('adds rounds up and names the seed of one that broke a promise', () => {
    const broken = { ...ROUND, seed: 8, violations: [{ invariant: 'money', detail: '9 calls' }] };
    expect(totalsOf([ROUND, broken], 120)).toMatchObject({
      rounds: 2,
      processKills: 200,
      killsPerMinute: 100,
      violations: 1,
      counts: { 'database cut': 4 },
    });
    expect(linesOfViolations(ROUND, 'again')).toEqual([]);
    expect(linesOfViolations(broken, 'again').join('\n')).toContain('again --seed 8 --rounds 1');
  });

  it('grants an attempt to each error that it threw, and to nothing else', async () => {
    const stalledOut = (user: string, attemptsMade: number) => ({
      ids: { tenant: 't', user },
      reason: 'job stalled more than allowable limit',
      attemptsMade,
    });
    const judged = (jobs: object[], thrown?: number) => {
      const failed = async (name: string) => (name === 'light' ? jobs : []);
      const look = { queues: { failed }, tenants: ['t'], mine: () => sql``, rows: async () => [] };
      return attempts(look as unknown as Look, { ...(thrown === undefined ? {} : { thrown }) } as Given);
    };
    expect(await judged([stalledOut('ana', 1)])).toEqual([]);
    expect(await judged([stalledOut('ana', 2)])).toHaveLength(1);
    expect(await judged([stalledOut('ana', 2)], 1)).toEqual([]);
    expect(await judged([stalledOut('ana', 2), stalledOut('ben', 1), stalledOut('cleo', 2)], 1)).toEqual([
      't/cleo: a job of light failed for good after 2 attempts (job)',
    ]);
    expect(await judged([{ ...stalledOut('ana', 3), reason: 'broken: tenant=t' }], 9)).toHaveLength(1);
  });

  it('gives a slow machine more time, in whole steps', () => {
    expect(paceOf(900)).toBe(1);
    expect(paceOf(7_100)).toBe(4);
    expect(paceOf(1e9)).toBe(8);
  });
});
