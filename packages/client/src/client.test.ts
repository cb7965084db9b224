import { describe, expect, it } from 'vitest';
import { createClient } from './client.ts';
import { SlowwaveProblem } from './problem.ts';
import type { ClientOptions } from './send.ts';

interface Seen {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
const refusal = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  json({ type: 'urn:x', title: 'X', status, code, detail: 'it is so', ...more }, status, {
    'content-type': 'application/problem+json; charset=utf-8',
    ...headers,
  });
const token = { id: 'a', name: 'agent' };

/** A client whose service gives these answers, one after the other; an error is thrown. */
function clientWith(answers: (Response | Error)[], more: Partial<ClientOptions> = {}) {
  const seen: Seen[] = [];
  const pauses: number[] = [];
  const client = createClient({
    url: 'http://slow.example:8787/',
    token: 'swt_secret',
    fetch: async (input, init) => {
      const { method = '', headers, body } = init ?? {};
      seen.push({ url: String(input), method, headers: headers as Seen['headers'], body });
      const answer = answers.shift();
      if (answer === undefined) throw new Error('nobody expected a further request');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    pause: async (ms) => void pauses.push(ms),
    ...more,
  });
  return { client, seen, pauses };
}

describe('the client', () => {
  it('sends a read with its parts in the address', async () => {
    const { client, seen } = clientWith([json({ id: 'm/1' })]);
    expect(await client.getMemory({ id: 'm/1 ä', user: 'a&b', tenant: 'acme' })).toEqual({ id: 'm/1' });
    expect(seen).toEqual([
      {
        url: 'http://slow.example:8787/v1/memories/m%2F1%20%C3%A4?tenant=acme&user=a%26b',
        method: 'GET',
        headers: { authorization: 'Bearer swt_secret' },
        body: null,
      },
    ]);
  });

  it('sends a write with its body and a key of its own', async () => {
    const { client, seen } = clientWith([json({}), json({}), json({})]);
    await client.confirmMemory({ id: 'm1', user: 'ana' });
    await client.confirmMemory({ id: 'm1', user: 'ana' });
    await client.confirmMemory({ id: 'm1', user: 'ana' }, { idempotencyKey: 'mine' });
    expect(seen[0]).toMatchObject({
      url: 'http://slow.example:8787/v1/memories/m1/confirm',
      method: 'POST',
      body: '{"user":"ana"}',
      headers: { 'content-type': 'application/json' },
    });
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(keys[1]).not.toBe(keys[0]);
    expect(keys[2]).toBe('mine');
  });

  it('throws what the service refuses', async () => {
    const { client } = clientWith([refusal(409, 'superseded', { memory: 'm2' })]);
    const error = await client.editMemory({ id: 'm1', user: 'ana', importance: 3 }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(SlowwaveProblem);
    expect(error).toMatchObject({
      status: 409,
      code: 'superseded',
      detail: 'it is so',
      retryable: false,
      more: { memory: 'm2' },
    });
  });

  it('says so when something else answered', async () => {
    const { client } = clientWith([new Response('<html>', { status: 404 })]);
    await expect(client.getMemory({ id: 'm1' })).rejects.toMatchObject({ status: 404, code: 'no_problem' });
  });

  it('tries again what is busy, unavailable or unreachable, with the same key, as long as it is asked to wait', async () => {
    const { client, seen, pauses } = clientWith([
      refusal(429, 'rate_limited', {}, { 'retry-after': '7' }),
      new TypeError('fetch failed'),
      refusal(409, 'idempotency_in_progress', { retryable: true }),
      json({ done: true }),
    ]);
    expect(await client.confirmMemory({ id: 'm1', user: 'ana' })).toEqual({ done: true });
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(pauses[0]).toBe(7_000);
    expect(pauses.slice(1).every((ms) => ms >= 0 && ms <= 5_000)).toBe(true);
    expect(pauses).toHaveLength(3);
  });

  it('requestConsolidation: asked for again too soon, it waits for as long as it is told, or says how long that is', async () => {
    const soon = () => refusal(429, 'run_too_soon', { retryAfter: 42 }, { 'retry-after': '42' });
    const asked = { user: 'ana', tier: 'deep' } as const;
    const { client, pauses } = clientWith([soon(), json({ runId: 'r' }, 202)]);
    expect(await client.requestConsolidation(asked)).toEqual({ runId: 'r' });
    expect(pauses).toEqual([42_000]);
    const impatient = clientWith([soon()], { retries: 0 });
    await expect(impatient.client.requestConsolidation(asked)).rejects.toMatchObject({
      status: 429,
      code: 'run_too_soon',
      retryable: true,
      more: { retryAfter: 42 },
    });
  });

  it('gives up after its retries, and at once where waiting would be too long or a stream was sent', async () => {
    const busy = () => refusal(503, 'database_unavailable', {}, { 'retry-after': '0' });
    const { client, seen } = clientWith([busy(), busy(), busy()], { retries: 2 });
    await expect(client.getMemory({ id: 'm1' })).rejects.toMatchObject({ status: 503, retryable: true });
    expect(seen).toHaveLength(3);
    const long = clientWith([refusal(429, 'rate_limited', {}, { 'retry-after': '3600' })]);
    await expect(long.client.getMemory({ id: 'm1' })).rejects.toMatchObject({ code: 'rate_limited' });
    const stream = clientWith([busy()]);
    await expect(stream.client.importMemories({ user: 'ana', body: 'one\n' })).rejects.toMatchObject({
      status: 503,
    });
    const gone = clientWith([new TypeError('fetch failed')], { retries: 0 });
    await expect(gone.client.confirmMemory({ id: 'm1', user: 'a' })).rejects.toMatchObject({
      status: 0,
      code: 'unreachable',
    });
    expect(gone.seen[0]!.headers).not.toHaveProperty('idempotency-key');
  });

  it('ends with its signal', async () => {
    const controller = new AbortController();
    const { client } = clientWith([refusal(503, 'stopping')], {
      pause: async (_ms, signal) => {
        controller.abort();
        signal?.throwIfAborted();
      },
    });
    const asked = client.getMemory({ id: 'm1' }, { signal: controller.signal });
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('goes through a list page by page', async () => {
    const { client, seen } = clientWith([
      json({ tokens: [token, token], nextCursor: 'abc' }),
      json({ tokens: [token], nextCursor: null }),
    ]);
    const found = [];
    for await (const one of client.all.listTokens({ limit: 2 })) found.push(one);
    expect(found).toEqual([token, token, token]);
    expect(seen.map(({ url }) => new URL(url).search)).toEqual(['?limit=2', '?limit=2&cursor=abc']);
  });

  it('waits for a run, and not for ever', async () => {
    const run = (finished: boolean) => json({ runId: 'r', finished });
    const { client } = clientWith([run(false), run(true)]);
    expect(await client.waitForRun({ runId: 'r', user: 'ana' })).toMatchObject({ finished: true });
    const slow = clientWith([run(false)]);
    await expect(slow.client.waitForRun({ runId: 'r', user: 'ana' }, { timeoutMs: 0 })).rejects.toMatchObject(
      { code: 'timeout' },
    );
  });

  it('gives streams and texts as they come, and nothing where there is nothing', async () => {
    const { client } = clientWith([
      new Response('{"a":1}\n', { headers: { 'content-type': 'application/x-ndjson' } }),
      new Response('up 1\n'),
      new Response(null, { status: 204 }),
    ]);
    expect(await new Response(await client.exportMemories({ user: 'ana' })).text()).toBe('{"a":1}\n');
    expect(await client.getMetrics()).toBe('up 1\n');
    expect(await client.removeWebhook({ id: 'w' })).toBeUndefined();
  });

  it('refuses addresses that are none', async () => {
    expect(() => createClient({ url: 'slow', token: 'x' })).toThrow(TypeError);
    const { client, seen } = clientWith([]);
    for (const id of ['', '.', '..']) await expect(client.getMemory({ id })).rejects.toThrow(TypeError);
    expect(seen).toEqual([]);
  });

  it('takes a service that is not ready for an answer', async () => {
    const { client } = clientWith([json({ status: 'not_ready' }, 503)]);
    expect(await client.getReadiness()).toEqual({ status: 'not_ready' });
  });
});
