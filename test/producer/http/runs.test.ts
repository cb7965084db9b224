import {
  cancelConsolidationRoute,
  listRunsRoute,
  readRunRoute,
  requestConsolidationRoute,
} from '@slowwave/api';
import { ensureUsers, finishRun, type RunEnd, startRun } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuseMembers, membersOf } from '../../fixtures/fused.ts';
import { newMemory, scopeOf, seedUser } from '../../fixtures/memories.ts';
import { callerOf } from '../declared.ts';
import { openStage, type Stage, tokenFor } from '../harness.ts';

const NONE = '0199d0aa-0000-7000-8000-000000000001';
const REPORT = {
  steps: [
    { step: 'embed', status: 'done', counts: { embedded: 3 }, durationMs: 2 },
    {
      step: 'fusion',
      status: 'done',
      counts: {
        clusters: { committed: 2, proposed: 1, failed: 1 },
        superseded: 6,
        usage: { calls: 4, inputTokens: 100, outputTokens: 30 },
      },
      durationMs: 5,
    },
    { step: 'summaries', status: 'skipped', reason: 'no_model_provider', durationMs: 0 },
    {
      step: 'relations',
      status: 'done',
      counts: { usage: { calls: 1, inputTokens: 10, outputTokens: 3 } },
      durationMs: 1,
    },
  ],
  durationMs: 9,
};
const COMPLETED: RunEnd = { status: 'completed', nextDueAt: 0, report: REPORT };

