import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { childScript } from '../fixtures/child-script.ts';
import { createArmed } from './armed.ts';
import type { Arming } from './types.ts';

const OF = { tenant: 't', user: 'u' };

/** Armed without anybody dying of it. */
function armedWith(...armed: Arming[]) {
  const told: string[] = [];
  const acts = { kill: () => void told.push('killed'), exit: () => void told.push('exited') };
  const one = createArmed(armed, async ({ name }) => void told.push(name), acts);
  return { ...one, told, pass: async () => one.failpoints('before-model', OF) };
}

describe('an armed failpoint', () => {
  it('acts the time it was armed for, once, and tells before it does', async () => {
    const { told, pass, passed } = armedWith({ name: 'before-model', nth: 2, action: 'throw' });
    await pass();
    expect(told).toEqual([]);
    await expect(pass()).rejects.toThrow('broken on purpose');
    expect(told).toEqual(['before-model']);
    await pass();
    expect(passed()).toEqual({ 'before-model': 3 });
  });

  it.each([
    ['kill', 'killed'],
    ['exit', 'exited'],
  ] as const)('%s: nothing of the job follows', async (action, end) => {
    const { told, pass } = armedWith({ name: 'before-model', nth: 1, action });
    let followed = false;
    void pass().then(() => {
      followed = true;
    });
    await expect.poll(() => told).toEqual(['before-model', end]);
    expect(followed).toBe(false);
  });

  it('pauses until it is told to go on, or for a time', async () => {
    const { arm, resume, told, pass } = armedWith({ name: 'before-model', nth: 1, action: 'pause' });
    const paused = pass();
    await expect.poll(() => told).toHaveLength(1);
    resume();
    await paused;
    arm({ name: 'before-model', nth: 1, action: 'pause', ms: 1 });
    await pass();
    expect(told).toHaveLength(2);
  });

  it('that is armed later counts from then on', async () => {
    const { arm, told, pass } = armedWith();
    await pass();
    arm({ name: 'before-model', nth: 2, action: 'throw' });
    await pass();
    expect(told).toEqual([]);
    await expect(pass()).rejects.toThrow();
  });
});

describe('a shifted clock', () => {
  it.each([2, -2])('by %i h: what the process takes for the time, and nothing else', async (hours) => {
    const script = `
      import { shiftClock } from ${JSON.stringify(path.join(import.meta.dirname, 'shift-clock.ts'))};
      const right = Date.now();
      shiftClock(${hours * 3_600_000});
      const given = new Date(5);
      console.log(JSON.stringify({
        now: Date.now() - right,
        made: new Date().getTime() - right,
        said: Date.parse(Date()) - right,
        given: given.getTime(),
        isDate: given instanceof Date,
        utc: Date.UTC(1970, 0, 1),
      }));`;
    const { stdout } = await promisify(execFile)(process.execPath, await childScript(script));
    const seen = JSON.parse(stdout) as Record<string, number | boolean>;
    for (const name of ['now', 'made', 'said']) {
      expect(Math.round(Number(seen[name]) / 3_600_000), name).toBe(hours);
    }
    expect(seen).toMatchObject({ given: 5, isDate: true, utc: 0 });
  });
});
