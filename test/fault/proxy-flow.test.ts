import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../fixtures/wait.ts';
import { type Proxy as FaultProxy, startProxy } from './proxy.ts';

/** Looks without a change after which nothing moves any more. */
const STILL_LOOKS = 8;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function proxyTo(url: string): Promise<FaultProxy> {
  const proxy = await startProxy(url);
  cleanups.push(() => proxy.stop());
  return proxy;
}

describe('what passes through a proxy', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((_request, response) => response.end('x'.repeat(1_000)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const get = async (proxy: FaultProxy) => {
    const response = await fetch(proxy.url, { headers: { connection: 'close' } });
    return response.text();
  };

  it('counts what it took and what it hurt', async () => {
    const proxy = await proxyTo(url);
    expect(await get(proxy)).toHaveLength(1_000);
    await proxy.set({ kind: 'cut-after', bytes: 500, direction: 'down' });
    const error = await fetch(proxy.url).then(
      (response) =>
        response.text().then(
          () => null,
          (reason) => reason,
        ),
      (reason) => reason,
    );
    expect(error?.cause?.code).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    await proxy.set({ kind: 'pass' });
    expect(await get(proxy)).toHaveLength(1_000);
    expect(proxy.counts()).toEqual({ taken: 3, hurt: 1 });
    expect(proxy.faults).toEqual({ 'cut-after': 1, pass: 1 });
    await until('all connections to be gone', () => proxy.connections() === 0);
  });

  it('resets the client when the server is not there', async () => {
    const proxy = await proxyTo('http://127.0.0.1:9');
    await expect(get(proxy)).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/ECONNRESET|SOCKET/) },
    });
  });

  it('carries the end of one direction, and the other direction after it', async () => {
    const answering = createTcpServer({ allowHalfOpen: true }, (socket) => {
      let heard = 0;
      socket.on('data', (data) => {
        heard += data.length;
      });
      socket.on('end', () => socket.end(`heard ${heard}`));
    });
    await new Promise<void>((resolve) => answering.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => answering.close());
    const proxy = await proxyTo(`tcp://127.0.0.1:${(answering.address() as AddressInfo).port}`);
    const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end('x'.repeat(100_000));
    let answer = '';
    for await (const piece of socket) answer += piece;
    expect(answer).toBe('heard 100000');
    await until('the connection to be gone', () => proxy.connections() === 0);
  });

  it('leaves what nobody reads with whoever sends it', async () => {
    let sent = 0;
    const { arrayBuffers: atFirst } = process.memoryUsage();
    const flooding = createTcpServer((socket) => {
      const piece = Buffer.alloc(65_536);
      socket.on('error', () => {});
      // A caller that never waits would fill its own memory instead.
      const send = (): void => {
        sent += piece.length;
        if (!socket.destroyed) socket.write(piece, () => send());
      };
      send();
    });
    await new Promise<void>((resolve) => flooding.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => flooding.close());
    const proxy = await proxyTo(`tcp://127.0.0.1:${(flooding.address() as AddressInfo).port}`);
    const deaf: Socket = connect(proxy.port, '127.0.0.1');
    deaf.on('error', () => {});
    deaf.pause();
    cleanups.push(() => deaf.destroy());
    let [before, looks] = [-1, 0];
    // It stands still once the buffers of the system are full: nothing more in several looks.
    await until('the sender to stand still', () => {
      looks = sent > 0 && sent === before ? looks + 1 : 0;
      before = sent;
      return looks >= STILL_LOOKS;
    });
    expect(sent).toBeLessThan(64 * 1024 ** 2);
    expect(process.memoryUsage().arrayBuffers - atFirst).toBeLessThan(64 * 1024 ** 2);
  });
});