describe('runs', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let call: Awaited<ReturnType<typeof callerOf>>;
  beforeAll(async () => {
    stage = await openStage();
    made = stage.newProducer();
    call = await callerOf(made.producer);
  });
  afterAll(() => stage.dispose());

  const at = Date.now();
  const newUser = (tenant: string, user: string) =>
    stage.database.withTenant(tenant, (tx) => ensureUsers(tx, [{ tenant, user }], at));
  /** A run that somebody began, and ended where an end is given. */
  async function run(
    tenant: string,
    user: string,
    more: { tier?: Tier; end?: RunEnd; runId?: string; at?: number } = {},
  ): Promise<string> {
    const { tier = 'deep', end, runId, at: startedAt = at } = more;
    return stage.database.withTenant(tenant, async (tx) => {
      const of = { tenant, user, at: startedAt };
      const started = await startRun(tx, { ...of, tier, why: 'adhoc', runId, fence: 1 });
      if (started.status !== 'started') throw new Error(started.reason);
      if (end) await finishRun(tx, { ...of, runId: started.runId, ...end });
      return started.runId;
    });
  }
  const list = async (query: Record<string, string | number>) => {
    const { status, body } = await call(listRunsRoute, { query });
    expect(status).toBe(200);
    return listRunsRoute.answers[200].schema.parse(body);
  };
  const idsOf = ({ runs }: { runs: { runId: string }[] }) => runs.map(({ runId }) => runId);
  const codeOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];

  it('are listed newest first, by user, tier and status, page by page', async () => {
    await newUser('l', 'ana');
    await newUser('l', 'ben');
    const ids = [
      await run('l', 'ana', { end: COMPLETED, at: at - 3_000 }),
      await run('l', 'ben', { tier: 'sleep', at: at - 2_000 }),
      await run('l', 'ana', { end: { status: 'cancelled', report: null }, at: at - 1_000 }),
    ].reverse();
    const all = await list({ tenant: 'l' });
    expect(idsOf(all)).toEqual(ids);
    expect(all.runs.map(({ status, finished }) => [status, finished])).toEqual([
      ['cancelled', true],
      ['running', false],
      ['completed', true],
    ]);
    expect(all.runs[2]!.totals).toEqual({
      fused: 2,
      proposed: 1,
      failed: 1,
      superseded: 6,
      calls: 5,
      inputTokens: 110,
      outputTokens: 33,
      costDollars: null,
    });
    expect(all.runs[0]!.totals).toMatchObject({ fused: 0, calls: 0 });
    expect(idsOf(await list({ tenant: 'l', user: 'ana' }))).toEqual([ids[0], ids[2]]);
    expect(idsOf(await list({ tenant: 'l', tier: 'sleep' }))).toEqual([ids[1]]);
    expect(idsOf(await list({ tenant: 'l', status: 'completed' }))).toEqual([ids[2]]);
    expect(await list({ tenant: 'elsewhere' })).toEqual({ tenant: 'elsewhere', runs: [], nextCursor: null });
    const first = await list({ tenant: 'l', limit: 2 });
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    const second = await list({ tenant: 'l', limit: 2, cursor: first.nextCursor! });
    expect([idsOf(second), second.nextCursor]).toEqual([[ids[2]], null]);
  });

  it('of the same instant are each on one page', async () => {
    await newUser('same', 'ana');
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push(await run('same', 'ana', { end: COMPLETED }));
    const seen: string[] = [];
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const page = await list({ tenant: 'same', limit: 2, ...(cursor === null ? {} : { cursor }) });
      seen.push(...idsOf(page));
      cursor = page.nextCursor;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  it('are shown with report, totals, what they changed and what they fused', async () => {
    const user = 'zoe';
    const memories = [0, 1, 2].map((i) => newMemory(user, `m${i}`, `Zoe has seen comet number ${i}`));
    await seedUser(stage.database, { tenant: 's', user, memories });
    const runId = await run('s', user);
    const scope = scopeOf('s', user, { at, runId });
    const fusion = await fuseMembers(stage.database, scope, await membersOf(stage.database, scope));
    await stage.database.withTenant('s', (tx) =>
      finishRun(tx, { tenant: 's', user, runId, at, ...COMPLETED }),
    );
    const reply = await call(readRunRoute, { params: { id: runId }, query: { tenant: 's', user } });
    expect([reply.status, reply.body]).toMatchObject([
      200,
      {
        runId,
        tenant: 's',
        user,
        status: 'completed',
        finished: true,
        report: REPORT,
        totals: { fused: 2 },
        changes: { total: 1, undone: 0, undoable: 1 },
      },
    ]);
    const { fusions } = readRunRoute.answers[200].schema.parse(reply.body);
    expect(fusions.map(({ key, status }) => [status, key]).sort()).toEqual([
      ['applied', fusion!.key],
      ['closed', fusion!.request],
    ]);
    expect(reply.body).not.toHaveProperty('fence');
  });

  it('are one user’s, and one tenant’s', async () => {
    await newUser('own', 'ana');
    const id = await run('own', 'ana');
    const params = { id };
    const read = (query: Record<string, string>, headers?: Record<string, string>) =>
      call(readRunRoute, { params, query, ...(headers ? { headers } : {}) });
    expect(codeOf(await read({ tenant: 'own', user: 'ben' }))).toEqual([404, 'unknown_run']);
    expect(codeOf(await read({ user: 'ana' }))).toEqual([404, 'unknown_run']);
    const unknown = { params: { id: NONE }, query: { tenant: 'own', user: 'ana' } };
    expect(codeOf(await call(readRunRoute, unknown))).toEqual([404, 'unknown_run']);
    const { authorization } = await tokenFor(stage.database, { tenant: 'elsewhere', role: 'admin' });
    const asked = { tenant: 'own', user: 'ana' };
    expect(codeOf(await read(asked, { authorization }))).toEqual([403, 'wrong_tenant']);
    expect(codeOf(await read({ user: 'ana' }, { authorization }))).toEqual([404, 'unknown_run']);
    const foreign = { query: { tenant: 'own' }, headers: { authorization } };
    expect(codeOf(await call(listRunsRoute, foreign))).toEqual([403, 'wrong_tenant']);
    const cancelled = { params: { runId: id }, body: asked, headers: { authorization } };
    expect(codeOf(await call(cancelConsolidationRoute, cancelled))).toEqual([403, 'wrong_tenant']);
  });

  it.each([
    [listRunsRoute, { status: 'done' }, 'status: expected one of requested'],
    [listRunsRoute, { tier: 'rem' }, 'tier: expected one of light, deep, sleep'],
    [listRunsRoute, { limit: 0 }, 'limit: expected a whole number from 1 to 200'],
    [listRunsRoute, { cursor: '%' }, 'cursor: expected the nextCursor of the page before'],
    [listRunsRoute, { cursor: 'WzFd' }, 'cursor must be the nextCursor of the page before'],
    [readRunRoute, {}, 'user: expected text'],
  ] as const)('refuse %o %j', async (route, query, told) => {
    const { status, body } = await call(route, { params: { id: NONE }, query });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.detail).toContain(told);
  });

  describe('called off', () => {
    async function requested(tenant: string, user: string): Promise<string> {
      await newUser(tenant, user);
      const { body } = await call(requestConsolidationRoute, { body: { tenant, user, tier: 'deep' } });
      return requestConsolidationRoute.answers[202].schema.parse(body).runId;
    }
    const cancel = (runId: string, body: object, headers?: Record<string, string>) =>
      call(cancelConsolidationRoute, { params: { runId }, body, ...(headers ? { headers } : {}) });

    it('before they begin, they end at once', async () => {
      const of = { tenant: 'c', user: 'ana' };
      const runId = await requested('c', 'ana');
      const reply = await cancel(runId, { ...of, by: 'olga' });
      expect([reply.status, reply.body]).toEqual([200, { runId, status: 'cancelled', already: false }]);
      expect((await cancel(runId, of)).body).toEqual({ runId, status: 'cancelled', already: true });
      const shown = await call(readRunRoute, { params: { id: runId }, query: of });
      expect(shown.body).toMatchObject({ status: 'cancelled', finished: true, report: null, fusions: [] });
      expect(made.log.lines()).toContainEqual(expect.objectContaining({ runId, by: 'olga', already: false }));
      expect(await requested('c', 'ana')).not.toBe(runId);
    });

    it('at work, they are told', async () => {
      const of = { tenant: 'c', user: 'ben' };
      const runId = await requested('c', 'ben');
      await run('c', 'ben', { runId });
      const first = await cancel(runId, of);
      expect([first.status, first.body]).toEqual([202, { runId, status: 'cancelling', already: false }]);
      expect((await cancel(runId, of)).body).toEqual({ runId, status: 'cancelling', already: true });
      const shown = await call(readRunRoute, { params: { id: runId }, query: of });
      expect(shown.body).toMatchObject({ status: 'running', cancelRequestedAt: expect.any(Number) });
    });

    it('too late, they say so', async () => {
      await newUser('c', 'cleo');
      const runId = await run('c', 'cleo', { end: COMPLETED });
      const { status, body } = await cancel(runId, { tenant: 'c', user: 'cleo' });
      expect([status, body]).toMatchObject([409, { code: 'finished', runStatus: 'completed' }]);
      expect(body.detail).toContain('/undo');
    });

    it('by nobody who may not', async () => {
      const runId = await requested('c', 'dora');
      const reader = await tokenFor(stage.database, { tenant: 'c', role: 'read' });
      const refused = await cancel(runId, { user: 'dora' }, { authorization: reader.authorization });
      expect(codeOf(refused)).toEqual([403, 'role_too_low']);
      expect(codeOf(await cancel(runId, { tenant: 'c', user: 'ana' }))).toEqual([404, 'unknown_run']);
      expect(codeOf(await cancel(NONE, { tenant: 'c', user: 'dora' }))).toEqual([404, 'unknown_run']);
      expect(codeOf(await cancel('x', { tenant: 'c', user: 'dora' }))).toEqual([400, 'invalid_request']);
      expect(codeOf(await cancel(runId, {}))).toEqual([400, 'invalid_request']);
    });
  });
});
