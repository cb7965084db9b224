import { appendMessages, loadImport } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BEARER, CANARY, HOST, openStage, type Stage } from '../harness.ts';

describe('forgetting over HTTP', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  beforeAll(async () => {
    stage = await openStage();
    made = stage.newProducer();
  });
  afterAll(() => stage.dispose());

  const post = (url: string, payload?: object, headers: object = BEARER) =>
    made.producer.app.inject({
      method: 'POST',
      url,
      headers: { ...HOST, ...headers, ...(payload ? { 'content-type': 'application/json' } : {}) },
      ...(payload ? { payload: JSON.stringify(payload) } : {}),
    });
  async function add(tenant: string, user: string, ...ids: string[]): Promise<void> {
    const lines = ids.map((id) =>
      JSON.stringify({ user, id, content: `${CANARY} ${id} of ${user}`, category: 'fact', session: 's 1/2' }),
    );
    const summary = await loadImport(stage.database, lines.join('\n'), {
      format: 'jsonl',
      defaults: { tenant },
      at: Date.now(),
      maxContentChars: 1_000,
    });
    expect(summary.problems).toEqual([]);
  }
  const known = async (tenant: string, user: string) =>
    (
      await made.producer.app.inject({
        method: 'GET',
        url: `/v1/users/${user}?tenant=${tenant}`,
        headers: { ...HOST, ...BEARER },
      })
    ).statusCode === 200;

  it('tells what would go, then forgets it, and then knows it no longer', async () => {
    await add('m', 'ana', 'a/1', 'b');
    const url = `/v1/memories/${encodeURIComponent('a/1')}/forget`;
    const owner = { tenant: 'm', user: 'ana' };
    const would = (await post(url, { ...owner, dryRun: true })).json();
    expect(would).toMatchObject({ ...owner, status: 'would', changeSetId: null, reopened: [] });
    expect(would.removed.memories).toEqual([{ id: expect.any(String), why: 'asked' }]);
    const done = await post(url, owner);
    expect(done.statusCode).toBe(200);
    expect(done.json()).toMatchObject({
      status: 'done',
      changeSetId: expect.any(String),
      removed: would.removed,
    });
    const again = await post(url, owner);
    expect([again.statusCode, again.json().code]).toEqual([404, 'unknown_memory']);
    expect(again.json().detail).toContain('forgotten before');
  });

  it('forgets a session', async () => {
    await add('s', 'ana', 'a', 'b');
    await stage.database.withTenant('s', (tx) =>
      appendMessages(tx, {
        tenant: 's',
        user: 'ana',
        session: { id: 's 1/2' },
        messages: [{ role: 'user', content: 'Hello.', saidAt: Date.now() }],
        at: Date.now(),
      }),
    );
    const url = `/v1/sessions/${encodeURIComponent('s 1/2')}/forget`;
    const reply = await post(url, { tenant: 's', user: 'ana', by: 'ida' });
    expect(reply.json().removed).toMatchObject({ sessions: 1, messages: 1 });
    expect(reply.json().removed.memories).toHaveLength(2);
    expect((await post(url, { tenant: 's', user: 'ana' })).json().code).toBe('unknown_session');
  });

  it('forgets a user only when the user is named twice', async () => {
    await add('u', 'ana', 'a');
    for (const body of [{ tenant: 'u' }, { tenant: 'u', confirm: 'ben' }]) {
      const refused = await post('/v1/users/ana/forget', body);
      expect([refused.statusCode, refused.json().code]).toEqual([409, 'not_confirmed']);
    }
    expect((await post('/v1/users/ana/forget', { tenant: 'u', dryRun: true })).json().status).toBe('would');
    expect(await known('u', 'ana')).toBe(true);
    const done = await post('/v1/users/ana/forget', { tenant: 'u', confirm: 'ana' });
    expect(done.json()).toMatchObject({ status: 'done', user: 'ana', removed: { tables: { memories: 1 } } });
    expect(await known('u', 'ana')).toBe(false);
    const again = await post('/v1/users/ana/forget', { tenant: 'u', confirm: 'ana' });
    expect([again.statusCode, again.json().code]).toEqual([404, 'unknown_user']);
  });

  it('logs that something was forgotten and not what', async () => {
    await add('l', 'ana', 'a');
    await post('/v1/memories/a/forget', { tenant: 'l', user: 'ana' });
    const entry = made.log.lines().find(({ msg, tenant }) => /forgotten/.test(String(msg)) && tenant === 'l');
    expect(entry).toMatchObject({ what: 'memory', memories: 1, changeSetId: expect.any(String) });
    expect(made.log.text()).not.toContain(CANARY);
  });

  it.each([
    ['/v1/memories/x/forget', {}, 'user: expected text'],
    ['/v1/memories/x/forget', { user: 'ana', dryRun: 'yes' }, 'dryRun: expected true or false'],
    ['/v1/sessions/x/forget', { user: 'ana', all: true }, 'fields that are not known here'],
    ['/v1/users/x/forget', { user: 'x' }, 'fields that are not known here'],
  ])('refuses %s with %j', async (url, payload, told) => {
    const reply = await post(url, payload);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'invalid_request']);
    expect(reply.json().detail).toContain(told);
  });

  it.each([['/v1/memories/x/forget'], ['/v1/sessions/x/forget'], ['/v1/users/x/forget']])(
    'is for the operator only: %s',
    async (url) => expect((await post(url, undefined, {})).statusCode).toBe(401),
  );
});
