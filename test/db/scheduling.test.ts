import {
  abandonRuns,
  acquireLease,
  countOverdue,
  type Database,
  databaseClockSkewMs,
  ensureUsers,
  finishRun,
  getRun,
  getUser,
  type Lease,
  listQuarantined,
  listRuns,
  markLightDue,
  nextDeepDue,
  nextSleepDue,
  pauseTenant,
  pauseTier,
  pauseUser,
  pruneRuns,
  releaseLease,
  releaseUser,
  renewLease,
  requestRun,
  resumeTenant,
  resumeTier,
  resumeUser,
  returnPage,
  setUserSettings,
  startRun,
  type Transaction,
  takeDuePage,
  takeRequested,
  userHashOf,
} from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const HOUR = 3_600_000;
const PAGE = { at: NOW, limit: 1_000, requeueAfterMs: 600_000 };

/** What a scheduler and a worker do with the database, from a new user to the next night, on both kinds of database. */
describe.each(DATABASES)('scheduling (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  interface Person {
    tenant: string;
    user: string;
  }
  async function newPerson(): Promise<Person> {
    const person = { tenant: `tenant-${++serial}`, user: 'ana' };
    await database.withTenant(person.tenant, (tx) =>
      ensureUsers(tx, [{ ...person, timezone: 'Europe/Berlin' }], NOW - HOUR),
    );
    return person;
  }
  const stateOf = async (person: Person) =>
    (await database.withTenant(person.tenant, (tx) => getUser(tx, person.tenant, person.user)))!;
  const takeLight = async (person: Person, at = NOW) => {
    const page = await database.asDispatcher((tx) => takeDuePage(tx, { ...PAGE, at, tier: 'light' }));
    return page.filter((row) => row.tenant === person.tenant);
  };
  async function hold(person: Person, holder: string, ttlMs: number): Promise<Lease> {
    const result = await acquireLease(database, { ...person, holder, ttlMs });
    if (result.status !== 'held') throw new Error(result.status);
    return { ...person, holder, fence: result.fence };
  }

  it('makes a user once, with three tiers', async () => {
    const person = await newPerson();
    const before = await stateOf(person);
    expect(Object.keys(before.tiers).sort()).toEqual([...TIERS].sort());
    expect(before).toMatchObject({ ...person, timezone: 'Europe/Berlin', createdAt: NOW - HOUR });
    expect(before.tiers.light).toMatchObject({ dueAt: NOW - HOUR, nextAttemptAt: null, failures: 0 });
    await database.withTenant(person.tenant, (tx) => ensureUsers(tx, [person], NOW));
    expect(await stateOf(person)).toEqual(before);
  });

  it('moves sleep with the quiet hours and light with what is written', async () => {
    const person = await newPerson();
    const quiet = { timezone: 'Asia/Kathmandu', quietStart: 1380, quietEnd: 60 };
    await database.withTenant(person.tenant, async (tx) => {
      await setUserSettings(tx, { ...person, at: NOW, ...quiet, mode: 'review' });
      await markLightDue(tx, person.tenant, [person.user], NOW - 2 * HOUR);
    });
    const userHash = userHashOf(person.tenant, person.user);
    const state = await stateOf(person);
    expect(state).toMatchObject({ ...quiet, mode: 'review' });
    expect(state.tiers.sleep.dueAt).toBe(nextSleepDue({ ...quiet, userHash, after: NOW, lastSuccess: null }));
    expect(state.tiers.light.dueAt).toBe(NOW - 2 * HOUR);
  });

  it('walks a user from due to done', async () => {
    const person = await newPerson();
    expect(await takeLight(person)).toEqual([{ ...person, dueAt: NOW - HOUR }]);
    expect(await takeLight(person)).toEqual([]);
    const lease = await hold(person, 'w1', HOUR);
    expect(await acquireLease(database, { ...person, holder: 'w2', ttlMs: HOUR })).toMatchObject({
      status: 'busy',
    });
    const { tenant } = person;
    const { fence } = lease;
    const run = await database.withTenant(tenant, (tx) =>
      startRun(tx, { ...person, tier: 'light', why: 'schedule', fence, at: NOW }),
    );
    if (run.status !== 'started') throw new Error(run.status);
    expect(run).toMatchObject({ dueAt: NOW - HOUR, lastSuccessAt: null, timezone: 'Europe/Berlin' });
    expect(await takeLight(person, NOW + 1)).toEqual([]);
    const end = { status: 'completed', nextDueAt: Number.POSITIVE_INFINITY, report: { expired: 3 } } as const;
    const done = () =>
      database.withTenant(tenant, (tx) =>
        finishRun(tx, { ...person, runId: run.runId, at: NOW + 5, ...end }),
      );
    expect(await done()).toEqual({ ended: true, quarantined: false });
    expect(await done()).toEqual({ ended: false, quarantined: false });
    expect(await renewLease(database, { ...lease, ttlMs: HOUR })).toBe(true);
    expect(await releaseLease(database, lease)).toBe(true);
    expect(await renewLease(database, { ...lease, ttlMs: HOUR })).toBe(false);

    expect((await stateOf(person)).tiers.light).toEqual({
      dueAt: Number.POSITIVE_INFINITY,
      nextAttemptAt: NOW + 5 + 300_000,
      lastAttemptAt: NOW,
      lastSuccessAt: NOW + 5,
      failures: 0,
      enqueuedAt: null,
      requestedRun: null,
      paused: false,
      tenantPaused: false,
      tierPaused: false,
      unended: 0,
      faults: 0,
    });
    const [listed] = await database.withTenant(tenant, (tx) => listRuns(tx, { ...person, limit: 5 }));
    expect(listed).toEqual({
      ...person,
      id: run.runId,
      tier: 'light',
      why: 'schedule',
      status: 'completed',
      fence,
      requestedAt: NOW,
      startedAt: NOW,
      finishedAt: NOW + 5,
      report: { expired: 3 },
      errorCode: null,
      preview: false,
      cancelRequestedAt: null,
    });
  });

  it('answers a request, once, and follows it through a failure', async () => {
    const person = await newPerson();
    const { tenant } = person;
    const ask = (at: number) =>
      database.withTenant(tenant, (tx) => requestRun(tx, { ...person, tier: 'deep', at }));
    const first = await ask(NOW);
    if (first.status !== 'requested') throw new Error(first.status);
    const { runId } = first;
    expect(await ask(NOW + 1)).toEqual({ status: 'requested', runId, existing: true });
    const found = await database.asDispatcher((tx) => takeRequested(tx, PAGE));
    expect(found).toContainEqual({ ...person, tier: 'deep', runId });

    const { fence } = await hold(person, 'w1', 0);
    const run = await database.withTenant(tenant, (tx) =>
      startRun(tx, { ...person, tier: 'deep', why: 'adhoc', runId, fence, at: NOW }),
    );
    expect(run).toMatchObject({ status: 'started', runId });
    const failed = {
      status: 'failed',
      errorCode: 'provider_error',
      report: null,
      transient: true,
    } as const;
    await database.withTenant(tenant, (tx) => finishRun(tx, { ...person, runId, at: NOW, ...failed }));
    expect(await database.withTenant(tenant, (tx) => getRun(tx, { ...person, runId }))).toMatchObject({
      status: 'failed',
      errorCode: 'provider_error',
    });
    const { deep } = (await stateOf(person)).tiers;
    expect(deep).toMatchObject({ failures: 1, nextAttemptAt: NOW + 300_000, requestedRun: null });
    expect(nextDeepDue(deep.dueAt, NOW + 24 * HOUR)).toBeGreaterThan(NOW + 24 * HOUR);
  });

  it('takes a user over from a lost holder', async () => {
    const person = await newPerson();
    const { tenant } = person;
    const lost = await hold(person, 'w1', 0);
    const run = await database.withTenant(tenant, (tx) =>
      startRun(tx, { ...person, tier: 'light', why: 'schedule', fence: lost.fence, at: NOW }),
    );
    if (run.status !== 'started') throw new Error(run.status);
    expect(await acquireLease(database, { ...person, holder: 'w2', ttlMs: HOUR })).toEqual({
      status: 'held',
      fence: lost.fence + 1,
      takenOver: true,
      suspect: false,
    });
    expect(await renewLease(database, { ...lost, ttlMs: HOUR })).toBe(false);
    const end = { status: 'completed', nextDueAt: NOW + HOUR, report: {} } as const;
    expect(
      await database.withTenant(tenant, (tx) =>
        finishRun(tx, { ...person, runId: run.runId, at: NOW, ...end }),
      ),
    ).toEqual({ ended: false, quarantined: false });
    const abandoned = await database.withTenant(tenant, (tx) =>
      abandonRuns(tx, { ...person, fence: lost.fence + 1, at: NOW }),
    );
    expect(abandoned).toEqual([{ runId: run.runId, tier: 'light', quarantined: false }]);
    expect((await stateOf(person)).tiers.light.failures).toBe(1);
  });

  it('finds again what could not be queued, and counts who waits', async () => {
    const person = await newPerson();
    const users = await takeLight(person);
    const returned = await database.asDispatcher((tx) =>
      returnPage(tx, { tier: 'light', takenAt: NOW, users }),
    );
    expect(returned).toBe(1);
    expect(await takeLight(person)).toHaveLength(1);
    const overdue = await database.asDispatcher((tx) => countOverdue(tx, { at: NOW, graceMs: 0 }));
    expect(overdue.light.overdue).toBeGreaterThanOrEqual(1);
    expect(Object.keys(overdue).sort()).toEqual([...TIERS].sort());
  });

  it('holds a user back in quarantine until an operator releases them', async () => {
    const person = await newPerson();
    const { tenant } = person;
    const within = <T>(work: (tx: Transaction) => Promise<T>) => database.withTenant(tenant, work);
    for (const day of [1, 2, 3]) {
      const at = NOW + day * 24 * HOUR;
      const { fence } = await hold(person, `w${day}`, 0);
      const run = await within((tx) =>
        startRun(tx, { ...person, tier: 'light', why: 'schedule', fence, at }),
      );
      expect(run.status).toBe('started');
      const lost = await within((tx) => abandonRuns(tx, { ...person, fence: fence + 1, at }));
      expect(lost).toMatchObject([{ tier: 'light', quarantined: day === 3 }]);
    }
    const since = NOW + 72 * HOUR;
    const quarantine = { code: 'never_ended', since };
    expect(await stateOf(person)).toMatchObject({ quarantine });
    expect(await within((tx) => listQuarantined(tx, { tenant, limit: 5 }))).toMatchObject([
      { user: 'ana', ...quarantine, unended: 3 },
    ]);
    expect(await within((tx) => requestRun(tx, { ...person, tier: 'deep', at: since }))).toEqual({
      status: 'quarantined',
      ...quarantine,
    });
    expect(await takeLight(person, since + HOUR)).toEqual([]);
    const load = await database.asDispatcher((tx) => countOverdue(tx, { at: since, graceMs: 0 }));
    expect([load.light.quarantined, load.deep.quarantined, load.sleep.quarantined]).toEqual([1, 1, 1]);
    expect(await within((tx) => releaseUser(tx, person))).toEqual({ status: 'released', ...quarantine });
    expect(await takeLight(person, since + HOUR)).toHaveLength(1);
  });

  it('pauses a user, a tenant and a tier, and finds what is due when they go on', async () => {
    const person = await newPerson();
    const { tenant } = person;
    let at = NOW;
    const found = async () => {
      at += 600_001;
      return (await takeLight(person, at)).length;
    };
    const within = <T>(work: (tx: Transaction) => Promise<T>) => database.withTenant(tenant, work);
    expect(await within((tx) => pauseUser(tx, person))).toEqual(['light', 'deep', 'sleep']);
    expect(await found()).toBe(0);
    await within((tx) => resumeUser(tx, person));
    expect(await found()).toBe(1);
    expect(await pauseTenant(database, { tenant, at: NOW })).toBe(3);
    expect(await found()).toBe(0);
    expect(await resumeTenant(database, { tenant })).toBe(3);
    expect(await found()).toBe(1);
    await database.asDispatcher((tx) => pauseTier(tx, { tier: 'light', at: NOW }));
    expect(await found()).toBe(0);
    await database.asDispatcher((tx) => resumeTier(tx, { tier: 'light' }));
    expect(await found()).toBe(1);
  });

  it('removes the records of old runs', async () => {
    const person = await newPerson();
    const { tenant } = person;
    const { fence } = await hold(person, 'w1', 0);
    const run = await database.withTenant(tenant, (tx) =>
      startRun(tx, { ...person, tier: 'light', why: 'schedule', fence, at: NOW }),
    );
    if (run.status !== 'started') throw new Error(run.status);
    const prune = () =>
      database.withTenant(tenant, (tx) => pruneRuns(tx, { ...person, before: NOW + HOUR, limit: 10 }));
    expect(await prune()).toBe(0);
    const end = { status: 'completed', nextDueAt: NOW + HOUR, report: {} } as const;
    await database.withTenant(tenant, (tx) =>
      finishRun(tx, { ...person, runId: run.runId, at: NOW, ...end }),
    );
    expect(await prune()).toBe(1);
    expect(await prune()).toBe(0);
  });

  it('keeps tenants and roles apart', async () => {
    const person = await newPerson();
    const other = <T>(work: Parameters<typeof database.withTenant<T>>[1]) =>
      database.withTenant('somebody else', work);
    expect(await other((tx) => getUser(tx, person.tenant, person.user))).toBeNull();
    expect(await other((tx) => requestRun(tx, { ...person, tier: 'deep', at: NOW }))).toEqual({
      status: 'unknown_user',
    });
    await expect(other((tx) => ensureUsers(tx, [{ ...person, user: 'new' }], NOW))).rejects.toMatchObject({
      code: 'permission',
    });
    for (const table of ['memories', 'embeddings', 'runs', 'fusions', 'changes']) {
      const read = sql`select 1 from slowwave.${sql.raw(table)}`;
      await expect(
        database.asDispatcher((tx) => tx.rows(read)),
        table,
      ).rejects.toMatchObject({
        code: 'permission',
      });
    }
    const meddle = sql`update slowwave.user_tiers set due_at = now()`;
    await expect(database.asDispatcher((tx) => tx.rows(meddle))).rejects.toMatchObject({
      code: 'permission',
    });
  });

  it('compares the clocks', async () => {
    const skew = await databaseClockSkewMs(database, () => Date.now() + HOUR);
    expect(skew).toBeLessThan(-HOUR / 2);
  });
});
