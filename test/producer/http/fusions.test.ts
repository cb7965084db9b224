import { listFusionsRoute, readFusionRoute, undoFusionRoute } from '@slowwave/api';
import { FUSION_STATUSES } from '@slowwave/fusion';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failFusionOver } from '../../fixtures/failed-fusions.ts';
import { fuseMembers, membersOf } from '../../fixtures/fused.ts';
import { holdLease, newMemory, scopeOf, seedUser } from '../../fixtures/memories.ts';
import { proposeFusion, touchMemory } from '../../fixtures/reviews.ts';
import { callerOf } from '../declared.ts';
import { addUsers, openStage, type Stage, tokenFor } from '../harness.ts';

const KEY = 'a'.repeat(64);
const RUN = '0199d0aa-0000-7000-8000-000000000001';
const FACTS = [
  'Ana keeps 3 red bicycles in the shed.',
  'Ana keeps the shed key under a blue pot.',
  'Ana repairs bicycles in the shed.',
];

describe('fusions', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let call: Awaited<ReturnType<typeof callerOf>>;
  let serial = 0;
  beforeAll(async () => {
    stage = await openStage();
    made = stage.newProducer();
    call = await callerOf(made.producer);
  });
  afterAll(() => stage.dispose());

  const newUser = () => `user-${++serial}`;
  async function proposed(tenant: string) {
    const user = newUser();
    await addUsers(stage.database, tenant, [user]);
    const summary = 'Ana keeps and repairs 3 red bicycles in the shed; its key is under a blue pot.';
    return { user, ...(await proposeFusion(stage.database, { tenant, user, texts: FACTS, summary })) };
  }
  async function applied(tenant: string, runId: string | null = null) {
    const user = newUser();
    const memories = FACTS.map((fact, i) => newMemory(user, `m${i}`, fact));
    await seedUser(stage.database, { tenant, user, memories });
    await stage.database.withTenant(tenant, (tx) => holdLease(tx, { tenant, user, fence: 1 }));
    const scope = scopeOf(tenant, user, { at: Date.now(), runId });
    const fusion = await fuseMembers(stage.database, scope, await membersOf(stage.database, scope));
    if (!fusion) throw new Error('not fused');
    return { user, ...fusion };
  }
  async function failed(tenant: string) {
    const user = newUser();
    await addUsers(stage.database, tenant, [user]);
    const answer = {
      summary: 'Ana repairs 4 bicycles in the shed.',
      covered: [1, 2, 3],
      conflicts: [],
      importance: 5,
      category: 'fact',
    };
    const given = { tenant, user, texts: FACTS, answer, code: 'invalid_output' };
    return { user, ...(await failFusionOver(stage.database, given)) };
  }
  const list = async (query: Record<string, string | number>) => {
    const { status, body } = await call(listFusionsRoute, { query });
    expect(status).toBe(200);
    return listFusionsRoute.answers[200].schema.parse(body);
  };
  const read = (tenant: string, user: string, key: string) =>
    call(readFusionRoute, { params: { key }, query: { tenant, user } });
  const keysOf = ({ fusions }: { fusions: { key: string }[] }) => fusions.map(({ key }) => key);

  it('are listed by user, status, tier and run, page by page', async () => {
    const [one, two, three] = [await applied('l', RUN), await failed('l'), await proposed('l')];
    expect(keysOf(await list({ tenant: 'l' })).sort()).toEqual([one.key, two.key, three.key].sort());
    expect(keysOf(await list({ tenant: 'l', user: two.user }))).toEqual([two.key]);
    expect(keysOf(await list({ tenant: 'l', status: 'review' }))).toEqual([three.key]);
    expect(keysOf(await list({ tenant: 'l', run: RUN }))).toEqual([one.key]);
    expect(keysOf(await list({ tenant: 'l', tier: 'sleep' }))).toEqual([]);
    expect(keysOf(await list({ tenant: 'elsewhere' }))).toEqual([]);
    const seen: string[] = [];
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const page = await list({ tenant: 'l', limit: 1, ...(cursor === null ? {} : { cursor }) });
      expect(page.fusions).toHaveLength(1);
      seen.push(...keysOf(page));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(keysOf(await list({ tenant: 'l' })));
  });

  it('show what they were made of, and whether they can be taken back', async () => {
    const { user, key, request, derivedId } = await applied('a', RUN);
    const { status, body } = await read('a', user, key);
    expect([status, body]).toMatchObject([
      200,
      {
        tenant: 'a',
        user,
        status: 'applied',
        runId: RUN,
        request,
        inputTokens: 0,
        outputTokens: 0,
        model: 'test-model',
        derived: { state: 'stored', id: derivedId },
        undoable: true,
        redoable: false,
        changeSetId: expect.any(String),
      },
    ]);
    // What was paid for is told of the fusion that it answers.
    expect((await read('a', user, request)).body).toMatchObject({
      status: 'closed',
      inputTokens: 10,
      outputTokens: 5,
      statements: [{ key, status: 'applied' }],
    });
    const { sources } = readFusionRoute.answers[200].schema.parse(body);
    expect(sources.map(({ content }) => content).sort()).toEqual(FACTS.toSorted());
    for (const source of sources)
      expect(source).toMatchObject({ isLatest: false, superseded: true, changed: false });
    await call(undoFusionRoute, { params: { key }, body: { tenant: 'a', user } });
    expect((await read('a', user, key)).body).toMatchObject({
      status: 'undone',
      undoable: false,
      redoable: true,
      derived: null,
    });
  });

  it('that wait show what would be written', async () => {
    const { user, key, ids } = await proposed('p');
    const { body } = await read('p', user, key);
    expect(body).toMatchObject({
      status: 'review',
      reviewExpiresAt: expect.any(Number),
      derived: { state: 'proposed', id: null, category: 'fact' },
      changeSetId: null,
      undoable: false,
    });
    await touchMemory(stage.database, { tenant: 'p', id: ids[0]! });
    // Counted as a change of the row, but it still says the same.
    const { sources } = readFusionRoute.answers[200].schema.parse((await read('p', user, key)).body);
    expect(sources.every(({ changed }) => !changed)).toBe(true);
  });

  it('that failed say why, and keep the words to themselves', async () => {
    const { user, key } = await failed('f');
    const { body } = await read('f', user, key);
    expect(body).toMatchObject({
      status: 'failed',
      errorCode: 'invalid_output',
      inputTokens: 40,
      derived: null,
    });
    expect(made.log.text()).not.toContain('bicycles');
  });

  it('are one user’s, and one tenant’s', async () => {
    const { user, key } = await failed('own');
    const elsewhere = await tokenFor(stage.database, { tenant: 'elsewhere', role: 'admin' });
    const headers = { authorization: elsewhere.authorization };
    const unknown = [404, 'unknown_fusion'];
    const codeOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
    expect(codeOf(await read('own', 'ben', key))).toEqual(unknown);
    expect(codeOf(await read('other', user, key))).toEqual(unknown);
    expect(codeOf(await read('own', user, KEY))).toEqual(unknown);
    const params = { key };
    expect(codeOf(await call(readFusionRoute, { params, query: { user }, headers }))).toEqual(unknown);
    const asked = { params, query: { user, tenant: 'own' }, headers };
    expect(codeOf(await call(readFusionRoute, asked))).toEqual([403, 'wrong_tenant']);
    const listed = await call(listFusionsRoute, { query: { tenant: 'own' }, headers });
    expect(codeOf(listed)).toEqual([403, 'wrong_tenant']);
  });

  it('list: each status of the ledger, accepted', async () => {
    for (const status of FUSION_STATUSES) expect(keysOf(await list({ tenant: 'none', status }))).toEqual([]);
  });

  it.each([
    [listFusionsRoute, {}, { status: 'lost' }, 'status: expected one of planned'],
    [listFusionsRoute, {}, { run: 'x' }, 'run: expected the id of a run'],
    [listFusionsRoute, {}, { limit: 201 }, 'limit: expected a whole number from 1 to 200'],
    [listFusionsRoute, {}, { cursor: 'bm8' }, 'cursor must be the nextCursor of the page before'],
    [listFusionsRoute, {}, { page: 2 }, 'fields that are not known here'],
    [readFusionRoute, { key: 'x' }, { user: 'ana' }, 'key: expected the key of a fusion'],
    [readFusionRoute, { key: KEY }, {}, 'user: expected text'],
  ] as const)('refuse %o %j %j', async (route, params, query, told) => {
    const { status, body } = await call(route, { params, query });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.detail).toContain(told);
  });
});
