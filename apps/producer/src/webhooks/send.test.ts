import type { LookupFunction } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startReceiver, type WebhookReceiver } from '../../../../test/fakes/webhook-receiver.ts';
import { type SendOptions, sendWebhook } from './send.ts';

const MESSAGE = { headers: { 'webhook-id': '1' }, body: '{"id":"1"}' };
const LOOPBACK = { address: '127.0.0.1', family: 4 };

/** Resolves every name to the given addresses. */
const resolvingTo =
  (...addresses: { address: string; family: number }[]): LookupFunction =>
  (_name, _options, callback) =>
    callback(null, addresses);

describe('sending a webhook', () => {
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  const send = (options: Partial<SendOptions> = {}, url = receiver.url) =>
    sendWebhook(url, MESSAGE, { privateAddresses: true, ...options });

  it('posts the body and its headers', async () => {
    expect(await send()).toEqual({ status: 'delivered', httpStatus: 204 });
    const [taken] = receiver.received;
    expect(taken).toMatchObject({ path: '/hook', text: MESSAGE.body });
    expect(taken?.headers).toMatchObject({
      'webhook-id': '1',
      'content-type': 'application/json; charset=utf-8',
    });
  });

  it('follows no redirect', async () => {
    receiver.answerWith((response) => response.writeHead(307, { location: '/elsewhere' }).end());
    expect(await send()).toEqual({ status: 'failed', code: 'redirect', httpStatus: 307 });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  it('takes any other answer than 2xx for a no', async () => {
    receiver.answerWith((response) => response.writeHead(503).end());
    expect(await send()).toEqual({ status: 'failed', code: 'refused_status', httpStatus: 503 });
  });

  it('reads no more than the beginning of an answer that never ends', async () => {
    let closed = (): void => {};
    const ended = new Promise<void>((resolve) => {
      closed = resolve;
    });
    receiver.answerWith((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(600)), 5);
      response.on('close', () => {
        clearInterval(timer);
        closed();
      });
    });
    expect(await send()).toEqual({ status: 'delivered', httpStatus: 200 });
    await ended;
  });

  it('waits for an answer for so long and no longer', async () => {
    receiver.answerWith(() => {});
    expect(await send({ timeoutMs: 150 })).toEqual({ status: 'failed', code: 'timeout', httpStatus: null });
  });

  it('says what kept it from arriving, without the address', async () => {
    const failing: LookupFunction = (_name, _options, callback) =>
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND secret.example'), { code: 'ENOTFOUND' }), '');
    const unknown = await send({ lookup: failing }, 'http://secret.example/');
    expect(unknown).toEqual({ status: 'failed', code: 'unknown_host', httpStatus: null });
    await receiver.close();
    expect(await send()).toMatchObject({ code: 'connection_failed' });
    // A server that does not speak TLS.
    receiver = await startReceiver();
    const plain = receiver.url.replace('http:', 'https:');
    expect(await send({}, plain)).toMatchObject({ code: 'tls_failed' });
  });

  describe('to public addresses only', () => {
    const strict = { privateAddresses: false };
    const named = () => `https://hooks.example:${receiver.port}/`;

    it('refuses a private address by itself, and plain http', async () => {
      const literal = `https://127.0.0.1:${receiver.port}/`;
      expect(await send(strict, literal)).toMatchObject({ code: 'invalid_url' });
      expect(await send(strict, 'http://example.com/')).toMatchObject({ code: 'invalid_url' });
    });

    it('refuses a name that stands for a private address, or for one among others', async () => {
      const publicOne = { address: '93.184.216.34', family: 4 };
      const mapped = { address: '::ffff:127.0.0.1', family: 6 };
      for (const lookup of [
        resolvingTo(LOOPBACK),
        resolvingTo(mapped),
        resolvingTo(publicOne, LOOPBACK),
        resolvingTo(),
      ]) {
        expect(await send({ ...strict, lookup }, named())).toMatchObject({ code: 'private_address' });
      }
      expect(receiver.received).toEqual([]);
    });

    it('connects to what it looked at: a name that changes in between leads nowhere', async () => {
      let looks = 0;
      const rebinding: LookupFunction = (_name, _options, callback) => {
        looks += 1;
        // Nobody answers at the first one, which is public.
        callback(null, looks === 1 ? [{ address: '192.88.99.254', family: 4 }] : [LOOPBACK]);
      };
      const results = [
        await send({ ...strict, lookup: rebinding, timeoutMs: 1_000 }, named()),
        await send({ ...strict, lookup: rebinding, timeoutMs: 60_000 }, named()),
      ];
      expect(results.every(({ status }) => status === 'failed')).toBe(true);
      expect(results[1]).toMatchObject({ code: 'private_address' });
      // Once for each connection: nothing is asked a second time behind the check.
      expect(looks).toBe(2);
      expect(receiver.received).toEqual([]);
    });
  });
});
