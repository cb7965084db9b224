import * as api from '@slowwave/api';
import { REPEAT_CUT_OFF_MS, REPEAT_KEPT_MS } from '@slowwave/db';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createIdempotency } from '../../../apps/producer/src/http/idempotency.ts';
import { OPERATOR, setPrincipal } from '../../../apps/producer/src/http/principal.ts';
import { Problem, problemOf, sendProblem } from '../../../apps/producer/src/http/problem.ts';
import { serve } from '../../../apps/producer/src/http/serve.ts';
import { keptLog, movableClock, openStage, type Stage } from '../harness.ts';

const make = api.route({
  operation: 'makeThing',
  method: 'POST',
  path: '/v1/things/:name',
  tag: 'service',
  summary: 'Make a thing.',
  role: 'write',
  scope: 'one',
  params: z.object({ name: z.string() }),
  body: z.strictObject({ tenant: z.string().optional(), size: z.number() }),
  answers: {
    200: { description: 'It stood.', schema: z.strictObject({ made: z.number() }) },
    201: { description: 'Made.', schema: z.strictObject({ made: z.number() }) },
  },
});

describe('a write with an Idempotency-Key', () => {
  let stage: Stage;
  let app: FastifyInstance;
  let made = 0;
  /** What the next call does besides. */
  let during: () => Promise<void> | void = () => {};
  const clock = movableClock();
  const log = keptLog();

  beforeAll(async () => {
    stage = await openStage();
    app = Fastify();
    app.decorate(
      'idempotency',
      createIdempotency({ database: stage.database, logger: log.logger, now: clock.now }),
    );
    app.addHook('onRequest', async (request) => {
      const { 'x-caller': caller } = request.headers;
      if (caller) setPrincipal(request, { ...OPERATOR, tokenId: String(caller) });
    });
    app.setErrorHandler((error, _request, reply) => sendProblem(reply, problemOf(error)));
    serve(app, make, async ({ reply }) => {
      await during();
      made += 1;
      reply.code(201);
      return { made };
    });
    serve(
      app,
      { ...make, operation: 'makeSecret', path: '/v1/secrets/:name', secretAnswer: true },
      ({ reply }) => {
        made += 1;
        reply.code(201);
        return { made };
      },
    );
  });
  afterAll(async () => {
    await app.close();
    await stage.dispose();
  });

  const send = async (key: string, body: object = { size: 1 }, path = '/v1/things/one', more = {}) => {
    const headers = { 'idempotency-key': key, ...more };
    const reply = await app.inject({ method: 'POST', url: path, headers, payload: body });
    return { status: reply.statusCode, replayed: reply.headers['idempotent-replayed'], ...reply.json() };
  };

  it('is done once, and answered the same for a day', async () => {
    const first = await send('a');
    expect(first).toMatchObject({ status: 201, replayed: undefined });
    expect(await send('a')).toEqual({ ...first, replayed: 'true' });
    expect((await send('b')).made).toBe(first.made + 1);
    clock.forward(REPEAT_KEPT_MS);
    expect((await send('a')).made).toBe(first.made + 2);
  });

  it('is refused for another body or address under the same key', async () => {
    await send('c');
    for (const [body, path] of [
      [{ size: 2 }, undefined],
      [{ size: 1 }, '/v1/things/two'],
      [{ size: 1 }, '/v1/things/one?x=1'],
    ] as const) {
      expect(await send('c', body, path)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    }
  });

  it('waits for nobody while the first is under way, and is taken over when that was cut off', async () => {
    let end = () => {};
    let begun = () => {};
    const beginning = new Promise<void>((resolve) => {
      begun = resolve;
    });
    during = () =>
      new Promise((resolve) => {
        end = resolve;
        begun();
      });
    const first = send('d');
    await beginning;
    expect(await send('d')).toMatchObject({ status: 409, code: 'idempotency_in_progress', retryable: true });
    during = () => {};
    clock.forward(REPEAT_CUT_OFF_MS);
    const second = await send('d');
    expect(second.status).toBe(201);
    end();
    expect((await first).status).toBe(201);
    expect(await send('d')).toEqual({ ...second, replayed: 'true' });
  });

  it('may be repeated after a failure or a refusal', async () => {
    const before = made;
    for (const failure of [
      new Error('no'),
      new Problem(409, 'not_now', 'not now'),
      new Problem(503, 'away', 'away'),
    ]) {
      during = () => {
        throw failure;
      };
      expect((await send('e')).status).toBe(problemOf(failure).status);
    }
    during = () => {};
    expect(made).toBe(before);
    expect(await send('e', { size: 3 })).toMatchObject({ status: 201, made: before + 1 });
    expect((await send('f', { size: 'x' })).status).toBe(400);
    expect((await send('f')).status).toBe(201);
  });

  it('does not keep a secret: that it was told is all that is known', async () => {
    const first = await send('g', { size: 1 }, '/v1/secrets/one');
    expect(first.status).toBe(201);
    expect(await send('g', { size: 1 }, '/v1/secrets/one')).toMatchObject({
      status: 409,
      code: 'answer_forgotten',
    });
    expect(made).toBe(first.made);
  });

  it('has a key of visible ASCII characters', async () => {
    for (const key of ['', ' ', 'a b', 'ä', 'x'.repeat(256)]) {
      expect(await send(key)).toMatchObject({ status: 400, code: 'invalid_request' });
    }
    expect((await send('x'.repeat(255))).status).toBe(201);
  });

  it('is of its caller and of its tenant alone', async () => {
    const answers = [];
    for (const [caller, tenant] of [
      ['one', 'acme'],
      ['two', 'acme'],
      ['one', 'other'],
      ['one', 'acme'],
    ] as const) {
      answers.push(await send('h', { size: 1, tenant }, '/v1/things/one', { 'x-caller': caller }));
    }
    expect(new Set(answers.map((answer) => answer.made)).size).toBe(3);
    expect(answers.map(({ replayed }) => replayed)).toEqual([undefined, undefined, undefined, 'true']);
  });
});
