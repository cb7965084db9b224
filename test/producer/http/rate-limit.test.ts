import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BEARER, HOST, openStage, type Stage, tokenFor } from '../harness.ts';

describe('the limit of requests', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.dispose());

  const newApp = (ratePerMinute: number) => {
    const { producer } = stage.newProducer({ ratePerMinute });
    return (headers: Record<string, string>, url = '/v1/tokens') =>
      producer.app.inject({ method: 'GET', url, headers: { ...HOST, ...headers } });
  };

  it('counts each token for itself, and tells how much is left', async () => {
    const get = newApp(3);
    const { authorization } = await tokenFor(stage.database, { tenant: 'acme', role: 'admin' });
    const left = [];
    for (let i = 0; i < 3; i++) left.push((await get({ authorization })).headers['ratelimit-remaining']);
    expect(left).toEqual(['2', '1', '0']);
    const reply = await get({ authorization });
    expect([reply.statusCode, reply.headers['content-type'], reply.json()]).toEqual([
      429,
      'application/problem+json; charset=utf-8',
      {
        type: 'urn:slowwave:problem:rate_limited',
        title: 'Too many requests',
        status: 429,
        code: 'rate_limited',
        detail: expect.stringContaining('more than 3 requests in a minute'),
      },
    ]);
    expect(reply.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' });
    const seconds = Number(reply.headers['retry-after']);
    expect(seconds > 0 && seconds <= 60 && reply.headers['ratelimit-reset'] === String(seconds)).toBe(true);
    expect((await get(BEARER)).statusCode).toBe(200);
    const other = await tokenFor(stage.database, { tenant: 'acme', role: 'admin' });
    expect((await get({ authorization: other.authorization })).statusCode).toBe(200);
  });

  it('counts whoever has no valid token by address, and lets health and metrics go', async () => {
    const get = newApp(2);
    const statuses = [];
    for (const given of ['guess1', 'guess2', 'guess3']) {
      statuses.push((await get({ authorization: `Bearer ${given}` })).statusCode);
    }
    statuses.push((await get({})).statusCode);
    expect(statuses).toEqual([401, 401, 429, 429]);
    for (let i = 0; i < 4; i++) {
      expect((await get({}, '/health/live')).statusCode).toBe(200);
      expect((await get(BEARER, '/metrics')).statusCode).toBe(200);
    }
    expect((await get(BEARER)).statusCode).toBe(200);
  });

  it('is off at 0', async () => {
    const get = newApp(0);
    for (let i = 0; i < 30; i++) {
      const { statusCode, headers } = await get(BEARER);
      expect([statusCode, headers['ratelimit-limit']]).toEqual([200, undefined]);
    }
  });
});
