import { dropImages, loadImport } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuseMembers, membersOf } from '../../fixtures/fused.ts';
import { holdLease, scopeOf } from '../../fixtures/memories.ts';
import { BEARER, HOST, openStage, type Stage } from '../harness.ts';

const DAY = 86_400_000;
const NONE = '0199d0aa-0000-7000-8000-000000000001';

describe('undo, journal, edits and lineage', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let serial = 0;
  beforeAll(async () => {
    stage = await openStage();
    made = stage.newProducer();
  });
  afterAll(() => stage.dispose());

  const tenant = 't';
  const send = async (
    method: 'GET' | 'POST' | 'PATCH',
    url: string,
    payload?: object,
    headers: object = BEARER,
  ) => {
    const reply = await made.producer.app.inject({
      method,
      url,
      headers: { ...HOST, ...headers, ...(payload ? { 'content-type': 'application/json' } : {}) },
      ...(payload ? { payload: JSON.stringify(payload) } : {}),
    });
    return { status: reply.statusCode, type: reply.headers['content-type'], body: reply.json() };
  };
  /** A user with three memories that were fused. */
  async function fused() {
    const user = `ana-${++serial}`;
    const lines = ['one', 'two', 'three'].map((id, i) => ({
      user,
      id,
      content: `Ana keeps bicycle number ${i} in the shed`,
      category: 'fact',
      date: new Date(Date.now() - 90 * DAY).toISOString(),
    }));
    const summary = await loadImport(stage.database, lines.map((line) => JSON.stringify(line)).join('\n'), {
      format: 'jsonl',
      defaults: { tenant },
      at: Date.now(),
      maxContentChars: 1_000,
    });
    expect(summary.problems).toEqual([]);
    await stage.database.withTenant(tenant, (tx) => holdLease(tx, { tenant, user, fence: 1 }));
    const scope = scopeOf(tenant, user, { at: Date.now() });
    const members = await membersOf(stage.database, scope);
    const fusion = await fuseMembers(stage.database, scope, members);
    return { user, members, key: fusion!.key, derivedId: fusion!.derivedId };
  }

  it('takes a fusion back and makes it good again, after having told what would happen', async () => {
    const { user, members, key, derivedId } = await fused();
    const dry = await send('POST', `/v1/fusions/${key}/undo`, { tenant, user, dryRun: true });
    expect(dry.body).toMatchObject({
      tenant,
      user,
      status: 'would',
      removed: [derivedId],
      changeSetId: null,
    });
    const undone = await send('POST', `/v1/fusions/${key}/undo`, { tenant, user });
    expect(undone).toMatchObject({
      status: 200,
      body: { status: 'done', direction: 'undo', removed: [derivedId] },
    });
    expect(undone.body.restored.toSorted()).toEqual(members.map((member) => member.id).toSorted());
    const journal = await send('GET', `/v1/users/${user}/change-sets?tenant=${tenant}`);
    expect(journal.body.changeSets).toMatchObject([
      { kind: 'undo', actor: 'operator' },
      { kind: 'fusion', fusionKey: key },
    ]);
    const [, entry] = journal.body.changeSets;
    const one = await send('GET', `/v1/change-sets/${entry.id}?tenant=${tenant}&user=${user}`);
    expect(one.body).toMatchObject({ id: entry.id, undoneBy: undone.body.changeSetId });
    expect(one.body.rows).toHaveLength(7);
    expect(
      await send('POST', `/v1/change-sets/${undone.body.changeSetId}/undo`, { tenant, user, by: 'eva' }),
    ).toMatchObject({
      body: { direction: 'redo', restored: expect.arrayContaining([derivedId]) },
    });
    const page = await send('GET', `/v1/users/${user}/change-sets?tenant=${tenant}&limit=1&memory=one`);
    expect(page.body.changeSets).toMatchObject([{ kind: 'redo', actor: 'eva' }]);
    // The log tells ids and counts, and not a word of any memory.
    const lines = made.log.lines();
    expect(lines).toContainEqual(
      expect.objectContaining({ action: 'undo', tenant, user, target: key, restored: 3 }),
    );
    expect(JSON.stringify(lines)).not.toContain('bicycle');
  });

  it('answers a refusal with what to undo first, as a problem', async () => {
    const { user, key, derivedId } = await fused();
    expect(
      (await send('PATCH', `/v1/memories/${derivedId}`, { tenant, user, importance: 9 })).body,
    ).toMatchObject({
      version: 2,
    });
    const refused = await send('POST', `/v1/fusions/${key}/undo`, { tenant, user });
    expect(refused).toMatchObject({
      status: 409,
      type: 'application/problem+json; charset=utf-8',
      body: {
        code: 'depends',
        type: 'urn:slowwave:problem:depends',
        memoryIds: [derivedId],
        dependents: [{ kind: 'edit', memoryIds: [derivedId], changeSetId: expect.any(String) }],
      },
    });
    const [first] = refused.body.dependents;
    expect((await send('POST', `/v1/change-sets/${first.changeSetId}/undo`, { tenant, user })).status).toBe(
      200,
    );
    expect((await send('POST', `/v1/fusions/${key}/undo`, { tenant, user })).status).toBe(200);
    expect(await send('POST', `/v1/fusions/${key}/undo`, { tenant, user })).toMatchObject({
      status: 409,
      body: { code: 'already_undone' },
    });
  });

  it('edits a memory, undoing what superseded it, and shows where it comes from', async () => {
    const { user, key, derivedId, members } = await fused();
    const lineage = await send('GET', `/v1/memories/${derivedId}/lineage?tenant=${tenant}&user=${user}`);
    expect(lineage.body).toMatchObject({ id: derivedId, fusion: { key }, truncated: false });
    expect(lineage.body.madeOf).toHaveLength(3);
    const flat = await send('GET', `/v1/memories/${derivedId}/lineage?tenant=${tenant}&user=${user}&depth=0`);
    expect(flat.body.madeOf).toEqual([]);
    const edited = await send('PATCH', '/v1/memories/one', {
      tenant,
      user,
      content: 'Ana keeps a tandem',
      validTo: Date.now(),
      by: 'eva',
    });
    expect(edited).toMatchObject({
      status: 200,
      body: { id: members[0]!.id, undoneFusion: key, reopened: expect.any(Array), before: 2 },
    });
    expect(made.log.lines()).toContainEqual(
      expect.objectContaining({ tenant, user, memory: members[0]!.id, undoneFusion: key, reopened: 2 }),
    );
    expect(JSON.stringify(made.log.lines())).not.toContain('tandem');
  });

  it('says why a memory cannot be edited', async () => {
    const { user, key } = await fused();
    const inAYear = Date.now() + 365 * DAY;
    await stage.database.withTenant(tenant, (tx) =>
      dropImages(tx, { tenant, user, at: inAYear, retentionMs: DAY, limit: 100 }),
    );
    const refused = await send('PATCH', '/v1/memories/one', { tenant, user, content: 'x' });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'superseded', why: 'images_dropped', dependents: [] },
    });
    expect(await send('POST', `/v1/fusions/${key}/undo`, { tenant, user })).toMatchObject({
      status: 409,
      body: { code: 'images_dropped' },
    });
  });

  it.each([
    ['POST', `/v1/fusions/${'f'.repeat(64)}/undo`, { tenant, user: 'ana' }, 'unknown_change'],
    ['POST', `/v1/fusions/none/redo`, { tenant, user: 'ana' }, 'unknown_change'],
    ['POST', `/v1/runs/${NONE}/undo`, { tenant, user: 'ana' }, 'unknown_change'],
    ['POST', `/v1/change-sets/none/redo`, { tenant, user: 'ana' }, 'unknown_change'],
    ['GET', `/v1/change-sets/${NONE}?tenant=t&user=ana`, undefined, 'unknown_change'],
    ['PATCH', '/v1/memories/none', { tenant, user: 'ana', content: 'x' }, 'unknown_memory'],
    ['GET', '/v1/memories/none/lineage?tenant=t&user=ana', undefined, 'unknown_memory'],
  ] as const)('knows no %s %s', async (method, url, payload, code) => {
    expect(await send(method, url, payload)).toMatchObject({ status: 404, body: { code } });
  });

  it.each([
    ['POST', `/v1/runs/${NONE}/undo`, { tenant }, 'user: expected text'],
    [
      'POST',
      `/v1/runs/${NONE}/undo`,
      { tenant, user: 'ana', dryRun: 'yes' },
      'dryRun: expected true or false',
    ],
    ['POST', `/v1/runs/${NONE}/undo`, { tenant, user: 'ana', force: true }, 'fields that are not known here'],
    ['GET', '/v1/users/ana/change-sets?limit=0', undefined, 'limit: expected a whole number from 1 to 200'],
    ['PATCH', '/v1/memories/x', { tenant, user: 'ana' }, 'content: expected something to change'],
    [
      'PATCH',
      '/v1/memories/x',
      { tenant, user: 'ana', importance: 11 },
      'importance: expected a whole number',
    ],
    ['PATCH', '/v1/memories/x', { tenant, user: 'ana', category: 'mood' }, 'category: expected one of'],
    ['PATCH', '/v1/memories/x', { tenant, user: 'ana', validTo: 'soon' }, 'validTo: expected an instant'],
    ['PATCH', '/v1/memories/x', { tenant, user: 'ana', content: '' }, 'content is empty'],
    [
      'PATCH',
      '/v1/memories/x',
      { tenant, user: 'ana', content: 'x', origin: 'user' },
      'fields that are not known',
    ],
    [
      'GET',
      '/v1/memories/x/lineage?user=ana&depth=11',
      undefined,
      'depth: expected a whole number from 0 to 10',
    ],
  ] as const)('refuses %s %s with %j', async (method, url, payload, told) => {
    const reply = await send(method, url, payload);
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(reply.body.detail).toContain(told);
  });

  it.each([
    ['POST', `/v1/fusions/${'f'.repeat(64)}/undo`],
    ['POST', `/v1/runs/${NONE}/redo`],
    ['POST', `/v1/change-sets/${NONE}/undo`],
    ['GET', `/v1/change-sets/${NONE}`],
    ['GET', '/v1/users/ana/change-sets'],
    ['PATCH', '/v1/memories/x'],
    ['GET', '/v1/memories/x/lineage'],
  ] as const)('is for the operator only: %s %s', async (method, url) => {
    expect((await send(method, url, undefined, {})).status).toBe(401);
  });
});
