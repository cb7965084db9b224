import {
  approveFusion,
  editMemory,
  forget,
  lineageOf,
  redo,
  rejectFusion,
  resolveConflict,
  undo,
} from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJoiningProvider } from '../fakes/joining-provider.ts';
import { BACKENDS, type BackendFixture } from '../fixtures/backends.ts';
import { routesOf } from '../fixtures/routes.ts';
import { columnsHolding, keysHolding } from '../fixtures/search.ts';
import { allRows, ownersOfIds, seenBy } from '../fixtures/two-tenants/crossed.ts';
import { firstHalf, type Ids, secondHalf } from '../fixtures/two-tenants/life.ts';
import { createQuotingModel, good, type Tenant, tenantOf } from '../fixtures/two-tenants/tenant.ts';
import { startWorker, type WorkerFixture } from '../fixtures/workers.ts';
import { BEARER, HOST, type Stage, stageOf } from '../producer/harness.ts';

/** What a stranger asks of what is not theirs. `of` names the id in the address; the user is the stranger's own of the same name. */
const CROSSED: Record<
  string,
  { of: keyof Ids; within?: keyof Ids; query?: string[]; body?: (ids: Ids) => object; nobody?: true }
> = {
  'GET /v1/consolidations/:runId': { of: 'run', query: ['user'] },
  'GET /v1/conflicts/:id': { of: 'conflict', query: ['user'] },
  'POST /v1/conflicts/:id/resolve': { of: 'conflict', body: () => ({ keep: 'a' }) },
  'GET /v1/change-sets/:id': { of: 'changeSet', query: ['user'] },
  'POST /v1/change-sets/:id/undo': { of: 'changeSet' },
  'POST /v1/change-sets/:id/redo': { of: 'changeSet' },
  'GET /v1/runs/:id/preview': { of: 'preview', query: ['user'] },
  'POST /v1/runs/:id/undo': { of: 'run' },
  'POST /v1/runs/:id/redo': { of: 'run' },
  'POST /v1/fusions/:id/undo': { of: 'fusion' },
  'POST /v1/fusions/:id/redo': { of: 'fusion' },
  'POST /v1/fusions/:id/approve': { of: 'review' },
  'POST /v1/fusions/:id/reject': { of: 'review' },
  'PATCH /v1/memories/:id': { of: 'memory', body: () => ({ content: 'Nothing of this.' }) },
  'GET /v1/memories/:id/explain': { of: 'memory', query: ['user'] },
  'GET /v1/memories/:id/lineage': { of: 'memory', query: ['user'] },
  'POST /v1/memories/:id/confirm': { of: 'memory' },
  'POST /v1/memories/:id/demote': { of: 'memory', body: () => ({ factor: 0.5 }) },
  'POST /v1/memories/:id/prominence': { of: 'memory', body: () => ({ value: 0.5 }) },
  'POST /v1/memories/:id/forget': { of: 'memory' },
  'POST /v1/sessions/:id/forget': { of: 'session' },
  'GET /v1/users/:user': { of: 'user', query: [] },
  'GET /v1/users/:user/change-sets': { of: 'user', query: [] },
  'POST /v1/users/:user/mode': { of: 'user', nobody: true, body: () => ({ mode: 'off' }) },
  'POST /v1/users/:user/pause': { of: 'user', nobody: true },
  'POST /v1/users/:user/resume': { of: 'user', nobody: true },
  'POST /v1/users/:user/release': { of: 'user', nobody: true },
  'POST /v1/users/:user/forget': { of: 'user', nobody: true, body: ({ user }) => ({ confirm: user }) },
  'GET /v1/workspaces/:workspace': { of: 'workspace', query: ['user'] },
  'DELETE /v1/workspaces/:workspace': { of: 'workspace', query: ['user', 'confirm'] },
  'GET /v1/workspaces/:workspace/projection': { of: 'workspace', query: ['user'] },
  'POST /v1/workspaces/:workspace/projection': { of: 'workspace' },
  'GET /v1/workspaces/:workspace/runs': { of: 'workspace', query: ['user'] },
  'GET /v1/workspaces/:workspace/runs/:run': { of: 'workspace', within: 'workspaceRun', query: ['user'] },
  'POST /v1/workspaces/:workspace/runs/:run/undo': { of: 'workspace', within: 'workspaceRun' },
  'POST /v1/consolidations/:runId/cancel': { of: 'run' },
  'GET /v1/runs/:id': { of: 'run', query: ['user'] },
  'GET /v1/fusions/:id': { of: 'fusion', query: ['user'] },
  'GET /v1/memories/:id': { of: 'memory', query: ['user'] },
  'PATCH /v1/users/:user': { of: 'user', nobody: true, body: () => ({ mode: 'off' }) },
  'DELETE /v1/tokens/:id': { of: 'token', query: [], nobody: true },
  'PATCH /v1/webhooks/:id': { of: 'webhook', nobody: true, body: () => ({ active: false }) },
  'DELETE /v1/webhooks/:id': { of: 'webhook', query: [], nobody: true },
  'GET /v1/webhooks/:id/deliveries': { of: 'webhook', query: [] },
  'POST /v1/webhooks/:id/rotate-secret': { of: 'webhook', nobody: true },
  'POST /v1/webhooks/:id/test': { of: 'webhook', nobody: true },
  'POST /v1/users/:user/conflict-policy': { of: 'user', nobody: true, body: () => ({ policy: 'ask' }) },
};
/** Addresses without an id of a tenant's own: they name the tenant itself, or everybody. */
const OTHERS = [
  // Makes one of the tenant's own.
  /^PUT \/v1\/workspaces\/:workspace$/,
  /^POST \/v1\/tenants\/:tenant\/(?:pause|resume)$/,
  /^(?:GET|PUT) \/v1\/tenants\/:tenant\/(?:settings|evaluation)$/,
  /^POST \/v1\/tiers\/:tier\/(?:pause|resume)$/,
];

