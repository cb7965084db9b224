import { loadImport } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BEARER, HOST, openStage, type Stage } from '../harness.ts';

const DAY = 86_400_000;

describe('one memory', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  beforeAll(async () => {
    stage = await openStage();
    made = stage.newProducer();
  });
  afterAll(() => stage.dispose());

  const send = (method: 'GET' | 'POST', url: string, payload?: object, headers: object = BEARER) =>
    made.producer.app.inject({
      method,
      url,
      headers: { ...HOST, ...headers, ...(payload ? { 'content-type': 'application/json' } : {}) },
      ...(payload ? { payload: JSON.stringify(payload) } : {}),
    });
  async function add(tenant: string, ...lines: object[]): Promise<void> {
    const summary = await loadImport(stage.database, lines.map((line) => JSON.stringify(line)).join('\n'), {
      format: 'jsonl',
      defaults: { tenant },
      at: Date.now(),
      maxContentChars: 1_000,
    });
    expect(summary.problems).toEqual([]);
  }
  const fact = (user: string, id: string, more: object = {}) => ({
    user,
    id,
    content: `${id} of ${user}`,
    category: 'fact',
    importance: 4,
    date: new Date(Date.now() - 30 * DAY).toISOString(),
    ...more,
  });
  const explain = async (id: string, query: string) =>
    (await send('GET', `/v1/memories/${encodeURIComponent(id)}/explain?${query}`)).json();

  it('is explained, by our id or the writer\u2019s', async () => {
    await add('e', fact('ana', 'a 1/2'));
    const byName = await explain('a 1/2', 'tenant=e');
    expect(byName).toMatchObject({
      tenant: 'e',
      user: 'ana',
      externalId: 'a 1/2',
      content: 'a 1/2 of ana',
      params: { category: 'fact', importance: 4, peak: 0.7 },
      terms: { rate: 0.99, stability: 1, floor: 0, demotion: 1 },
      band: 'active',
    });
    expect(byName.prominence).toBeCloseTo(0.7 * 0.99 ** 29, 6);
    expect(await explain(byName.id, 'tenant=e&user=ana')).toMatchObject({ id: byName.id });
  });

  it('is confirmed, demoted and set, and answers with before and after', async () => {
    await add('c', fact('ana', 'x'));
    const { prominence } = await explain('x', 'tenant=c');
    const confirmed = (await send('POST', '/v1/memories/x/confirm', { tenant: 'c' })).json();
    expect(confirmed).toEqual({
      tenant: 'c',
      user: 'ana',
      id: expect.any(String),
      before: expect.closeTo(prominence, 6),
      after: expect.closeTo(prominence + 0.3 * (1 - prominence), 6),
      nextCrossingAt: expect.any(Number),
    });
    const demoted = await send('POST', '/v1/memories/x/demote', { tenant: 'c', user: 'ana', factor: 0.5 });
    expect(demoted.json().after).toBeCloseTo(confirmed.after / 2, 6);
    const set = await send('POST', '/v1/memories/x/prominence', { tenant: 'c', value: 0.25 });
    expect(set.json()).toMatchObject({ after: 0.25 });
    expect(await explain('x', 'tenant=c')).toMatchObject({ band: 'dormant', params: { confirmations: 1 } });
    expect(made.log.lines()).toContainEqual(
      expect.objectContaining({ action: 'demote', tenant: 'c', user: 'ana', memory: confirmed.id }),
    );
  });

  it('must be one, and there', async () => {
    await add('two', fact('ana', 'same'), fact('ben', 'same'));
    for (const [method, url, payload] of [
      ['GET', '/v1/memories/same/explain?tenant=two', undefined],
      ['POST', '/v1/memories/same/confirm', { tenant: 'two' }],
    ] as const) {
      const reply = await send(method, url, payload);
      expect([reply.statusCode, reply.json().code]).toEqual([409, 'ambiguous']);
    }
    expect(await explain('same', 'tenant=two&user=ben')).toMatchObject({ user: 'ben' });
    for (const [method, url, payload] of [
      ['GET', '/v1/memories/none/explain?tenant=two', undefined],
      ['GET', '/v1/memories/same/explain?tenant=other', undefined],
      ['POST', '/v1/memories/none/confirm', { tenant: 'two' }],
      ['POST', '/v1/memories/none/demote', { tenant: 'two', user: 'ana', factor: 0.5 }],
    ] as const) {
      const reply = await send(method, url, payload);
      expect([reply.statusCode, reply.json().code]).toEqual([404, 'unknown_memory']);
    }
  });

  it('whose prominence is always 1 refuses to be changed, and says why', async () => {
    await add('p', fact('ana', 'name', { memoryType: 'static_profile' }));
    const reply = await send('POST', '/v1/memories/name/demote', { tenant: 'p', factor: 0.5 });
    expect([reply.statusCode, reply.json().code]).toEqual([409, 'static_profile']);
    expect(reply.json().detail).toContain('always 1');
  });

  it.each([
    ['demote', {}, 'factor: expected a number above 0 and below 1'],
    ['demote', { factor: 1 }, 'factor: expected a number above 0 and below 1'],
    ['demote', { factor: 0 }, 'factor: expected a number above 0 and below 1'],
    ['prominence', { value: 1.1 }, 'value: expected a number from 0 to 1'],
    ['prominence', { value: '1' }, 'value: expected a number from 0 to 1'],
    ['confirm', { value: 1 }, 'fields that are not known here'],
    ['confirm', { user: '' }, 'user: expected 1 to 200 characters'],
  ])('refuses %s with %j', async (action, payload, told) => {
    const reply = await send('POST', `/v1/memories/x/${action}`, payload);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'invalid_request']);
    expect(reply.json().detail).toContain(told);
  });

  it.each([
    ['GET', '/v1/memories/x/explain'],
    ['POST', '/v1/memories/x/confirm'],
    ['POST', '/v1/memories/x/demote'],
    ['POST', '/v1/memories/x/prominence'],
  ] as const)('is for the operator only: %s %s', async (method, url) => {
    expect((await send(method, url, undefined, {})).statusCode).toBe(401);
  });
});
