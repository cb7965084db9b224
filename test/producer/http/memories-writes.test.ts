import { createMemory, forgetMemory, getMemory } from '@slowwave/api';
import { getUser } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerOf } from '../declared.ts';
import { BEARER, CANARY, HOST, openStage, type Stage, tokenFor } from '../harness.ts';

const DAY = 86_400_000;

describe('writing memories', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let call: Awaited<ReturnType<typeof callerOf>>;
  beforeAll(async () => {
    stage = await openStage();
    made = stage.newProducer();
    call = await callerOf(made.producer);
  });
  afterAll(() => stage.dispose());

  const write = (body: unknown, headers: Record<string, string> = BEARER) =>
    call(createMemory, { body, headers });
  const read = async (tenant: string, id: string) =>
    (await call(getMemory, { params: { id }, query: { tenant } })).body;

  it('makes the user, the memory and light due, and the same again changes nothing', async () => {
    const at = Date.now();
    const body = { tenant: 'one', user: 'ana', content: `${CANARY} lives in Oslo`, externalId: 'home' };
    const first = await write(body);
    expect([first.status, first.body]).toEqual([
      201,
      {
        tenant: 'one',
        user: 'ana',
        id: expect.any(String),
        externalId: 'home',
        status: 'written',
        relations: 0,
        unresolvedRelations: 0,
      },
    ]);
    const again = await write({ ...body, documentDate: at - DAY });
    expect([again.status, again.body]).toEqual([200, { ...first.body, status: 'known' }]);
    expect(await read('one', 'home')).toMatchObject({
      id: first.body.id,
      content: body.content,
      category: 'fact',
      memoryType: 'regular',
      importance: 5,
      origin: 'import',
      learnedFrom: 'conversation',
      isLatest: true,
    });
    const user = await stage.database.withTenant('one', (tx) => getUser(tx, 'one', 'ana'));
    expect(user?.tiers.light.dueAt).toBeLessThanOrEqual(Date.now());
    expect(made.log.lines()).toContainEqual(
      expect.objectContaining({ msg: 'memories written', tenant: 'one', written: 1, usersCreated: 1 }),
    );
  });

  it('keeps every field as it was given', async () => {
    const at = Date.now();
    const given = {
      content: '  Kai moves to Bergen.\n',
      category: 'event',
      memoryType: 'dynamic_profile',
      importance: 9,
      confidence: 0.25,
      trust: 0.5,
      origin: 'user',
      visibility: 'shared',
      session: 's 1',
      documentDate: at - 3 * DAY,
      eventDate: at + 30 * DAY,
      validFrom: at - DAY,
      validTo: at + 90 * DAY,
      expiresAt: at + 200 * DAY,
      metadata: { from: 'a test', nested: { list: [1, null] } },
    };
    const { body } = await write({ tenant: 'fields', user: 'ana', ...given, externalId: null });
    expect(body.externalId).toMatch(/^line:[0-9a-f]{64}$/);
    const stored = await read('fields', String(body.id));
    expect(stored).toMatchObject({ ...given, user: 'ana', version: 1, supersededBy: null, hypotheses: 0 });
    expect(stored.prominence).toBeCloseTo(0.95 * 0.99 ** 2, 4);
  });

  it('keeps metadata under names that objects have by themselves, and refuses "__proto__"', async () => {
    const metadata = {
      constructor: { prototype: { a: 1 }, name: 'n' },
      nested: [{ constructor: { prototype: {} }, prototype: { constructor: null } }],
      toString: 'text',
      hasOwnProperty: false,
    };
    const { body } = await write({ tenant: 'names', user: 'ana', content: 'one', metadata });
    expect((await read('names', String(body.id))).metadata).toEqual(metadata);
    const { producer } = stage.newProducer();
    const bodies = ['{"__proto__":{"role":"admin"}}', '[{"a":{"__proto__":{"role":"admin"}}}]'];
    for (const given of bodies) {
      const reply = await producer.app.inject({
        method: 'POST',
        url: '/v1/memories',
        headers: { ...HOST, ...BEARER, 'content-type': 'application/json' },
        payload: `{"tenant":"names","user":"ana","content":"two","metadata":{"given":${given}}}`,
      });
      expect([reply.statusCode, reply.json().code]).toEqual([400, 'invalid_body']);
    }
    expect(({} as { role?: string }).role).toBeUndefined();
  });

  it('connects a memory with those that are there, and tells how many are not', async () => {
    await write({ tenant: 'rel', user: 'ana', content: 'The office is in Oslo.', externalId: 'office' });
    const { body } = await write({
      tenant: 'rel',
      user: 'ana',
      content: 'The office has moved to Bergen.',
      externalId: 'moved',
      relations: [
        { type: 'UPDATES', target: 'office' },
        { type: 'EXTENDS', target: 'nobody', confidence: 0.5 },
      ],
    });
    expect(body).toMatchObject({ status: 'written', relations: 1, unresolvedRelations: 1 });
    expect((await read('rel', 'moved')).relations).toEqual({
      outgoing: { UPDATES: 1, EXTENDS: 0, DERIVES: 0 },
      incoming: { UPDATES: 0, EXTENDS: 0, DERIVES: 0 },
    });
    expect((await read('rel', 'office')).relations).toMatchObject({ incoming: { UPDATES: 1 } });
  });

  it('refuses another content under a known id, and what was forgotten', async () => {
    await write({ tenant: 'no', user: 'ana', content: 'one', externalId: 'a' });
    await write({ tenant: 'no', user: 'ana', content: 'two', externalId: 'b' });
    const taken = await write({ tenant: 'no', user: 'ana', content: `${CANARY} other`, externalId: 'a' });
    expect([taken.status, taken.body.code]).toEqual([409, 'id_taken']);
    expect(taken.body.detail).toContain('edit that one');
    const owner = { tenant: 'no', user: 'ana' };
    expect((await call(forgetMemory, { params: { id: 'b' }, body: owner })).body.status).toBe('done');
    const gone = await write({ tenant: 'no', user: 'ana', content: 'two', externalId: 'b' });
    expect([gone.status, gone.body.code]).toEqual([409, 'forgotten']);
    for (const { body } of [taken, gone]) expect(JSON.stringify(body)).not.toContain(CANARY);
  });

  it.each([
    ['nothing', '', 'an object is expected'],
    ['no user', { content: 'x' }, 'user: expected text'],
    ['no content', { user: 'ana' }, 'content: expected text'],
    ['blank content', { user: 'ana', content: ' \n' }, 'content is empty'],
    ['content that is too long', { user: 'ana', content: 'x'.repeat(1_001) }, 'content has 1,001 characters'],
    ['half a character', { user: 'ana', content: 'x\ud800' }, 'surrogate'],
    [
      'a category that is none',
      { user: 'ana', content: 'x', category: 'thing' },
      'category: expected one of',
    ],
    [
      'a type that only tiers make',
      { user: 'ana', content: 'x', memoryType: 'derived' },
      'memoryType: expected',
    ],
    [
      'an importance of 11',
      { user: 'ana', content: 'x', importance: 11 },
      'importance: expected a whole number',
    ],
    [
      'a date as text',
      { user: 'ana', content: 'x', documentDate: '2026-03-01' },
      'documentDate: expected an instant',
    ],
    [
      'a date far ahead',
      { user: 'ana', content: 'x', documentDate: 4e12 },
      'documentDate lies more than a day',
    ],
    [
      'a date before all years',
      { user: 'ana', content: 'x', documentDate: -1e15 },
      'documentDate must be an instant',
    ],
    [
      'an end before the beginning',
      { user: 'ana', content: 'x', validFrom: 2, validTo: 1 },
      'validTo lies before',
    ],
    ['a name of blanks', { user: 'ana', content: 'x', externalId: '  ' }, 'externalId is empty'],
    [
      'lineage',
      { user: 'ana', content: 'x', relations: [{ type: 'DERIVES', target: 'a' }] },
      'relations.0.type',
    ],
    [
      'itself',
      { user: 'ana', content: 'x', externalId: 'a', relations: [{ type: 'EXTENDS', target: 'a' }] },
      'relations[0] points at',
    ],
    [
      'a field of an import',
      { user: 'ana', content: 'x', date: '2026-03-01' },
      'fields that are not known here',
    ],
    [
      'metadata that loses digits',
      { user: 'ana', content: 'x', metadata: { n: 1e300 } },
      'metadata holds a number',
    ],
  ])('refuses %s', async (_what, given, told) => {
    const body = typeof given === 'string' ? '""' : { ...given, tenant: 'bad' };
    const reply = await write(body);
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.detail).toContain(told);
  });

  it('is for callers who may write, in their tenant', async () => {
    const body = { user: 'ana', content: 'mine' };
    const { authorization } = await tokenFor(stage.database, { tenant: 'theirs', role: 'write' });
    const own = await write(body, { authorization });
    expect([own.status, own.body.tenant]).toEqual([201, 'theirs']);
    const other = await write({ ...body, tenant: 'one' }, { authorization });
    expect([other.status, other.body.code]).toEqual([403, 'wrong_tenant']);
    const reader = await tokenFor(stage.database, { tenant: 'theirs', role: 'read' });
    const low = await write(body, { authorization: reader.authorization });
    expect([low.status, low.body.code]).toEqual([403, 'role_too_low']);
    expect((await write(body, {})).status).toBe(401);
  });

  it('leaves nothing of a memory in the log', () => {
    expect(made.log.lines().length).toBeGreaterThan(20);
    expect(made.log.text()).not.toContain(CANARY);
  });
});
