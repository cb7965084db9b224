import { createWebhook, enqueueEvents, type WebhookEventType } from '@slowwave/db';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isSigned, startReceiver, type WebhookReceiver } from '../fakes/webhook-receiver.ts';
import { until } from '../fixtures/wait.ts';
import { BEARER, HOST, type Overrides, openStage, type Stage, tokenFor } from './harness.ts';

const ALLOWED = { privateAddresses: true, lookEveryMs: 20 };
/** Of the retries, in the order in which they follow. */
const DELAYS_MS = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000];

describe('webhooks of a producer', () => {
  let stage: Stage;
  let receiver: WebhookReceiver;
  let tenants = 0;
  let tenant = '';
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.dispose());
  beforeEach(async () => {
    receiver = await startReceiver();
    tenant = `hooks-${++tenants}`;
  });
  afterEach(() => receiver.close());

  const register = async (events: WebhookEventType[] = ['run.finished']) => {
    const made = await stage.database.withTenant(tenant, (tx) =>
      createWebhook(tx, { tenant, url: receiver.url, events, at: Date.now() }),
    );
    return { id: made!.webhook.id, secret: `whsec_${made!.secret}` };
  };
  const tell = (count = 1) =>
    stage.database.withTenant(tenant, (tx) => {
      const events = Array.from({ length: count }, (_, i) => ({
        type: 'run.finished' as const,
        data: { runId: `run-${i}` },
      }));
      return enqueueEvents(tx, { tenant, user: 'ana', at: Date.now(), events });
    });
  const open = async (more: Overrides = {}) => {
    const opened = stage.newProducer({ webhooks: ALLOWED, ...more });
    await opened.producer.startTicks();
    return opened;
  };
  const call = async (
    { producer }: Pick<ReturnType<Stage['newProducer']>, 'producer'>,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object,
    headers: { authorization: string } = BEARER,
  ) => {
    const { authorization } = headers;
    const reply = await producer.app.inject({
      method,
      url,
      headers: { ...HOST, authorization },
      ...(payload === undefined ? {} : { payload }),
    });
    const body = reply.body === '' ? null : (JSON.parse(reply.body) as Record<string, unknown>);
    return { status: reply.statusCode, body };
  };
  const arrived = (count: number) => until(`${count} messages`, () => receiver.received.length >= count);

  describe('delivery', () => {
    it('sends what happened, signed, once', async () => {
      const { secret } = await register();
      const before = Math.floor(Date.now() / 1_000);
      await tell();
      const { producer, log } = await open();
      await arrived(1);
      const [message] = receiver.received;
      expect(isSigned(message!, secret)).toBe(true);
      expect(isSigned(message!, `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(false);
      expect(message!.body).toEqual({
        id: message!.headers['webhook-id'],
        type: 'run.finished',
        createdAt: expect.any(Number),
        data: { tenant, user: 'ana', runId: 'run-0' },
      });
      const seconds = Number(message!.headers['webhook-timestamp']);
      expect(before <= seconds && seconds <= Date.now() / 1_000).toBe(true);
      await until('the record', () => log.text().includes('webhook delivered'));
      await producer.close(2_000);
      expect(receiver.received).toHaveLength(1);
      expect(log.text()).not.toContain(receiver.url);
      expect(log.text()).not.toContain(secret.slice(6));
    });

    it('tries again after growing pauses under the same id, and gives up in the end', async () => {
      const { id, secret } = await register();
      receiver.answerWith((response) => response.writeHead(500).end());
      await tell();
      const { producer, clock, log } = await open();
      await arrived(1);
      for (const [i, delay] of DELAYS_MS.entries()) {
        await until(
          'the record',
          () => log.lines().filter(({ code }) => code === 'refused_status').length > i,
        );
        clock.forward(delay - 1_000);
        // Nothing is due a moment before.
        expect(receiver.received).toHaveLength(i + 1);
        clock.forward(2_000);
        await arrived(i + 2);
      }
      await until('the end', () => log.text().includes('webhook given up'));
      const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
      const times = new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp']));
      expect([ids.size, times.size]).toEqual([1, 7]);
      expect(receiver.received.every((message) => isSigned(message, secret))).toBe(true);
      const { body } = await call({ producer }, 'GET', `/v1/webhooks/${id}/deliveries?tenant=${tenant}`);
      expect(body?.deliveries).toMatchObject([
        { attempts: 7, nextAttemptAt: null, gaveUpAt: expect.any(Number), lastStatus: 500 },
      ]);
      await producer.close(2_000);
    });

    it('sends each event once from two producers', async () => {
      await register();
      await tell(40);
      const both = await Promise.all([open(), open()]);
      await arrived(40);
      await until('the records', async () => {
        const logged = both.map(({ log }) => log.text().split('webhook delivered').length - 1);
        return logged[0]! + logged[1]! === 40;
      });
      await Promise.all(both.map(({ producer }) => producer.close(2_000)));
      expect(receiver.received).toHaveLength(40);
      expect(new Set(receiver.received.map(({ body }) => body.data.runId)).size).toBe(40);
    });

    it('sends again, under the same id, what a process had in hand when it ended', async () => {
      await register();
      await tell();
      // The first one never hears an answer: to its database it is as if it had been killed.
      let answering = false;
      receiver.answerWith((response) => {
        if (answering) response.writeHead(200).end();
      });
      const first = await open({ webhooks: { ...ALLOWED, timeoutMs: 60_000 } });
      await arrived(1);
      await first.producer.close(0);
      answering = true;
      const second = await open();
      second.clock.forward(31_000);
      await arrived(2);
      await until('the record', () => second.log.text().includes('webhook delivered'));
      const [before, after] = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(after).toBe(before);
      await second.producer.close(2_000);
    });

    it('reaches nothing private unless that is allowed', async () => {
      const { id } = await register();
      await tell();
      const { producer, log } = await open({ webhooks: { lookEveryMs: 20 } });
      await until('the record', () => log.text().includes('webhook failed'));
      const { body } = await call({ producer }, 'GET', `/v1/webhooks/${id}/deliveries?tenant=${tenant}`);
      expect(body?.deliveries).toMatchObject([{ errorCode: 'invalid_url', attempts: 1 }]);
      expect(receiver.received).toEqual([]);
      await producer.close(2_000);
    });
  });

  describe('over HTTP', () => {
    it('are made, listed, changed, tried out and removed', async () => {
      const opened = stage.newProducer({ webhooks: ALLOWED });
      const made = await call(opened, 'POST', '/v1/webhooks', { tenant, url: receiver.url });
      expect(made.status).toBe(201);
      const { secret, webhook } = made.body as { secret: string; webhook: { id: string } };
      expect(webhook).toMatchObject({
        events: ['run.finished', 'conflict.found', 'fusion.failed'],
        active: true,
      });
      const at = `/v1/webhooks/${webhook.id}`;
      const listed = await call(opened, 'GET', `/v1/webhooks?tenant=${tenant}`);
      expect(listed).toEqual({ status: 200, body: { tenant, webhooks: [webhook] } });
      const tried = await call(opened, 'POST', `${at}/test`, { tenant });
      expect(tried.body).toMatchObject({ delivered: true, status: 204, errorCode: null });
      expect(receiver.received[0]?.body).toMatchObject({ type: 'webhook.test', data: { tenant } });
      expect(isSigned(receiver.received[0]!, secret)).toBe(true);
      const rotated = await call(opened, 'POST', `${at}/rotate-secret`, { tenant });
      expect(rotated.body?.secret).toMatch(/^whsec_/);
      expect(rotated.body?.secret).not.toBe(secret);
      await call(opened, 'POST', `${at}/test`, { tenant });
      expect(isSigned(receiver.received[1]!, String(rotated.body?.secret))).toBe(true);
      receiver.answerWith((response) => response.writeHead(302, { location: '/' }).end());
      const failed = await call(opened, 'POST', `${at}/test`, { tenant });
      expect(failed.body).toMatchObject({ delivered: false, status: 302, errorCode: 'redirect' });
      const changed = await call(opened, 'PATCH', at, { tenant, active: false, events: ['fusion.failed'] });
      expect(changed.body?.webhook).toMatchObject({ active: false, events: ['fusion.failed'] });
      expect(await call(opened, 'DELETE', `${at}?tenant=${tenant}`)).toEqual({ status: 204, body: null });
      for (const [method, url, body] of [
        ['PATCH', at, { tenant, active: true }],
        ['DELETE', `${at}?tenant=${tenant}`, undefined],
        ['POST', `${at}/test`, { tenant }],
        ['POST', `${at}/rotate-secret`, { tenant }],
        ['GET', `${at}/deliveries?tenant=${tenant}`, undefined],
      ] as const) {
        expect(await call(opened, method, url, body)).toMatchObject({
          status: 404,
          body: { code: 'unknown_webhook' },
        });
      }
    });

    it('say what is wrong with an address or an event, and what is expected', async () => {
      const opened = stage.newProducer();
      for (const [given, told] of [
        [{ url: 'http://example.com/' }, /url: expected a URL that starts with https/],
        [{ url: 'https://user:pass@example.com/' }, /url: expected a URL without user and password/],
        [{ url: 'https://169.254.169.254/latest' }, /url: expected a public address/],
        [{ url: '' }, /url: expected a URL of at most 2000 characters/],
        [{ url: 'https://example.com/', events: ['run.started'] }, /expected one or more of run.finished/],
        [{ url: 'https://example.com/', events: [] }, /events: expected one or more/],
        [{ url: 'https://example.com/', evnts: [] }, /fields that are not known here/],
      ] as const) {
        const { status, body } = await call(opened, 'POST', '/v1/webhooks', { tenant, ...given });
        expect([status, body?.code]).toEqual([400, 'invalid_request']);
        expect(body?.detail).toMatch(told);
      }
      const empty = await call(opened, 'PATCH', `/v1/webhooks/${crypto.randomUUID()}`, { tenant });
      expect(empty.body?.detail).toMatch(/expected something to change/);
    });

    it("are for a tenant's own admins only", async () => {
      const opened = stage.newProducer({ webhooks: ALLOWED });
      const { id } = await register();
      const other = await tokenFor(stage.database, { tenant: `${tenant}-other`, role: 'admin' });
      const writer = await tokenFor(stage.database, { tenant, role: 'write' });
      const admin = await tokenFor(stage.database, { tenant, role: 'admin' });
      expect((await call(opened, 'GET', '/v1/webhooks', undefined, writer)).body?.code).toBe('role_too_low');
      expect((await call(opened, 'GET', `/v1/webhooks?tenant=${tenant}`, undefined, other)).body?.code).toBe(
        'wrong_tenant',
      );
      expect((await call(opened, 'DELETE', `/v1/webhooks/${id}`, undefined, other)).status).toBe(404);
      expect((await call(opened, 'GET', '/v1/webhooks', undefined, other)).body?.webhooks).toEqual([]);
      expect((await call(opened, 'GET', '/v1/webhooks', undefined, admin)).body?.webhooks).toMatchObject([
        { id },
      ]);
    });
  });
});
