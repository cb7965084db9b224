import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { abandonRuns, acquireLease, finishRun, getRun, startRun } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { bookCall } from '../../fixtures/ledger-calls.ts';
import { until } from '../../fixtures/wait.ts';
import { addUsers, BEARER, CANARY, HOST, openStage, type Stage, tokenFor } from '../harness.ts';

const JSON_BODY = { ...HOST, ...BEARER, 'content-type': 'application/json' };
const UNKNOWN_RUN = '00000000-0000-7000-8000-000000000000';

describe('the API', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.dispose());

  const get = (app: ReturnType<Stage['newProducer']>['producer']['app'], url: string) =>
    app.inject({ method: 'GET', url, headers: { ...HOST, ...BEARER } });

  /** A wait that the service measures is never over. */
  function standTime(): void {
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => now.mockRestore());
  }

  /** Asks for a deep run of a user who exists. */
  async function requested(tenant: string, user: string) {
    await addUsers(stage.database, tenant, [user]);
    const made = stage.newProducer();
    const reply = await made.producer.app.inject({
      method: 'POST',
      url: '/v1/consolidations',
      headers: JSON_BODY,
      payload: { tenant, user, tier: 'deep' },
    });
    return {
      ...made,
      app: made.producer.app,
      reply,
      ...(reply.json() as { runId: string; statusUrl: string }),
    };
  }

  /** What a worker does to a run, without its work. */
  async function begin(tenant: string, user: string, runId: string): Promise<void> {
    const at = Date.now();
    const lease = await acquireLease(stage.database, { tenant, user, holder: `w-${at}`, ttlMs: 0 });
    if (lease.status !== 'held') throw new Error(lease.status);
    const { fence } = lease;
    const run = await stage.database.withTenant(tenant, async (tx) => {
      await abandonRuns(tx, { tenant, user, fence, at });
      return startRun(tx, { tenant, user, tier: 'deep', why: 'adhoc', runId, fence, at });
    });
    expect(run.status).toBe('started');
  }

  async function complete(tenant: string, user: string, runId: string): Promise<void> {
    const end = { status: 'completed', nextDueAt: Date.now() + 1e6, report: { fusions: 0 } } as const;
    await stage.database.withTenant(tenant, (tx) =>
      finishRun(tx, { tenant, user, runId, at: Date.now(), ...end }),
    );
  }

  describe('a requested consolidation', () => {
    it('has its row and its job at once, and asking twice is one run', async () => {
      const { app, reply, runId, statusUrl } = await requested('ask', 'ana@example.org');
      expect([reply.statusCode, reply.json().existing, reply.json().tier]).toEqual([202, false, 'deep']);
      const again = await app.inject({
        method: 'POST',
        url: '/v1/consolidations',
        headers: JSON_BODY,
        payload: { tenant: 'ask', user: 'ana@example.org', tier: 'deep' },
      });
      expect(again.json()).toMatchObject({ runId, existing: true });
      const jobs = (await stage.queues.queues.adhoc.getWaiting()).filter((job) => job.data.runId === runId);
      expect(jobs.map((job) => job.data)).toEqual([
        { v: 1, tenant: 'ask', user: 'ana@example.org', tier: 'deep', why: 'adhoc', runId },
      ]);
      const status = await get(app, statusUrl);
      expect(status.json()).toMatchObject({ runId, status: 'requested', finished: false, report: null });
      expect(status.json()).not.toHaveProperty('fusions');
    });

    it('of a token is refused within a minute after one that called a model, with the time to wait; the operator is exempt', async () => {
      const of = { tenant: 'again', user: 'ana' };
      const { app, runId } = await requested(of.tenant, of.user);
      const { authorization } = await tokenFor(stage.database, { tenant: of.tenant, role: 'write' });
      const ask = (headers: Record<string, string>) =>
        app.inject({
          method: 'POST',
          url: '/v1/consolidations',
          headers: { ...JSON_BODY, ...headers },
          payload: { ...of, tier: 'deep' },
        });
      await begin(of.tenant, of.user, runId);
      const free = await ask({ authorization });
      expect([free.statusCode, free.json().existing]).toEqual([202, false]);
      await begin(of.tenant, of.user, free.json().runId);
      await bookCall(stage.database, { ...of, runId: free.json().runId });
      const refused = await ask({ authorization });
      expect(refused.statusCode).toBe(429);
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(refused.json()).toMatchObject({
        code: 'run_too_soon',
        retryAfter: seconds,
        detail: expect.stringContaining(`ask again in ${seconds} s`),
      });
      expect((await ask({})).statusCode).toBe(202);
    });

    it('stands in the database even when the queue fails, for the next tick', async () => {
      await addUsers(stage.database, 'down', ['ana']);
      const queues = { ...stage.queues, addAdhoc: () => Promise.reject(new Error(CANARY)) };
      const { producer, log } = stage.newProducer({ queues });
      const reply = await producer.app.inject({
        method: 'POST',
        url: '/v1/consolidations',
        headers: JSON_BODY,
        payload: { tenant: 'down', user: 'ana', tier: 'light' },
      });
      expect(reply.statusCode).toBe(202);
      const { runId } = reply.json() as { runId: string };
      const run = await stage.database.withTenant('down', (tx) =>
        getRun(tx, { tenant: 'down', user: 'ana', runId }),
      );
      expect(run?.status).toBe('requested');
      expect(log.lines()).toContainEqual(expect.objectContaining({ runId, error: 'Error' }));
      expect(log.text()).not.toContain(CANARY);
    });

    it('of an unknown user says how users come to be', async () => {
      const { producer } = stage.newProducer();
      const reply = await producer.app.inject({
        method: 'POST',
        url: '/v1/consolidations',
        headers: JSON_BODY,
        payload: { user: 'nobody', tier: 'deep' },
      });
      expect([reply.statusCode, reply.json().code]).toEqual([404, 'unknown_user']);
      expect(reply.json().detail).toContain('/v1/imports');
    });

    it.each([
      [{ user: 'ana', tier: 'rem' }, 'tier: expected one of light, deep, sleep'],
      [{ tier: 'deep' }, 'user: expected text'],
      [{ user: '', tier: 'deep' }, 'user: expected 1 to 200 characters'],
      [{ user: 'a\u0000b', tier: 'deep' }, 'user: expected no control characters'],
      [{ user: 'x'.repeat(201), tier: 'deep' }, 'user: expected 1 to 200 characters'],
      [{ user: 'ana', tier: 'deep', CANARY: 1 }, 'fields that are not known here'],
      [[], 'an object is expected'],
    ])('refuses %j', async (payload, told) => {
      const { producer } = stage.newProducer();
      const reply = await producer.app.inject({
        method: 'POST',
        url: '/v1/consolidations',
        headers: JSON_BODY,
        payload: JSON.stringify(payload),
      });
      expect([reply.statusCode, reply.json().code]).toEqual([400, 'invalid_request']);
      expect(reply.json().detail).toContain(told);
      expect(reply.body).not.toContain('CANARY');
    });

    it('can be waited for', async () => {
      const { app, runId, statusUrl } = await requested('wait', 'ana');
      const waiting = get(app, `${statusUrl}&waitSeconds=30`);
      await begin('wait', 'ana', runId);
      await complete('wait', 'ana', runId);
      const reply = (await waiting).json();
      expect(reply).toMatchObject({
        status: 'completed',
        finished: true,
        report: { fusions: 0 },
        fusions: [],
      });
    });

    it('is told unfinished when the waiting is over, or the service stops', async () => {
      const { producer, app, statusUrl } = await requested('stop', 'ana');
      expect((await get(app, `${statusUrl}&waitSeconds=0.2`)).json()).toMatchObject({ finished: false });
      const { url } = await producer.listen();
      standTime();
      const asked = once(app.server, 'request');
      const headers = { ...BEARER, connection: 'close' };
      const waiting = fetch(`${url}${statusUrl}&waitSeconds=30`, { headers });
      await asked;
      await producer.close(60_000);
      expect(await (await waiting).json()).toMatchObject({ status: 'requested', finished: false });
    });

    it('is not looked for any more when who waits goes away', async () => {
      const { runId } = await requested('gone', 'ana');
      let reads = 0;
      const database = {
        ...stage.database,
        withTenant: ((tenant, work) => {
          reads += 1;
          return stage.database.withTenant(tenant, work);
        }) as Stage['database']['withTenant'],
      };
      const { producer } = stage.newProducer({ database });
      let answers = 0;
      producer.app.addHook('onSend', async () => {
        answers += 1;
      });
      const { url } = await producer.listen();
      standTime();
      const client = httpRequest(`${url}/v1/consolidations/${runId}?tenant=gone&user=ana&waitSeconds=30`, {
        headers: BEARER,
      });
      client.on('error', () => {});
      client.end();
      await until('the service looks at the run', () => reads > 1);
      client.destroy();
      await until('the service gives up', () => answers > 0);
    });

    it('is known under its own id, tenant and user only', async () => {
      const { app, runId, statusUrl } = await requested('own', 'ana');
      expect((await get(app, statusUrl)).statusCode).toBe(200);
      expect((await get(app, `/v1/consolidations/${runId}?user=ana`)).statusCode).toBe(404);
      expect((await get(app, `/v1/consolidations/${runId}?tenant=own&user=ben`)).statusCode).toBe(404);
      expect((await get(app, `/v1/consolidations/${UNKNOWN_RUN}?tenant=own&user=ana`)).statusCode).toBe(404);
      for (const bad of [
        '/v1/consolidations/7?user=ana',
        `/v1/consolidations/${runId}`,
        `${statusUrl}&waitSeconds=31`,
        `${statusUrl}&waitSeconds=-1`,
        `${statusUrl}&waitSeconds=soon`,
      ]) {
        expect([bad, (await get(app, bad)).json().code]).toEqual([bad, 'invalid_request']);
      }
    });
  });

  describe('a user', () => {
    it('is shown with settings, tiers and memories by band', async () => {
      await addUsers(stage.database, 'show', ['ana']);
      const { app } = stage.newProducer().producer;
      const reply = await get(app, '/v1/users/ana?tenant=show');
      expect(reply.json()).toMatchObject({
        tenant: 'show',
        user: 'ana',
        timezone: 'UTC',
        tiers: { light: { failures: 0 }, deep: {}, sleep: {} },
        bands: { total: 1, latest: 1 },
      });
      expect(reply.body).not.toContain(CANARY);
      for (const url of ['/v1/users/ana', '/v1/users/ben?tenant=show']) {
        expect((await get(app, url)).json().code).toBe('unknown_user');
      }
    });
  });
});
