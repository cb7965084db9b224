import { createMemories, createMemory, listMemories } from '@slowwave/api';
import { exportLines } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerOf } from '../declared.ts';
import { CANARY, openStage, type Stage } from '../harness.ts';

const DAY = 86_400_000;

describe('writing many memories', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let call: Awaited<ReturnType<typeof callerOf>>;
  beforeAll(async () => {
    stage = await openStage();
    made = stage.newProducer();
    call = await callerOf(made.producer);
  });
  afterAll(() => stage.dispose());

  const write = (body: unknown) => call(createMemory, { body });
  const writeAll = (body: unknown) => call(createMemories, { body });
  const heldBy = (tenant: string) =>
    exportLines(stage.database, { tenant, user: null, write: () => undefined });

  it('judges each by itself, in the order given', async () => {
    await write({ tenant: 'many', user: 'ana', content: 'known', externalId: 'known' });
    await write({ tenant: 'many', user: 'ana', content: 'taken', externalId: 'taken' });
    const { status, body } = await writeAll({
      tenant: 'many',
      user: 'ana',
      memories: [
        { content: `${CANARY} first`, externalId: 'a' },
        { content: ' ' },
        { content: 'known', externalId: 'known' },
        { content: 'other', externalId: 'taken' },
        { content: `${CANARY} first`, externalId: 'a' },
        { content: 'again', externalId: 'a' },
        { user: 'ben', content: 'of ben', relations: [{ type: 'EXTENDS', target: 'a' }] },
        { user: 'ben', content: 'a second one of ben', origin: 'user' },
        { content: 'later', externalId: 'z', documentDate: Date.now() + 2 * DAY },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      written: 3,
      known: 2,
      refused: 4,
      usersCreated: 1,
      relations: 0,
      unresolvedRelations: 1,
    });
    const memories = body.memories as {
      status: string;
      user: string;
      id: string;
      problem: { code: string };
    }[];
    expect(memories.map(({ status, user, problem }) => [status, user, problem?.code])).toEqual([
      ['written', 'ana', undefined],
      ['refused', 'ana', 'empty'],
      ['known', 'ana', undefined],
      ['refused', 'ana', 'id_taken'],
      ['known', 'ana', undefined],
      ['refused', 'ana', 'id_reused'],
      ['written', 'ben', undefined],
      ['written', 'ben', undefined],
      ['refused', 'ana', 'future_date'],
    ]);
    expect(memories[4]!.id).toBe(memories[0]!.id);
    expect(memories[5]!.problem).toEqual({
      code: 'id_reused',
      field: 'externalId',
      detail: 'externalId stands on memories[0] already, with other values; expected one for each memory',
    });
    for (const [user, count] of [
      ['ana', 3],
      ['ben', 2],
    ] as const) {
      const list = await call(listMemories, { query: { tenant: 'many', user } });
      expect(list.body.memories).toHaveLength(count);
    }
    expect(JSON.stringify(body)).not.toContain(CANARY);
  });

  it('says whose each is, or the request does', async () => {
    const { body } = await writeAll({ tenant: 'whose', memories: [{ content: 'x' }] });
    expect(body).toMatchObject({
      written: 0,
      memories: [{ status: 'refused', user: null, problem: { code: 'missing', field: 'user' } }],
    });
    expect(await heldBy('whose')).toMatchObject({ users: 0, memories: 0 });
  });

  it('takes 500 in one request, and its form decides for all of them', async () => {
    // More than other requests may hold.
    const memories = Array.from({ length: 500 }, (_, i) => ({ content: `${i} ${'語'.repeat(900)}` }));
    const all = await writeAll({ tenant: 'bulk', user: 'ana', memories });
    expect(all.body).toMatchObject({ written: 500, known: 0, refused: 0, usersCreated: 1 });
    const again = await writeAll({ tenant: 'bulk', user: 'ana', memories });
    expect(again.body).toMatchObject({ written: 0, known: 500 });
    for (const [wrong, told] of [
      [[...memories, { content: 'x' }], 'memories: expected 1 to 500 memories'],
      [[], 'memories: expected 1 to 500 memories'],
      [[{ content: 'new' }, { content: 'new 2', importance: 'high' }], 'memories.1.importance'],
      ['x', 'memories: expected a list'],
    ] as const) {
      const reply = await writeAll({ tenant: 'bulk', user: 'ana', memories: wrong });
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
      expect(reply.body.detail).toContain(told);
    }
    expect(await heldBy('bulk')).toMatchObject({ users: 1, memories: 500 });
  });

  it('leaves nothing of a memory in the log', () => {
    expect(made.log.lines().length).toBeGreaterThan(5);
    expect(made.log.text()).not.toContain(CANARY);
  });
});
