import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Transaction } from '../../../packages/db/src/database.ts';
import { newId } from '../../../packages/db/src/ids.ts';
import {
  ensureUsers,
  getRun,
  getUser,
  listRuns,
  quarantineUser,
  REQUEST_GAP_MS,
  type RunRequest,
  type RunsRequest,
  requestRun,
  requestRuns,
  USERS_PER_CALL_MAX,
} from '../../../packages/db/src/scheduling/index.ts';
import { type DatabaseFixture, openInScope } from '../../fixtures/databases.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const tenant = 't';

describe('runs that are asked for of several users', () => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;
  beforeAll(async () => {
    fixture = await openInScope();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => database.withTenant(tenant, work);
  async function newUsers(count: number): Promise<string[]> {
    const users = Array.from({ length: count }, () => `user-${++serial}`);
    await inTenant((tx) =>
      ensureUsers(
        tx,
        users.map((user) => ({ tenant, user })),
        NOW,
      ),
    );
    return users;
  }
  const ask = (users: readonly string[], more: Partial<RunsRequest> = {}) =>
    inTenant((tx) => requestRuns(tx, { tenant, users, tier: 'sleep', at: NOW, ...more }));
  const askOne = (user: string, preview = false) =>
    inTenant((tx) => requestRun(tx, { tenant, user, tier: 'sleep', at: NOW, preview }));
  const statesOf = async (users: readonly string[]) =>
    Promise.all(users.map(async (user) => (await inTenant((tx) => getUser(tx, tenant, user)))!.tiers.sleep));

  /** A run of sleep that began at NOW, and called a model or not. */
  async function ran(user: string, more: { why?: string; tier?: string; state?: string | null } = {}) {
    const { why = 'adhoc', tier = 'sleep', state = 'settled' } = more;
    const [runId, callId] = [newId(NOW), newId(NOW)];
    await inTenant(async (tx) => {
      await tx.rows(sql`
        insert into slowwave.runs (tenant, user_id, id, tier, why, status, requested_at, started_at)
        values (${tenant}, ${user}, ${runId}::uuid, ${tier}, ${why}, 'completed', to_timestamp(${NOW / 1000}::float8), to_timestamp(${NOW / 1000}::float8))`);
      if (state === null) return;
      await tx.rows(sql`
        insert into slowwave.model_calls (tenant, user_id, id, run_id, tier, step, provider, model, state, priced, user_day, tenant_day,
          overall, begun_at, expires_at)
        values (${tenant}, ${user}, ${callId}::uuid, ${runId}::uuid, ${tier}, 'nrem', 'p', 'm', ${state}, true, '2026-06-15', '2026-06-15',
          false, to_timestamp(${NOW / 1000}::float8), now())`);
    });
  }
  const askSpaced = (user: string, at: number, more: Partial<RunRequest> = {}) =>
    inTenant((tx) => requestRun(tx, { tenant, user, tier: 'sleep', at, isSpaced: true, ...more }));

  it('are refused until a minute after the last one that called a model began, and not where no distance is kept', async () => {
    const [user] = await newUsers(1);
    await ran(user!);
    const refused = { status: 'too_soon', againAt: NOW + REQUEST_GAP_MS };
    expect(await askSpaced(user!, NOW)).toEqual(refused);
    expect(await askSpaced(user!, NOW + REQUEST_GAP_MS - 1, { preview: true })).toEqual(refused);
    expect(await askSpaced(user!, NOW + 1, { tier: 'deep' })).toMatchObject({ status: 'requested' });
    expect(await askSpaced(user!, NOW + REQUEST_GAP_MS)).toMatchObject({ existing: false });
    // What was asked for before is the same run, however soon.
    await ran(user!);
    expect(await askSpaced(user!, NOW + 1)).toMatchObject({ status: 'requested', existing: true });
    const [operated] = await newUsers(1);
    await ran(operated!);
    expect(await askOne(operated!)).toMatchObject({ status: 'requested' });
  });

  it.each([
    ['called no model', { state: null }],
    ['was refused by the endpoint', { state: 'released' }],
    ['the schedule began', { why: 'schedule' }],
    ['was of another tier', { tier: 'light' }],
  ])('are not held up by a run that %s', async (_name, more) => {
    const [user] = await newUsers(1);
    await ran(user!, more);
    expect(await askSpaced(user!, NOW + 1)).toMatchObject({ status: 'requested', existing: false });
  });

  it('stand in the database, one for each, and wait in the queue when they come of a batch', async () => {
    const users = await newUsers(3);
    const asked = await ask(users.toReversed().concat(users), { why: 'batch' });
    expect([...asked.keys()].sort()).toEqual([...users].sort());
    for (const [user, result] of asked) {
      if (result.status !== 'requested') throw new Error(result.status);
      expect(result.existing).toBe(false);
      const run = await inTenant((tx) => getRun(tx, { tenant, user, runId: result.runId }));
      expect(run).toMatchObject({ user, tier: 'sleep', why: 'batch', status: 'requested', requestedAt: NOW });
      const [tier] = await statesOf([user]);
      expect(tier).toMatchObject({ requestedRun: result.runId, enqueuedAt: NOW });
      expect((await inTenant((tx) => getUser(tx, tenant, user)))!.tiers.deep.requestedRun).toBeNull();
    }
  });

  it('are for each what they would be alone', async () => {
    const [plain, waiting, preview, held, off] = (await newUsers(5)) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const before = await askOne(waiting);
    const looked = await askOne(preview, true);
    if (before.status !== 'requested' || looked.status !== 'requested') throw new Error('not requested');
    await inTenant((tx) => quarantineUser(tx, { tenant, user: held, code: 'bad_rows', at: NOW }));
    await inTenant((tx) => tx.rows(sql`update slowwave.users set mode = 'off' where id = ${off}`));
    const users = [plain, waiting, preview, held, off, 'nobody'];

    const previews = await ask(users, { preview: true });
    expect(previews.get(plain)).toMatchObject({ status: 'requested', existing: false });
    expect(previews.get(waiting)).toEqual({ status: 'busy', runId: before.runId });
    expect(previews.get(preview)).toEqual({ status: 'requested', runId: looked.runId, existing: true });
    expect(previews.get(held)).toEqual({ status: 'quarantined', code: 'bad_rows', since: NOW });
    expect(previews.get(off)).toEqual({ status: 'mode_off' });
    expect(previews.get('nobody')).toEqual({ status: 'unknown_user' });

    const runs = await ask(users);
    expect(runs.get(plain)).toMatchObject({ status: 'busy' });
    expect(runs.get(waiting)).toEqual({ status: 'requested', runId: before.runId, existing: true });
    expect(runs.get(preview)).toEqual({ status: 'busy', runId: looked.runId });
    expect(runs.get(held)).toEqual({ status: 'quarantined', code: 'bad_rows', since: NOW });
    expect(runs.get(off)).toMatchObject({ status: 'requested', existing: false });
    for (const user of users.slice(0, 5)) {
      const count = (await inTenant((tx) => listRuns(tx, { tenant, user, limit: 9 }))).length;
      expect([user, count]).toEqual([user, user === held ? 0 : 1]);
    }
  });

  it('of another tenant are nobody', async () => {
    const users = await newUsers(2);
    const foreign = await database.withTenant('other', (tx) =>
      requestRuns(tx, { tenant: 'other', users, tier: 'sleep', at: NOW }),
    );
    expect([...foreign.values()]).toEqual([{ status: 'unknown_user' }, { status: 'unknown_user' }]);
    for (const tier of await statesOf(users)) expect(tier.requestedRun).toBeNull();
  });

  it('are bounded, and none of nobody', async () => {
    expect(await ask([])).toEqual(new Map());
    const many = Array.from({ length: USERS_PER_CALL_MAX + 1 }, (_, n) => `many-${n}`);
    await expect(ask(many)).rejects.toMatchObject({ name: 'ScheduleError', code: 'too_many_users' });
  });
});
