import {
  confirmMemory,
  createMemories,
  demoteMemory,
  editMemory,
  explainMemory,
  forgetMemory,
  forgetSession,
  forgetUser,
  getMemory,
  setProminence,
  traceMemory,
} from '@slowwave/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changesOf, supersede } from '../../fixtures/memory-rows.ts';
import { callerOf } from '../declared.ts';
import { CANARY, openStage, type Stage, tokenFor } from '../harness.ts';

describe('what people do about a memory, over real connections', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let call: Awaited<ReturnType<typeof callerOf>>;
  beforeAll(async () => {
    stage = await openStage();
    made = stage.newProducer();
    call = await callerOf(made.producer);
  });
  afterAll(() => stage.dispose());

  const add = (tenant: string, ...names: string[]) =>
    call(createMemories, {
      body: {
        tenant,
        user: 'ana',
        memories: names.map((name) => ({ externalId: name, content: `${CANARY} ${name}`, session: 's1' })),
      },
    });
  const actors = (tenant: string) => changesOf(stage.database, tenant);

  it('an edit makes a new version, and is told of in the journal under the name of the token', async () => {
    await add('edit', 'a');
    const { authorization } = await tokenFor(stage.database, {
      tenant: 'edit',
      role: 'write',
      name: 'the app',
    });
    const body = { user: 'ana', content: `${CANARY} edited`, importance: 9, eventDate: null };
    const edited = await call(editMemory, { params: { id: 'a' }, body, headers: { authorization } });
    expect([edited.status, edited.body]).toEqual([
      200,
      {
        tenant: 'edit',
        user: 'ana',
        id: expect.any(String),
        before: 1,
        version: 2,
        undoneFusion: null,
        reopened: [],
        changeSetId: expect.any(String),
      },
    ]);
    const again = await call(editMemory, {
      params: { id: 'a' },
      body: { ...body, tenant: 'edit', by: 'ida' },
    });
    expect(again.body).toMatchObject({ before: 2, version: 2 });
    expect(await actors('edit')).toEqual([{ kind: 'edit', actor: 'the app' }]);
    const read = await call(getMemory, { params: { id: 'a' }, query: { tenant: 'edit' } });
    expect(read.body).toMatchObject({
      content: `${CANARY} edited`,
      importance: 9,
      learnedFrom: 'correction',
    });
    const explained = await call(explainMemory, { params: { id: 'a' }, query: { tenant: 'edit' } });
    expect(explained.body).toMatchObject({ history: [{ kind: 'edit' }], version: 2 });
  });

  it.each([
    ['nothing', { user: 'ana' }, 'content: expected something to change'],
    ['no words', { user: 'ana', content: ' ' }, 'content is empty'],
    [
      'too many words',
      { user: 'ana', content: 'x'.repeat(1_001) },
      'content is longer than 1,000 characters',
    ],
    ['a date as text', { user: 'ana', validFrom: '2026' }, 'validFrom: expected an instant in epoch millis'],
    ['an end before the beginning', { user: 'ana', validFrom: 2, validTo: 1 }, 'validTo must not lie before'],
    ['another type', { user: 'ana', memoryType: 'derived' }, 'fields that are not known here'],
    ['words of nobody', { content: 'x' }, 'user: expected text'],
  ])('an edit to %s is refused', async (_what, body, told) => {
    await add('bad', 'a');
    const reply = await call(editMemory, { params: { id: 'a' }, body: { tenant: 'bad', ...body } });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.detail).toContain(told);
  });

  it('a memory that took no part in anything has an empty lineage, and one that is not there none', async () => {
    await add('line', 'a');
    const query = { tenant: 'line', user: 'ana' };
    const found = await call(traceMemory, { params: { id: 'a' }, query });
    expect(found.body).toMatchObject({
      state: 'here',
      madeOf: [],
      madeInto: [],
      truncated: false,
      fusion: null,
    });
    const none = await call(traceMemory, { params: { id: 'b' }, query });
    expect([none.status, none.body.code]).toEqual([404, 'unknown_memory']);
    const deep = await call(traceMemory, { params: { id: 'a' }, query: { ...query, depth: 11 } });
    expect(deep.body.detail).toContain('depth: expected a whole number from 0 to 10');
  });

  it('prominence is changed as declared', async () => {
    await add('prom', 'a');
    const params = { id: 'a' };
    for (const [declared, more] of [
      [confirmMemory, {}],
      [demoteMemory, { factor: 0.5 }],
      [setProminence, { value: 0 }],
    ] as const) {
      const changed = await call(declared, { params, body: { tenant: 'prom', ...more } });
      expect([changed.status, changed.body.user]).toEqual([200, 'ana']);
    }
    const { body } = await call(explainMemory, { params, query: { tenant: 'prom', user: 'ana' } });
    expect(body).toMatchObject({ prominence: 0, band: 'archived', params: { confirmations: 1, peak: 0 } });
    expect(body.history).toHaveLength(3);
  });

  it('what was superseded shows where it went', async () => {
    await add('past', 'old', 'new');
    await supersede(stage.database, { tenant: 'past', old: 'old', by: 'new' });
    const { body } = await call(traceMemory, {
      params: { id: 'new' },
      query: { tenant: 'past', user: 'ana' },
    });
    expect(body.madeOf).toMatchObject([{ how: 'updates', state: 'here', isLatest: false, next: [] }]);
    const refused = await call(confirmMemory, { params: { id: 'old' }, body: { tenant: 'past' } });
    expect([refused.status, refused.body.code]).toEqual([409, 'superseded']);
    expect(refused.body.detail).toContain(String(body.id));
  });

  it('forgetting answers as declared, and the journal knows who asked', async () => {
    await add('gone', 'a', 'b', 'c');
    const { authorization } = await tokenFor(stage.database, {
      tenant: 'gone',
      role: 'write',
      name: 'the app',
    });
    const headers = { authorization };
    const body = { user: 'ana' };
    const would = await call(forgetSession, {
      params: { id: 's1' },
      body: { ...body, dryRun: true },
      headers,
    });
    expect(would.body).toMatchObject({ status: 'would', changeSetId: null });
    const done = await call(forgetMemory, { params: { id: 'a' }, body, headers });
    expect(done.body).toMatchObject({ status: 'done', tenant: 'gone' });
    expect(await actors('gone')).toEqual([{ kind: 'forget', actor: 'the app' }]);
    const all = await call(forgetUser, { params: { user: 'ana' }, body: { confirm: 'ana' }, headers });
    expect(all.body).toMatchObject({ status: 'done', removed: { tables: { memories: 2 } } });
    const none = await call(forgetUser, { params: { user: 'ana' }, headers });
    expect([none.status, none.body.code]).toEqual([409, 'not_confirmed']);
  });

  it('is not for callers who only read', async () => {
    await add('role', 'a');
    const { authorization } = await tokenFor(stage.database, { tenant: 'role', role: 'read' });
    const headers = { authorization };
    const params = { id: 'a' };
    for (const [declared, body] of [
      [editMemory, { user: 'ana', content: 'x' }],
      [confirmMemory, {}],
      [demoteMemory, { factor: 0.5 }],
      [setProminence, { value: 1 }],
      [forgetMemory, { user: 'ana' }],
    ] as const) {
      const reply = await call(declared, { params, body, headers });
      expect([declared.operation, reply.status, reply.body.code]).toEqual([
        declared.operation,
        403,
        'role_too_low',
      ]);
    }
    expect((await call(explainMemory, { params, headers })).status).toBe(200);
    const other = await tokenFor(stage.database, { tenant: 'other', role: 'admin' });
    const foreign = await call(explainMemory, { params, headers: { authorization: other.authorization } });
    expect([foreign.status, foreign.body.code]).toEqual([404, 'unknown_memory']);
  });

  it('leaves nothing of a memory in the log', () => {
    expect(made.log.text()).not.toContain(CANARY);
  });
});
