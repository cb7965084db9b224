import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeContents, seedConflict } from '../../fixtures/conflicts.ts';
import { BEARER, CANARY, HOST, openStage, type Stage } from '../harness.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
describe('memories that disagree', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let serial = 0;
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

  /** A user with two cities in a conflict that waits for a person. */
  async function add(tenant: string, labelled = true): Promise<string> {
    const user = `ana-${++serial}`;
    await seedConflict(stage.database, { tenant, user, labelled, words: ` ${CANARY}` });
    return user;
  }
  const list = async (query: string) => (await send('GET', `/v1/conflicts?${query}`)).json().conflicts;

  it('are listed with both texts, of one user or of the tenant', async () => {
    const [ana, ben] = [await add('l'), await add('l')];
    const [conflict] = await list(`tenant=l&user=${ana}`);
    expect(conflict).toMatchObject({
      user: ana,
      status: 'open',
      type: 'contradictory',
      slot: 'home city',
      description: 'Two cities.',
      stale: false,
      a: { origin: 'import', trust: 0.8, isLatest: true, documentDate: expect.any(Number) },
    });
    const texts = [conflict.a.content, conflict.b.content].sort();
    expect(texts).toEqual([`${ana} lives in Oslo ${CANARY}.`, `${ana} lives in York ${CANARY}.`]);
    expect((await list('tenant=l')).map(({ user }: { user: string }) => user).sort()).toEqual(
      [ana, ben].sort(),
    );
    expect(await list('tenant=l&limit=1')).toHaveLength(1);
    expect(await list('tenant=l&status=resolved')).toEqual([]);
    expect(await list('tenant=other')).toEqual([]);
    const one = await send('GET', `/v1/conflicts/${conflict.id}?tenant=l&user=${ana}`);
    expect(one.json()).toMatchObject({ tenant: 'l', id: conflict.id });
  });

  it('are settled by a person, who is named', async () => {
    const user = await add('s');
    const [conflict] = await list(`tenant=s&user=${user}`);
    const reply = await send('POST', `/v1/conflicts/${conflict.id}/resolve`, {
      tenant: 's',
      user,
      keep: 'b',
      note: 'she moved',
      by: 'olga',
    });
    expect(reply.json()).toEqual({
      tenant: 's',
      user,
      id: conflict.id,
      winner: conflict.b.id,
      loser: conflict.a.id,
      resolution: 'she moved',
      changeSetId: expect.any(String),
    });
    expect(await list(`tenant=s&user=${user}`)).toEqual([]);
    const [settled] = await list(`tenant=s&user=${user}&status=all`);
    expect(settled).toMatchObject({
      status: 'resolved',
      resolvedBy: 'person',
      actor: 'olga',
      winner: conflict.b.id,
    });
    expect(made.log.lines()).toContainEqual(expect.objectContaining({ conflict: conflict.id, keep: 'b' }));
    const again = await send('POST', `/v1/conflicts/${conflict.id}/resolve`, {
      tenant: 's',
      user,
      keep: 'a',
    });
    expect([again.statusCode, again.json().code]).toEqual([409, 'already_resolved']);
  });

  it('that have no label yet wait elsewhere, and can be settled too', async () => {
    const user = await add('r', false);
    expect(await list(`tenant=r&user=${user}`)).toEqual([]);
    const [conflict] = await list(`tenant=r&user=${user}&status=reported`);
    expect(conflict).toMatchObject({ status: 'reported', type: null });
    const reply = await send('POST', `/v1/conflicts/${conflict.id}/resolve`, {
      tenant: 'r',
      user,
      keep: 'both',
    });
    expect(reply.json()).toMatchObject({
      winner: null,
      loser: null,
      resolution: 'compatible - both retained',
    });
  });

  it('that are moot cannot be settled', async () => {
    const user = await add('m');
    const [conflict] = await list(`tenant=m&user=${user}`);
    await changeContents(stage.database, { tenant: 'm', user });
    expect((await list(`tenant=m&user=${user}`))[0]).toMatchObject({ stale: true });
    const reply = await send('POST', `/v1/conflicts/${conflict.id}/resolve`, {
      tenant: 'm',
      user,
      keep: 'a',
    });
    expect([reply.statusCode, reply.json().code]).toEqual([409, 'stale']);
  });

  it('are settled by a policy where a user has one', async () => {
    const user = await add('p');
    const url = `/v1/users/${user}/conflict-policy`;
    const reply = await send('POST', url, { tenant: 'p', policy: 'newest_wins' });
    expect(reply.json()).toEqual({ tenant: 'p', user, policy: 'newest_wins' });
    const nobody = await send('POST', '/v1/users/nobody/conflict-policy', { tenant: 'p', policy: 'ask' });
    expect([nobody.statusCode, nobody.json().code]).toEqual([404, 'unknown_user']);
    const other = await send('POST', url, { tenant: 'other', policy: 'ask' });
    expect(other.statusCode).toBe(404);
  });

  it('are one user\u2019s', async () => {
    const [ana, ben] = [await add('o'), await add('o')];
    const [conflict] = await list(`tenant=o&user=${ana}`);
    for (const [tenant, user, id] of [
      ['o', ben, conflict.id],
      ['other', ana, conflict.id],
      ['o', ana, NOBODY],
    ]) {
      const read = await send('GET', `/v1/conflicts/${id}?tenant=${tenant}&user=${user}`);
      const settled = await send('POST', `/v1/conflicts/${id}/resolve`, { tenant, user, keep: 'a' });
      for (const reply of [read, settled])
        expect([reply.statusCode, reply.json().code]).toEqual([404, 'unknown_conflict']);
    }
  });

  it.each<['GET' | 'POST', string, object | undefined, string]>([
    [
      'GET',
      '/v1/conflicts?status=closed',
      undefined,
      'status: expected one of reported, open, resolved, all',
    ],
    ['GET', '/v1/conflicts?limit=0', undefined, 'limit: expected a whole number from 1 to 500'],
    ['GET', '/v1/conflicts?page=2', undefined, 'fields that are not known here'],
    ['GET', '/v1/conflicts/x?user=u', undefined, 'id: expected the id of a conflict'],
    [
      'POST',
      `/v1/conflicts/${NOBODY}/resolve`,
      { user: 'u', keep: 'neither' },
      'keep: expected one of a, b, both',
    ],
    ['POST', `/v1/conflicts/${NOBODY}/resolve`, { keep: 'a' }, 'user: expected text'],
    [
      'POST',
      `/v1/conflicts/${NOBODY}/resolve`,
      { user: 'u', keep: 'a', note: '' },
      'note: expected 1 to 1000',
    ],
    ['POST', '/v1/users/u/conflict-policy', { policy: 'oldest' }, 'policy: expected one of ask, newest_wins'],
  ])('refuses %s %s %j', async (method, url, payload, told) => {
    const reply = await send(method, url, payload);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'invalid_request']);
    expect(reply.json().detail).toContain(told);
  });

  it.each([
    ['GET', '/v1/conflicts'],
    ['GET', `/v1/conflicts/${NOBODY}?user=u`],
    ['POST', `/v1/conflicts/${NOBODY}/resolve`],
    ['POST', '/v1/users/u/conflict-policy'],
  ] as const)('is for the operator only: %s %s', async (method, url) => {
    expect((await send(method, url, undefined, {})).statusCode).toBe(401);
  });

  it('leave no text in the log', () => {
    expect(made.log.text()).not.toContain(CANARY);
    expect(made.log.text()).not.toContain('she moved');
  });
});
