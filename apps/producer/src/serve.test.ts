import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { EXIT, serve } from './serve.ts';

const SECRET = 'a-secret-password';
const TOKEN = 'operator-token-of-the-tests';

describe('the process', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    servers.length = 0;
  });

  async function run(env: Record<string, string>, stop = new AbortController()) {
    const said: string[] = [];
    const log: string[] = [];
    const code = await serve({
      env,
      stop: stop.signal,
      version: '1.2.3',
      log: { write: (line) => void log.push(line) },
      complain: (text) => void said.push(text),
    });
    return { code, said: said.join('\n'), log: log.map((line) => JSON.parse(line)) };
  }

  /** A port on which nobody answers. */
  async function closedPort(): Promise<number> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    return typeof address === 'object' && address !== null ? address.port : 1;
  }

  it('tells every mistake of its configuration at once and ends with 2', async () => {
    const { code, said, log } = await run({ SLOWWAVE_TICK_SECONDS: SECRET, SLOWWAVE_QUEUE_CAPS: '1' });
    expect(code).toBe(EXIT.wrongConfiguration);
    expect(EXIT.wrongConfiguration).toBe(2);
    for (const part of [
      'SLOWWAVE_TICK_SECONDS: expected a whole number from 1 to 3600',
      'did you mean SLOWWAVE_QUEUE_CAP?',
      'DATABASE_URL: required here',
      'slowwave start',
      'SLOWWAVE_OPERATOR_TOKEN: required here',
      '4 mistake(s)',
    ]) {
      expect(said).toContain(part);
    }
    expect(said).not.toContain(SECRET);
    expect(log).toEqual([]);
  });

  it('says first what was chosen, gives up on a database that does not answer, and ends with 3', async () => {
    const port = await closedPort();
    const { code, log } = await run({
      DATABASE_URL: `postgres://somebody:${SECRET}@127.0.0.1:${port}/memories`,
      SLOWWAVE_OPERATOR_TOKEN: TOKEN,
      SLOWWAVE_CONNECT_TIMEOUT_SECONDS: '1',
    });
    expect(code).toBe(EXIT.unreachable);
    expect(EXIT.unreachable).toBe(3);
    expect(log[0]).toMatchObject({
      msg: 'producer starting',
      version: '1.2.3',
      database: `127.0.0.1:${port}/memories`,
      queue: 'redis',
    });
    const fatal = log.filter(({ level }) => level === 60);
    expect(fatal).toHaveLength(1);
    expect(fatal[0].msg).toContain(`cannot use PostgreSQL at 127.0.0.1:${port}/memories`);
    expect(log.at(-1)).toBe(fatal[0]);
    expect(JSON.stringify(log)).not.toMatch(new RegExp(`${SECRET}|${TOKEN}`));
  });

  it('stops while it waits for its servers', async () => {
    // It takes connections and never answers.
    const silent = createServer(() => {});
    servers.push(silent);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address() as { port: number };
    const stop = new AbortController();
    silent.once('connection', (socket) => {
      stop.abort();
      socket.on('close', () => socket.destroy());
      setImmediate(() => socket.destroy());
    });
    const { code, log } = await run(
      {
        DATABASE_URL: `postgres://somebody@127.0.0.1:${address.port}/memories`,
        SLOWWAVE_OPERATOR_TOKEN: TOKEN,
        SLOWWAVE_CONNECT_TIMEOUT_SECONDS: '5',
      },
      stop,
    );
    expect(code).toBe(EXIT.stopped);
    expect(log.at(-1)).toMatchObject({ msg: 'stopped' });
  });
});
