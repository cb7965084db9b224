import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DatabaseFixture, redisUrl, serverFixture } from '../fixtures/databases.ts';
import { type ProcessFixture, startProcess, WORKER } from '../fixtures/processes.ts';
import { until } from '../fixtures/wait.ts';

/** Loaded before the worker: a signal after which the main thread never turns again, and leaves the processor to others. */
const TRAP = "process.on('SIGUSR2',()=>Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0))";

describe('a worker process whose main thread does not turn any more', () => {
  let fixture: DatabaseFixture;
  let worker: ProcessFixture | null = null;
  beforeEach(async () => {
    fixture = await serverFixture();
  });
  afterEach(async () => {
    worker?.kill('SIGKILL');
    await worker?.exitCode();
    worker = null;
    await fixture.drop();
  });

  async function start(seconds: string): Promise<ProcessFixture> {
    const started = startProcess(WORKER, {
      DATABASE_URL: fixture.url!,
      QUEUE_URL: redisUrl(),
      SLOWWAVE_QUEUE_PREFIX: `stuck${randomBytes(4).toString('hex')}`,
      SLOWWAVE_WORKER_HEALTH_PORT: '0',
      SLOWWAVE_STUCK_SECONDS: seconds,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TRAP)}`,
    });
    worker = started;
    await until('the worker to be ready', () => {
      if (started.exited()) throw new Error(started.output());
      return started.logged().some((line) => line.msg === 'worker ready');
    });
    return started;
  }

  it('ends itself and says why', async () => {
    const started = await start('5');
    started.kill('SIGUSR2');
    expect(await started.exitCode()).toBeNull();
    expect(started.output()).toContain('The main thread has not turned for 5 s');
  });

  it('is not watched when 0 is set: no pause is too long then', async () => {
    const started = await start('0');
    expect(await started.stop()).toBe(0);
    expect(started.output()).not.toContain('The main thread');
  });
});