describe.each(BACKENDS)('two tenants with the same names (%s)', { timeout: 180_000 }, (_name, open) => {
  let backend: BackendFixture;
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let north: Tenant;
  let south: Tenant;
  const ids = new Map<Tenant, Ids>();
  const logs: string[] = [];

  beforeAll(async () => {
    backend = await open();
    stage = stageOf(backend);
    made = stage.newProducer();
    const { app } = made.producer;
    north = tenantOf(app, 'north', 'K7101');
    south = tenantOf(app, 'south', 'K7202');
    await working(createJoiningProvider(), async () => {
      for (const tenant of [north, south]) await firstHalf(app, backend, tenant);
    });
    await working(createQuotingModel(), async () => {
      for (const tenant of [north, south]) ids.set(tenant, await secondHalf(app, backend, tenant));
    });
  });
  afterAll(() => stage?.dispose());

  async function working(
    provider: Parameters<typeof startWorker>[1],
    work: () => Promise<void>,
  ): Promise<void> {
    const worker: WorkerFixture = await startWorker(backend, provider);
    try {
      await work();
    } finally {
      logs.push(...worker.log);
      await worker.close();
    }
  }

  it('keep what each says in rows of its own', async () => {
    const rows = await allRows(backend.database);
    for (const tenant of [north, south]) {
      const holding = rows.filter(({ text }) => text.includes(tenant.canary));
      expect(holding.filter((row) => row.tenant !== tenant.name)).toEqual([]);
      // Everywhere where words may stand, some do: or the search would find nothing anyway.
      const places = [
        'memories',
        'messages',
        'fusions',
        'changes',
        'model_answers',
        'recall_events',
        'session_summaries',
      ];
      expect([...new Set(holding.map(({ table }) => table))]).toEqual(expect.arrayContaining(places));
    }
    const shared = [...ownersOfIds(rows)].filter(([, owners]) => owners.has('north') && owners.has('south'));
    expect(shared).toEqual([]);
  });

  it('leave no word in the queue or in a log', async () => {
    for (const { canary } of [north, south]) {
      const columns = await columnsHolding(backend.database, canary);
      expect(columns.filter((column) => !column.startsWith('slowwave.'))).toEqual([]);
      expect(await keysHolding(backend, canary)).toEqual([]);
      expect(logs.filter((line) => line.includes(canary))).toEqual([]);
      expect(made.log.text()).not.toContain(canary);
    }
  });

  it('see no row of each other in any table', async () => {
    for (const name of ['north', 'south', 'nobody']) {
      for (const [table, owners] of Object.entries(await seenBy(backend.database, name))) {
        expect(
          Object.keys(owners).filter((owner) => owner !== name),
          table,
        ).toEqual([]);
      }
    }
  });

  it('have a case here for every address that takes an id', async () => {
    const routes = await routesOf(made.producer.app);
    const named = routes.filter((route) => route.includes(':') && route.includes(' /v1/'));
    const plain = named.map((route) => route.replaceAll(/:key\|:id|:id\|:key|:key/g, ':id'));
    const missing = plain.filter((route) => !CROSSED[route] && !OTHERS.some((other) => other.test(route)));
    expect(missing).toEqual([]);
    expect(Object.keys(CROSSED).filter((route) => !plain.includes(route))).toEqual([]);
  });

  /** The same request by either tenant. */
  async function request(route: string, tenant: Tenant, given: Ids) {
    const [method, path] = route.split(' ') as ['GET' | 'POST' | 'PATCH' | 'DELETE', string];
    const { of, within, query, body, nobody } = CROSSED[route]!;
    const address = [of, ...(within ? [within] : [])].reduce(
      (at, name) => at.replace(/:\w+/, encodeURIComponent(given[name])),
      path,
    );
    // A conflict was left open with the guest.
    const user = of === 'conflict' ? tenant.guest : tenant.user;
    if (method === 'DELETE') return tenant.remove(address, nobody ? {} : { user, confirm: given[of] });
    if (method === 'GET') return tenant.get(address, query?.includes('user') ? { user } : {});
    return tenant.send(method, address, { ...(nobody ? {} : { user }), ...body?.(given) });
  }

  /** The text of every row. */
  const everything = async () =>
    (await allRows(backend.database)).map(({ table, text }) => `${table} ${text}`).sort();
  /** As the last refusal left it: no worker is at work by then. */
  let standing: string[] | null = null;

  it.each(Object.keys(CROSSED))('answer 404 to the other one: %s', async (route) => {
    for (const [stranger, owner] of [
      [south, north],
      [north, south],
    ] as const) {
      standing ??= await everything();
      const users = { user: stranger.user, guest: owner.guest };
      const answer = await request(route, { ...stranger, ...users }, ids.get(owner)!);
      expect(answer.status, JSON.stringify(answer.body)).toBe(404);
      expect(JSON.stringify(answer.body)).not.toContain(owner.canary);
      const before = standing;
      standing = await everything();
      expect(standing).toEqual(before);
    }
  });

  it('show nothing of each other in lists', async () => {
    for (const [stranger, owner] of [
      [south, north],
      [north, south],
    ] as const) {
      const lists = [
        stranger.get('/v1/reviews'),
        stranger.get('/v1/conflicts', { user: stranger.user, status: 'all' }),
        stranger.get('/v1/conflicts', { user: owner.guest, status: 'all' }),
        stranger.get(`/v1/users/${stranger.user}/change-sets`),
        stranger.get('/v1/quarantine'),
        stranger.get('/v1/memories', { user: stranger.user }),
        stranger.get('/v1/runs'),
        stranger.get('/v1/fusions'),
        stranger.get('/v1/users'),
        stranger.get('/v1/tokens'),
        stranger.get('/v1/webhooks'),
      ];
      for (const list of lists) expect(JSON.stringify((await list).body)).not.toContain(owner.canary);
    }
  });

  it('reach nothing of each other without the service either', async () => {
    const { database } = backend;
    const given = ids.get(north)!;
    const of = { tenant: south.name, user: south.user };
    const at = Date.now();
    const unknown = { code: 'unknown' };
    for (const target of [{ fusion: given.fusion }, { run: given.run }, { changeSet: given.changeSet }]) {
      await expect(undo(database, { ...of, target, at, actor: null })).rejects.toMatchObject(unknown);
      await expect(redo(database, { ...of, target, at, actor: null })).rejects.toMatchObject(unknown);
    }
    const decision = { ...of, key: given.review, at, by: 'stranger' };
    await expect(approveFusion(database, decision)).rejects.toMatchObject(unknown);
    await expect(rejectFusion(database, decision)).rejects.toMatchObject(unknown);
    const resolution = { keep: 'a' } as const;
    const conflict = { ...of, id: given.conflict, resolution, by: 'stranger', at };
    await expect(resolveConflict(database, conflict)).rejects.toMatchObject(unknown);
    const target = { memory: given.memory };
    await expect(forget(database, { ...of, target, at, actor: null })).rejects.toMatchObject({
      code: 'unknown_memory',
    });
    const edit = { ...of, id: given.memory, content: 'Nothing of this.', at, actor: null };
    expect(await database.withTenant(south.name, (tx) => editMemory(tx, edit))).toBeNull();
    expect(
      await database.withTenant(south.name, (tx) => lineageOf(tx, { ...of, id: given.memory })),
    ).toBeNull();
  });

  it('outlive each other', async () => {
    const rowsOf = async (tenant: Tenant) =>
      (await allRows(backend.database)).filter((row) => row.tenant === tenant.name);
    const before = await rowsOf(south);
    for (const user of [north.user, north.guest]) {
      good(await north.send('POST', `/v1/users/${user}/forget`, { confirm: user }));
    }
    // Who may call for a tenant, and whom it wants told, is no user's.
    const left = await rowsOf(north);
    expect(left.map(({ table }) => table)).toEqual(['api_tokens', 'webhooks']);
    expect(left.filter(({ text }) => text.includes(north.canary))).toEqual([]);
    expect(await rowsOf(south)).toEqual(before);
    const { statusCode } = await made.producer.app.inject({
      method: 'GET',
      url: '/v1/users/mara?tenant=south',
      headers: { ...HOST, ...BEARER },
    });
    expect(statusCode).toBe(200);
  });
});
