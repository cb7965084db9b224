import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONNECTIONS_MAX } from '../../../apps/producer/src/http/body-time.ts';
import { until } from '../../fixtures/wait.ts';
import { BEARER, lineOf, openStage, type Stage } from '../harness.ts';

interface Client {
  socket: Socket;
  received: () => string;
  isClosed: () => boolean;
}

describe('a body that arrives slowly', () => {
  let stage: Stage;
  let port: number;
  const clients: Client[] = [];
  beforeAll(async () => {
    stage = await openStage();
    const { url } = await stage.newProducer({ bodyMs: 300 }).producer.listen();
    port = Number(new URL(url).port);
  });
  afterAll(async () => {
    for (const { socket } of clients) socket.destroy();
    await stage.dispose();
  });

  /** Sends the head of a request and the first byte of its body. */
  function begin(line: string, headers: Record<string, string> = {}): Client {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let closed = false;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => {
      closed = true;
    });
    const all = { host: 'localhost', 'content-length': '8000', ...headers };
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\nx`);
    const client = { socket, received: () => text, isClosed: () => closed };
    clients.push(client);
    return client;
  }
  const closed = (client: Client) => until('the connection is closed', () => client.isClosed());
  const JSON_TYPE = { 'content-type': 'application/json' };

  it.each([
    ['POST /login', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['POST /v1/memories', { ...BEARER, ...JSON_TYPE }],
    ['POST /v1/memories/bulk', { ...BEARER, ...JSON_TYPE }],
  ])('%s: is answered with 408, and the connection closed', async (line, headers) => {
    const client = begin(line, headers);
    await closed(client);
    expect(client.received()).toMatch(/^HTTP\/1\.1 408 /);
    expect(client.received()).toContain('"code":"body_too_slow"');
  });

  it.each([
    ['POST /v1/imports', {}],
    ['PUT /api/memory?user=ana&workspace=w', JSON_TYPE],
    ['GET /v1/users/ana', {}],
    ['POST /v1/memories', JSON_TYPE],
  ])('%s without a token: the connection is closed with the answer 401', async (line, headers) => {
    const client = begin(line, headers);
    await closed(client);
    expect(client.received()).toMatch(/^HTTP\/1\.1 401 /);
    expect(client.received()).toMatch(/\r\nconnection: close\r\n/i);
  });

  it.each([
    ['GET /health/live', 200, {}],
    ['POST /nowhere', 404, {}],
    ['POST /v1/imports', 421, { host: 'elsewhere.example' }],
  ])('%s: what was answered before the body came keeps no connection', async (line, status, headers) => {
    const client = begin(line, headers);
    await closed(client);
    expect(client.received()).toContain(`HTTP/1.1 ${status} `);
  });

  it('POST /v1/imports and PUT /api/memory with a token: may take longer', async () => {
    const body = `${lineOf('ana', 'She lives in Porto.')}\n`;
    const importing = begin('POST /v1/imports', {
      ...BEARER,
      'content-type': 'application/x-ndjson',
      'content-length': String(body.length + 2),
    });
    const writing = begin('PUT /api/memory?user=ana&workspace=w', { ...BEARER, ...JSON_TYPE });
    // A request that began later and has the usual time is over before these two.
    await closed(begin('POST /v1/memories', { ...BEARER, ...JSON_TYPE }));
    expect([importing.isClosed(), writing.isClosed()]).toEqual([false, false]);
    importing.socket.write(`\n${body}`);
    await until('the import is answered', () => importing.received().includes('\r\n\r\n'));
    expect(importing.received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*"inserted":1/);
  });

  it('connections: are bounded in number', () => {
    const { producer } = stage.newProducer();
    expect(producer.app.server.maxConnections).toBe(CONNECTIONS_MAX);
  });
});
