import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BACKENDS } from '../fixtures/backends.ts';
import { describeBoard } from './board.ts';
import { CANARY, HOST, openStage, type Stage, signIn } from './harness.ts';

for (const [name, open] of BACKENDS) describeBoard(name, open);

describe('the pages of the board', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.dispose());

  it('ask nobody outside for anything, and find their own files', async () => {
    const { producer } = stage.newProducer();
    const session = await signIn(producer);
    const get = (url: string) =>
      producer.app.inject({ method: 'GET', url, headers: { ...HOST, ...session } });
    for (const url of ['/board', '/board/', '/board/queue/fusions', '/board/job-schedulers']) {
      const page = await get(url);
      expect([url, page.statusCode]).toEqual([url, 200]);
      expect(page.body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
      expect(page.body).toContain('<base href="/board/"');
      const files = [...page.body.matchAll(/(?:src|href)="(static\/[^"]+\.(?:js|css))"/g)].map(
        (match) => match[1],
      );
      expect(files.length).toBeGreaterThan(1);
      for (const file of files) expect([file, (await get(`/board/${file}`)).statusCode]).toEqual([file, 200]);
    }
  });

  it('are told that something failed, and not what it said', async () => {
    const deep = Object.assign(Object.create(stage.queues.queues.deep), {
      pause: () => Promise.reject(Object.assign(new Error(CANARY), { code: 'ECONNRESET' })),
    });
    const queues = { ...stage.queues, queues: { ...stage.queues.queues, deep } };
    const { producer, log } = stage.newProducer({ queues });
    const session = await signIn(producer);
    const headers = { ...HOST, ...session };
    const reply = await producer.app.inject({ method: 'PUT', url: '/board/api/queues/deep/pause', headers });
    expect([reply.statusCode, reply.json()]).toEqual([
      500,
      { error: { key: 'ERRORS.INTERNAL_SERVER_ERROR' } },
    ]);
    expect(log.lines()).toContainEqual(expect.objectContaining({ route: '/board', code: 'ECONNRESET' }));
    expect(log.text()).not.toContain(CANARY);
  });
});
