import { openApiDocument, ROUTES } from '@slowwave/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOST, openStage, type Stage } from '../harness.ts';

describe('the document of the service', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.dispose());

  it('is there for everybody, and is the one that is generated', async () => {
    const { producer } = stage.newProducer();
    const reply = await producer.app.inject({ method: 'GET', url: '/openapi.json', headers: HOST });
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(reply.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument('1.2.3'))));
  });

  it('tells of every address that programs are served at, and of no other', async () => {
    const { app } = stage.newProducer().producer;
    const undeclared: string[] = [];
    app.addHook('onRoute', ({ method, url, config }) => {
      const isKnown = config?.declared?.path === url || method === 'HEAD';
      if (/^\/(?:v1|api|health|metrics|openapi)\b/.test(url) && !isKnown) undeclared.push(`${method} ${url}`);
    });
    await app.ready();
    expect(undeclared).toEqual([]);
    const missing = ROUTES.filter(({ method, path }) => !app.hasRoute({ method, url: path }));
    expect(missing.map(({ operation }) => operation)).toEqual([]);
    expect(ROUTES.length).toBeGreaterThan(80);
  });
});
