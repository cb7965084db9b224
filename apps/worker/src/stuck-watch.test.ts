import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import { childScript } from '../../../test/fixtures/child-script.ts';
import { WATCH_THREAD } from './stuck-watch.ts';

/**
 * A process under watch. It says when it has begun, and "alive" when the time is over: it does not give its thread back, or turns all the
 * time, or does not give it back after the watch was stopped.
 */
const WATCHED = await childScript(`
  import { startStuckWatch } from ${JSON.stringify(path.join(import.meta.dirname, 'stuck-watch.ts'))};
  const [how, limitMs, forMs] = process.argv.slice(1);
  const watch = startStuckWatch({ limitMs: Number(limitMs), onError: (error) => { throw error; } });
  if (how === 'stopped') await watch.stop();
  console.log('begun');
  if (how === 'turning') await new Promise((resolve) => setTimeout(resolve, Number(forMs)));
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(forMs));
  console.log('alive');
`);
const FOREVER = 600_000;

// Most of each test is waiting, so all of them wait at the same time.
describe.concurrent('the watch over a process', () => {
  function watched(
    how: 'blocked' | 'turning' | 'stopped',
    limitMs: number,
    forMs: number,
    { onTestFinished }: TestContext,
  ) {
    const child = spawn(process.execPath, [...WATCHED, how, String(limitMs), String(forMs)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const texts = { out: '', err: '' };
    child.stdout.on('data', (chunk) => {
      texts.out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      texts.err += chunk;
    });
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    return { texts, ended };
  }

  it('ends it when its main thread does not turn any more, and says why', async (context) => {
    const { texts, ended } = watched('blocked', 2_000, FOREVER, context);
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(texts.out).toBe('begun\n');
    expect(texts.err).toMatch(/^The main thread has not turned for 2 s: .*\n$/);
  });

  it('leaves it alone while it turns, and does not keep it alive', async (context) => {
    const { texts, ended } = watched('turning', 2_500, 6_000, context);
    expect(await ended).toEqual([0, null]);
    expect(texts).toEqual({ out: 'begun\nalive\n', err: '' });
  });

  it('leaves it alone once it is stopped', async (context) => {
    const { texts, ended } = watched('stopped', 2_000, 4_000, context);
    expect(await ended).toEqual([0, null]);
    expect(texts).toEqual({ out: 'begun\nalive\n', err: '' });
  });
});

describe('the thread of the watch', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function watching({ deaf = false } = {}) {
    const beats = new Int32Array(new SharedArrayBuffer(4));
    const done: unknown[] = [];
    const modules: Record<string, object> = {
      'node:fs': {
        write: (descriptor: number, line: string, written: () => void) => {
          done.push([descriptor, line]);
          if (!deaf) written();
        },
      },
      'node:worker_threads': {
        workerData: { beats, everyMs: 100, looks: 3, lastWordsMs: 1_000, line: 'why' },
      },
    };
    const process = { pid: 7, kill: (...args: unknown[]) => done.push(args) };
    new Function('require', 'process', WATCH_THREAD)((name: string) => modules[name], process);
    const look = (times = 1) => vi.advanceTimersByTime(100 * times);
    return { done, look, beat: () => Atomics.add(beats, 0, 1) };
  }

  it('counts looks without a beat in between, and begins anew with each beat', () => {
    const { done, look, beat } = watching();
    look(2);
    beat();
    look(3);
    expect(done).toEqual([]);
    look();
    expect(done).toEqual([
      [2, 'why'],
      [7, 'SIGKILL'],
    ]);
  });

  it('asks no clock: an hour that the machine slept is one look', () => {
    const { done, look, beat } = watching();
    beat();
    look(2);
    vi.setSystemTime(Date.now() + 3_600_000);
    look();
    expect(done).toEqual([]);
  });

  it('waits a second at most for somebody to read why', () => {
    const { done, look } = watching({ deaf: true });
    look(3);
    vi.advanceTimersByTime(999);
    expect(done).toEqual([[2, 'why']]);
    vi.advanceTimersByTime(1);
    expect(done).toEqual([
      [2, 'why'],
      [7, 'SIGKILL'],
    ]);
  });
});
