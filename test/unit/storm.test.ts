import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { attempts } from '../fault/invariants/failed-list.ts';
import type { Given, Look } from '../fault/invariants/types.ts';
import { rollOver } from '../fault/storm/blows.ts';
import { OptionsError, readOptions } from '../fault/storm/options.ts';
import type { End, Running } from '../fault/storm/processes.ts';
import { createRandom, mixSeed } from '../fault/storm/random.ts';
import { linesOfViolations, totalsOf } from '../fault/storm/report.ts';
import type { RoundReport } from '../fault/storm/round.ts';
import { createSlots, type Slot } from '../fault/storm/slots.ts';
import { paceOf, type Stage } from '../fault/storm/stage.ts';
import { createToll } from '../fault/storm/toll.ts';
import { drawBatch } from '../fault/storm/users.ts';
import { until } from '../fixtures/wait.ts';

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
  batched: 0,
  lies: {},
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

  it('takes one that is told to stop while it starts for one that was killed, not for one that does not stop', async () => {
    const toll = createToll();
    const broken = vi.fn();
    const stopped = async (end: End, reached: Running['reached'] = []) => {
      const slot = {
        name: 'worker-1',
        current: () => ({ reached }),
        stop: async () => ({ ...end, ms: 5, late: end.signal === 'SIGKILL' }),
      };
      await rollOver({ stage: { pace: 1 } as Stage, toll, broken }, slot as unknown as Slot, false);
    };
    const signal = 'SIGTERM' as const;
    await stopped({ code: 0, signal: null });
    await stopped({ code: null, signal });
    await stopped({ code: 1, signal: null }, ['before-model']);
    expect(broken).not.toHaveBeenCalled();
    await stopped({ code: 1, signal: null });
    await stopped({ code: null, signal: 'SIGKILL' });
    expect(broken.mock.calls.map(([invariant]) => invariant)).toEqual(['stops-in-time', 'stops-in-time']);
    // What it had begun may be lost all the same.
    toll.ended('worker-1', { code: null, signal }, { reached: [], wasReady: () => false });
    expect(toll.tally()).toMatchObject({ kills: 1 });
    expect(toll.processKills()).toBe(0);
    expect(toll.counts()).toMatchObject({ 'process told to stop while it started': 1 });
  });

  it('tells of a process that is told to stop before it can hear that, and of none that sees to it', async () => {
    const logs = await mkdtemp(join(tmpdir(), 'slowwave-slots-'));
    onTestFinished(() => rm(logs, { recursive: true, force: true }));
    const entries = {
      deaf: `process.send({ standing: true }); process.on('message', () => {});`,
      ready: `process.on('SIGTERM', () => process.exit(0)); process.send({ ready: true }); process.on('message', () => {});`,
    };
    const ends: [string, End][] = [];
    for (const [entry, script] of Object.entries(entries)) {
      const file = join(logs, `${entry}.cjs`);
      await writeFile(file, script);
      const slots = createSlots([entry], {
        bundles: { args: () => [file], cachingArgs: () => [file] },
        entry,
        settings: {},
        logs,
        spares: 0,
        onEnd: (slot, end) => void ends.push([slot, end]),
      });
      slots.start();
      const current = slots.list[0]!.current()!;
      await until('it to run', () => current.standing() || current.ready());
      await slots.hold(60_000);
      await slots.stop();
    }
    expect(ends).toEqual([['deaf', { code: null, signal: 'SIGTERM' }]]);
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
