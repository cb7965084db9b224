import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emptyServerDatabase, redisUrl } from '../fixtures/databases.ts';
import { PRODUCER, type ProcessFixture, startProcess } from '../fixtures/processes.ts';
import { until } from '../fixtures/wait.ts';
import { inScope } from '../scope.ts';
import { TOKEN } from './harness.ts';

describe('the producer as a process', () => {
  let database: Awaited<ReturnType<typeof emptyServerDatabase>>;
  let environment: Record<string, string>;
  let started: ProcessFixture[] = [];
  beforeAll(async () => {
    database = await emptyServerDatabase();
    environment = {
      DATABASE_URL: database.url,
      QUEUE_URL: redisUrl(),
      SLOWWAVE_QUEUE_PREFIX: `p${randomBytes(5).toString('hex')}`,
      SLOWWAVE_OPERATOR_TOKEN: TOKEN,
      SLOWWAVE_HTTP_PORT: '0',
    };
  });
  afterEach(async () => {
    await Promise.all(started.map((process) => process.stop()));
    started = [];
  });
  afterAll(() => database.drop());

  const start = (more: Record<string, string> = {}) => {
    const process = startProcess(PRODUCER, { ...environment, ...more });
    started.push(process);
    return process;
  };
  const urlOf = (process: ProcessFixture) =>
    until('the process to be ready', () => {
      if (process.exited()) throw new Error(process.output());
      const line = process.logged().find((each) => each.msg === 'producer ready');
      return line === undefined ? null : String(line.url);
    });

  /** The other place of the queue differs only in what test/queue compares. */
  const QUEUES = inScope({ change: ['Redis'], rest: ['PostgreSQL'] });
  it.each(QUEUES)('migrates, serves and ticks on %s, and stops when it is asked to', async (queue) => {
    const process = start(queue === 'PostgreSQL' ? { QUEUE_URL: database.url } : {});
    const url = await urlOf(process);
    const ready = await fetch(`${url}/health/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready' }]);
    const waiting = fetch(`${url}/v1/users/nobody`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect((await waiting).status).toBe(404);
    process.kill('SIGTERM');
    expect(await process.exitCode()).toBe(0);
    const lines = process.logged();
    expect(lines[0]).toMatchObject({ msg: 'producer starting', version: expect.any(String) });
    expect(lines.at(-1)).toMatchObject({ msg: 'stopped' });
    expect(process.output()).not.toContain(TOKEN);
    expect(process.output()).not.toContain(new URL(database.url).password || TOKEN);
  });

  it('ends with 3 and one clear line when the queue does not answer', async () => {
    const process = start({ QUEUE_URL: 'redis://127.0.0.1:1', SLOWWAVE_CONNECT_TIMEOUT_SECONDS: '5' });
    expect(await process.exitCode()).toBe(3);
    const fatal = process.logged().filter(({ level }) => level === 60);
    expect(fatal).toHaveLength(1);
    expect(fatal[0]?.msg).toContain('the redis queue at 127.0.0.1:1 is unavailable: unreachable');
  });

  it('ends with 2 when its port is taken, or nothing is configured', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const process = start({ SLOWWAVE_HTTP_PORT: String(port) });
    expect(await process.exitCode()).toBe(2);
    expect(process.output()).toContain(`cannot listen on 127.0.0.1:${port} (EADDRINUSE)`);
    await new Promise((resolve) => other.close(resolve));
    const bare = startProcess(PRODUCER, {});
    expect(await bare.exitCode()).toBe(2);
    expect(bare.output()).toContain('DATABASE_URL: required here');
  });
});
