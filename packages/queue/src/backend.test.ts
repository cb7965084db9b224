import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connectQueues } from './backend.ts';
import { QueueUnavailable } from './errors.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server on the loopback that answers every chunk it gets with `reply`. Returns its port and how often it was called. */
async function server(reply: (chunk: string) => Buffer | string | null) {
  const sockets = new Set<Socket>();
  let calls = 0;
  const listener = createServer((socket) => {
    calls += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const answer = reply(chunk.toString('latin1'));
      if (answer === null) socket.destroy();
      else socket.write(answer);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  });
  const address = listener.address();
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, calls: () => calls };
}

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const { port } = await server(() => null);
  await closers.pop()?.();
  return port;
}

async function failureOf(
  kind: 'redis' | 'postgres',
  url: string,
  timeoutMs = 60_000,
): Promise<QueueUnavailable> {
  const connect = { attempts: 3, baseMs: 1, maxMs: 2, timeoutMs };
  const error: unknown = await connectQueues({ kind, url }, { connect }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(QueueUnavailable);
  const text = `${String(error)}${JSON.stringify(error)}${(error as Error).stack}`;
  expect(text).not.toMatch(/s3cret|ann/);
  return error as QueueUnavailable;
}

describe('a queue server that cannot be used', () => {
  it.each(['redis', 'postgres'] as const)('%s: nobody listens', async (kind) => {
    const port = await closedPort();
    const error = await failureOf(kind, `${kind}://ann:s3cret@127.0.0.1:${port}/0`);
    expect(error).toMatchObject({
      code: 'queue_unavailable',
      kind,
      reason: 'unreachable',
      retryable: true,
      attempts: 3,
      detail: 'ECONNREFUSED',
      address: `127.0.0.1:${port}/0`,
    });
    expect(error.message).toContain('after 3 attempts');
  });

  it.each(['redis', 'postgres'] as const)('%s: the connection is cut, as often as we try', async (kind) => {
    const cutting = await server(() => null);
    const error = await failureOf(kind, `${kind}://ann:s3cret@127.0.0.1:${cutting.port}/0`);
    expect(error).toMatchObject({ reason: 'unreachable', attempts: 3 });
    expect(cutting.calls()).toBe(3);
  });

  it.each(['redis', 'postgres'] as const)(
    '%s: the server takes the connection and says nothing',
    async (kind) => {
      const silent = await server(() => '');
      const error = await failureOf(kind, `${kind}://ann:s3cret@127.0.0.1:${silent.port}/0`, 50);
      expect(error).toMatchObject({ reason: 'unreachable', attempts: 3 });
    },
  );

  it('redis: a refused login is not tried again', async () => {
    // One reply to each command of the chunk.
    const refusing = await server((chunk) =>
      '-WRONGPASS invalid username-password pair\r\n'.repeat(chunk.match(/^\*\d+\r$/gm)?.length ?? 0),
    );
    const error = await failureOf('redis', `redis://ann:s3cret@127.0.0.1:${refusing.port}`);
    expect(error).toMatchObject({
      reason: 'refused_login',
      detail: 'WRONGPASS',
      attempts: 1,
      retryable: false,
    });
  });

  it('postgres: a refused login is not tried again', async () => {
    const fields = 'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "ann"\0\0';
    const length = Buffer.alloc(4);
    length.writeInt32BE(fields.length + 4);
    const refusing = await server(() => Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)]));
    const error = await failureOf('postgres', `postgres://ann:s3cret@127.0.0.1:${refusing.port}/db`);
    expect(error).toMatchObject({ reason: 'refused_login', detail: '28P01', attempts: 1, retryable: false });
  });

  it.each([
    ['redis', 'http://ann:s3cret@localhost'],
    ['redis', 'ann:s3cret'],
    ['postgres', 'mysql://ann:s3cret@localhost'],
    ['postgres', ''],
  ] as const)('%s: %j is no address', async (kind, url) => {
    const error = await failureOf(kind, url);
    expect(error).toMatchObject({ reason: 'invalid_url', address: null, retryable: false });
    expect(error.message).toContain(kind === 'redis' ? 'redis://' : 'postgres://');
  });
});
