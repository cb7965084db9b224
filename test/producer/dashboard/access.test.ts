import { getUser, readFusion } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quarantine, type SeededTenant, seedTenant } from '../../fixtures/dashboard-tenant.ts';
import { CANARY, HOST, openStage, type Stage, signIn, tokenFor } from '../harness.ts';

const OWN_WORD = 'OWN-plum';

/** Of every kind of page one address, for those who may look, and for those who may change something. */
const lists = ['', '/users', '/users?q=a', '/reviews', '/conflicts?status=all', '/failed', '/evaluation'];
const details = ({ review, memory, failed, conflict, run }: SeededTenant) => [
  `/users/rae/fusions/${review}`,
  `/users/fay/fusions/${failed}`,
  `/users/rae/memories/${memory}`,
  `/users/cas/conflicts/${conflict}`,
  `/users/rae/runs/${run}`,
];
const users = ['/users/rae', '/users/fay', '/users/cas'];
const proposals = ({ review, memory, run }: SeededTenant) => [
  `/users/rae/forget?memory=${memory}`,
  `/users/rae/take-back?direction=undo&fusion=${review}`,
  `/users/rae/take-back?direction=undo&run=${run}`,
];

/** Every form of the dashboard, filled in such that it could do what it is for. */
const forms = (of: SeededTenant): [string, Record<string, string>][] => [
  [`/users/rae/fusions/${of.review}/approve`, {}],
  [`/users/rae/fusions/${of.review}/reject`, {}],
  [`/users/fay/fusions/${of.failed}/retry`, {}],
  [`/users/cas/conflicts/${of.conflict}`, { keep: 'a' }],
  [`/users/rae/memories/${of.memory}/confirm`, {}],
  [`/users/rae/memories/${of.memory}/edit`, { content: 'x', category: 'fact', importance: '5' }],
  ['/users/rae/forget', { memory: of.memory }],
  ['/users/rae/take-back', { direction: 'undo', fusion: of.review }],
  [`/users/rae/runs/${of.run}/cancel`, {}],
  ['/users/rae/settings', { mode: 'off', policy: 'ask' }],
  ['/users/rae/pause', {}],
  ['/users/rae/resume', {}],
  ['/users/rae/release', {}],
  ['/users/rae/run', { tier: 'deep' }],
];
/** The forms that name something by its id. */
const isById = ([path, fields]: [string, Record<string, string>]) =>
  /[0-9a-f-]{36}|[0-9a-f]{64}/.test(path + JSON.stringify(fields));

describe('who may see and do what on the dashboard', () => {
  let stage: Stage;
  let own: SeededTenant;
  let other: SeededTenant;
  beforeAll(async () => {
    stage = await openStage();
    own = await seedTenant(stage.database, 'acme', OWN_WORD);
    other = await seedTenant(stage.database, 'other', CANARY);
  });
  afterAll(() => stage.dispose());

  /** A browser in which somebody has signed in: the operator, or the holder of a token of acme. */
  async function browser(role: 'read' | 'write' | 'admin' | 'operator' | 'nobody') {
    const { producer } = stage.newProducer();
    const tenant = 'acme';
    const session =
      role === 'nobody'
        ? {}
        : role === 'operator'
          ? await signIn(producer)
          : await signIn(
              producer,
              (await tokenFor(stage.database, { tenant, role })).authorization.slice('Bearer '.length),
            );
    const get = (path: string, headers: Record<string, string> = {}) =>
      producer.app.inject({ url: `/dashboard${path}`, headers: { ...HOST, ...session, ...headers } });
    const tokenOfForms = async () =>
      / name="form" value="([^"]+)"/.exec((await get('/users')).body)?.[1] ?? '';
    const post = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      producer.app.inject({
        method: 'POST',
        url: `/dashboard${path}`,
        headers: { ...HOST, ...session, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        payload: new URLSearchParams({ form: await tokenOfForms(), ...fields }).toString(),
      });
    const board = (path: string) => producer.app.inject({ url: path, headers: { ...HOST, ...session } });
    return { get, post, board };
  }

  /** What the forms would have changed, had they been let through. */
  const stateOf = (tenant: string, { review, failed }: SeededTenant) =>
    stage.database.withTenant(tenant, async (tx) => {
      const statusOf = async (user: string, key: string) =>
        (await readFusion(tx, { tenant, user, key, at: Date.now() }))?.status;
      const found = await getUser(tx, tenant, 'rae');
      return [
        await statusOf('rae', review),
        await statusOf('fay', failed),
        found?.mode,
        found?.tiers.deep.paused,
      ];
    });
  const UNTOUCHED = ['review', 'failed', 'auto', false];
  /** What people read: words are broken by marks of hard facts. */
  const textOf = (body: string) => body.replace(/<[^>]*>/g, '');
  const codeIn = (body: string) => /Code <code>([a-z_]+)<\/code>/.exec(body)?.[1];

  it('shows each tenant’s memories to the operator, and to whoever reads that tenant', async () => {
    const operator = await browser('operator');
    const reader = await browser('read');
    const inBoth = async (path: string, ofOther: string) => [
      textOf((await reader.get(path)).body).includes(OWN_WORD),
      textOf((await operator.get(`${path}?tenant=acme`)).body).includes(OWN_WORD),
      textOf((await operator.get(`${ofOther}?tenant=other`)).body).includes(CANARY),
    ];
    const others = ['/reviews', '/conflicts', '/users/rae', ...details(other)];
    for (const [at, path] of ['/reviews', '/conflicts', '/users/rae', ...details(own)].entries()) {
      // A run says what it did, and nothing of any memory.
      if (path.includes('/runs/')) continue;
      expect([path, ...(await inBoth(path, others[at]!))]).toEqual([path, true, true, true]);
    }
  });

  it('sends strangers to sign in, from every page, and answers no form of theirs', async () => {
    const { get, post } = await browser('nobody');
    for (const path of [...lists, ...users, ...details(own), ...proposals(own)]) {
      const reply = await get(path);
      const next = encodeURIComponent(`/dashboard${path}`);
      expect([reply.statusCode, reply.headers.location]).toEqual([302, `/login?next=${next}`]);
      expect(reply.body).toBe('');
    }
    for (const [path, fields] of forms(own)) {
      expect([path, (await post(path, fields)).statusCode]).toEqual([path, 401]);
    }
    expect(await stateOf('acme', own)).toEqual(UNTOUCHED);
  });

  it('answers under its own names and to its own pages only, whoever asks', async () => {
    const { get, post } = await browser('operator');
    const acme = { tenant: 'acme' };
    for (const path of ['', '/users?tenant=acme', '/users/rae?tenant=acme']) {
      expect((await get(path, { host: 'evil.test' })).statusCode).toBe(421);
      expect((await get(path, { origin: 'http://evil.test' })).statusCode).toBe(403);
    }
    const foreign: Record<string, string>[] = [
      { origin: 'http://evil.test' },
      { origin: 'null' },
      { origin: 'http://localhost:3000' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const [path, fields] of forms(own)) {
      expect((await post(path, { ...acme, ...fields }, { host: 'evil.test' })).statusCode).toBe(421);
      for (const headers of foreign) {
        const reply = await post(path, { ...acme, ...fields }, headers);
        expect([path, reply.statusCode, reply.json().code]).toEqual([path, 403, 'foreign_origin']);
      }
      const forged = await post(path, { ...acme, ...fields, form: 'forged' });
      expect([path, forged.statusCode, codeIn(forged.body)]).toEqual([path, 403, 'foreign_form']);
    }
    expect(await stateOf('acme', own)).toEqual(UNTOUCHED);
  });

  it('shows a reader the own tenant, without buttons, and refuses every form', async () => {
    const { get, post } = await browser('read');
    for (const path of [...lists, ...users, ...details(own)]) {
      const reply = await get(path);
      expect([path, reply.statusCode]).toEqual([path, 200]);
      expect(textOf(reply.body)).not.toContain(CANARY);
      // The colours and signing out are everybody's.
      const actions = [...reply.body.matchAll(/<form method="post" action="([^"]*)"/g)].map(([, to]) => to);
      expect([path, actions]).toEqual([path, ['/dashboard/theme', '/logout']]);
      expect(reply.body).not.toMatch(/href="[^"]*\/(?:forget|take-back|board)/);
    }
    for (const path of proposals(own)) {
      const reply = await get(path);
      expect([path, reply.statusCode, codeIn(reply.body)]).toEqual([path, 403, 'role_too_low']);
    }
    for (const [path, fields] of forms(own)) {
      const reply = await post(path, fields);
      expect([path, reply.statusCode, codeIn(reply.body)]).toEqual([path, 403, 'role_too_low']);
    }
    expect(await stateOf('acme', own)).toEqual(UNTOUCHED);
  });

  it.each(['read', 'admin'] as const)('shows nothing of another tenant to a token (%s)', async (role) => {
    const { get, post } = await browser(role);
    for (const path of [...lists, ...users, ...details(other), ...proposals(other)]) {
      const reply = await get(`${path}${path.includes('?') ? '&' : '?'}tenant=other`);
      const expected = role === 'read' && proposals(other).includes(path) ? 'role_too_low' : 'wrong_tenant';
      expect([path, reply.statusCode, codeIn(reply.body)]).toEqual([path, 403, expected]);
      expect(textOf(reply.body)).not.toContain(CANARY);
    }
    for (const path of details(other)) {
      const reply = await get(path);
      expect([path, reply.statusCode]).toEqual([path, 404]);
      expect(textOf(reply.body)).not.toContain(CANARY);
    }
    if (role === 'read') return;
    for (const [path, fields] of forms(other)) {
      const named = await post(path, { ...fields, tenant: 'other' });
      expect([path, named.statusCode, codeIn(named.body)]).toEqual([path, 403, 'wrong_tenant']);
      if (!isById([path, fields])) continue;
      const byId = await post(path, fields);
      expect([path, byId.statusCode]).toEqual([path, 404]);
      expect(textOf(byId.body)).not.toContain(CANARY);
    }
    expect(await stateOf('other', other)).toEqual(UNTOUCHED);
    expect(await stateOf('acme', own)).toEqual(UNTOUCHED);
  });

  it('lets a writer decide and take back, and an admin alone release from quarantine', async () => {
    const writer = await browser('write');
    const path = `/users/rae/fusions/${own.review}`;
    expect((await writer.get(path)).body).toContain(`action="/dashboard${path}/approve"`);
    const approved = await writer.post(`${path}/approve`, {});
    expect([approved.statusCode, approved.headers.location]).toEqual([
      303,
      `/dashboard${path}?done=approved`,
    ]);
    const undone = await writer.post('/users/rae/take-back', { direction: 'undo', fusion: own.review });
    expect([undone.statusCode, undone.headers.location]).toEqual([303, `/dashboard${path}?done=undone`]);

    await quarantine(stage.database, { tenant: 'acme', user: 'fay' });
    const release = '/users/fay/release';
    expect((await writer.get('/users/fay')).body).not.toContain(release);
    const refused = await writer.post(release, {});
    expect([refused.statusCode, codeIn(refused.body)]).toEqual([403, 'role_too_low']);
    const admin = await browser('admin');
    expect((await admin.get('/users/fay')).body).toContain(`action="/dashboard${release}"`);
    expect((await admin.post(release, {})).headers.location).toBe('/dashboard/users/fay?done=released');
    const found = await stage.database.withTenant('acme', (tx) => getUser(tx, 'acme', 'fay'));
    expect(found?.quarantine).toBeNull();
  });

  it.each(['read', 'write', 'admin'] as const)(
    'keeps the board from tokens of tenants (%s)',
    async (role) => {
      const { get, board } = await browser(role);
      for (const path of ['/board', '/board/queue/fusions', '/board/api/queues']) {
        expect([path, (await board(path)).statusCode]).toEqual([path, 403]);
      }
      expect((await get('')).body).not.toContain('href="/board');
    },
  );
});
