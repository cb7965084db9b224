import { createHash } from 'node:crypto';
import {
  countWaiting,
  ensureUsers,
  listPastDays,
  listTenants,
  pageUserRows,
  pauseUser,
  readBandSeries,
  readTenantDay,
  readTimeline,
  storeAnswer,
  TENANTS_PER_LIST_MAX,
} from '@slowwave/db';
import { prominenceAt } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { fuseMembers, membersOf, seedBicycles } from '../fixtures/fused.ts';
import { DAY, NOW } from '../fixtures/memories.ts';

describe.each(DATABASES)('what the overview reads (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  beforeAll(async () => {
    fixture = await open();
  });
  afterAll(() => fixture.drop());

  const inTenant = <T>(tenant: string, work: Parameters<DatabaseFixture['database']['withTenant']>[1]) =>
    fixture.database.withTenant(tenant, work) as Promise<T>;
  const addRun = (
    tenant: string,
    user: string,
    run: { id: number; tier: string; status: string; at: number; report?: object },
  ) =>
    inTenant(tenant, (tx) =>
      tx.rows(sql`
        insert into slowwave.runs (tenant, user_id, id, tier, why, status, requested_at, started_at, finished_at, report)
        values (${tenant}, ${user}, ${`00000000-0000-4000-8000-${String(run.id).padStart(12, '0')}`}::uuid, ${run.tier}, 'schedule',
          ${run.status}, to_timestamp(${run.at / 1000}), to_timestamp(${run.at / 1000}), to_timestamp(${run.at / 1000 + 1}),
          ${JSON.stringify(run.report ?? { steps: [] })}::jsonb)`),
    );

  const addAnswer = (tenant: string, user: string, { model, at }: { model: string; at: number }) =>
    inTenant<boolean>(tenant, (tx) =>
      storeAnswer(tx, {
        ...{ tenant, user, key: createHash('sha256').update(`${model} ${at}`).digest('hex'), attempt: 1, at },
        ...{ step: 'summaries', runId: null, memoryIds: [], sessionIds: [] },
        answer: { text: 'x', stopReason: 'end_turn', inputTokens: 0, outputTokens: 0, model },
      }),
    );

  it('lists tenants by name, each once, and no further than asked', async () => {
    for (const tenant of ['t-b', 't-a', 't-c']) {
      await inTenant(tenant, (tx) =>
        ensureUsers(
          tx,
          [
            { tenant, user: 'x' },
            { tenant, user: 'y' },
          ],
          NOW,
        ),
      );
    }
    const list = (limit: number) => fixture.database.asDispatcher((tx) => listTenants(tx, { limit }));
    expect((await list(TENANTS_PER_LIST_MAX)).filter((name) => name.startsWith('t-'))).toEqual([
      't-a',
      't-b',
      't-c',
    ]);
    expect(await list(1)).toHaveLength(1);
  });

  it('counts runs, fusions and answers without tokens of one tenant since an instant, and what waits', async () => {
    const tenant = 'day';
    const { scope } = await seedBicycles(fixture.database, { tenant, user: 'ana' });
    const fused = await fuseMembers(fixture.database, scope, await membersOf(fixture.database, scope));
    expect(fused).not.toBeNull();
    await addRun(tenant, 'ana', { id: 1, tier: 'deep', status: 'completed', at: NOW });
    await addRun(tenant, 'ana', { id: 2, tier: 'deep', status: 'failed', at: NOW });
    await addRun(tenant, 'ana', { id: 3, tier: 'deep', status: 'failed', at: NOW - 2 * DAY });
    const read = (since: number, of: { answersSince?: number; unbooked?: string } = {}) =>
      inTenant<Awaited<ReturnType<typeof readTenantDay>>>(tenant, (tx) =>
        readTenantDay(tx, { tenant, since, answersSince: since, unbooked: 'test-model', ...of }),
      );
    expect(await read(NOW - DAY)).toEqual({
      users: 1,
      runs: [
        { tier: 'deep', status: 'completed', count: 1 },
        { tier: 'deep', status: 'failed', count: 1 },
      ],
      fusions: [
        { status: 'applied', count: 1 },
        { status: 'closed', count: 1 },
      ],
      unbooked: { answers: 1, today: 1 },
    });
    expect(await read(NOW + DAY)).toEqual({
      users: 1,
      runs: [],
      fusions: [],
      unbooked: { answers: 0, today: 0 },
    });
    // Answers of steps that make no fusion count as well, and those of models in the books do not.
    await addAnswer(tenant, 'ana', { model: 'test-model', at: NOW - 2 * DAY });
    await addAnswer(tenant, 'ana', { model: 'large', at: NOW });
    expect((await read(NOW - DAY, { answersSince: NOW - 3 * DAY })).unbooked).toEqual({
      answers: 2,
      today: 1,
    });
    expect((await read(NOW - DAY, { unbooked: 'large' })).unbooked).toEqual({ answers: 1, today: 1 });
    const past = (before: number, limit: number) =>
      inTenant<Awaited<ReturnType<typeof listPastDays>>>(tenant, (tx) =>
        listPastDays(tx, { tenant, before, limit }),
      );
    const today = Math.floor(NOW / DAY) * DAY;
    const both = { day: today, runs: 2, failedRuns: 1, applied: 1, closed: 1 };
    const earlier = { day: today - 2 * DAY, runs: 1, failedRuns: 1, applied: 0, closed: 0 };
    expect(await past(today + 3 * DAY, 5)).toEqual([both, earlier]);
    expect(await past(today + DAY, 1)).toEqual([both]);
    expect(await past(today, 5)).toEqual([earlier]);
    // A fusion that changes later was not answered again.
    await inTenant(tenant, (tx) =>
      tx.rows(
        sql`update slowwave.fusions set updated_at = updated_at + interval '9 days' where key = ${fused!.request}`,
      ),
    );
    expect((await read(NOW + DAY)).unbooked).toEqual({ answers: 0, today: 0 });
    expect(await inTenant(tenant, (tx) => countWaiting(tx, { tenant }))).toEqual({
      reviews: 0,
      conflicts: 0,
      failedFusions: 0,
    });
    await inTenant(tenant, (tx) =>
      tx.rows(sql`update slowwave.fusions set status = 'failed' where key = ${fused!.request}`),
    );
    expect(await inTenant(tenant, (tx) => countWaiting(tx, { tenant }))).toMatchObject({ failedFusions: 1 });
    expect(await inTenant('other', (tx) => countWaiting(tx, { tenant: 'other' }))).toMatchObject({
      failedFusions: 0,
    });
  });

  it('listPastDays: where the clocks of the session change, a day still has 24 hours', async () => {
    const tenant = 'clocks';
    await inTenant(tenant, (tx) => ensureUsers(tx, [{ tenant, user: 'ana' }], NOW));
    // In New York the hour from 2 to 3 is left out on this day.
    const day = Date.UTC(2026, 2, 8);
    await addRun(tenant, 'ana', { id: 21, tier: 'deep', status: 'completed', at: day + DAY - 1_800_000 });
    const days = await inTenant(tenant, async (tx) => {
      await tx.rows(sql`set local timezone = 'America/New_York'`);
      return listPastDays(tx, { tenant, before: day + 2 * DAY, limit: 5 });
    });
    expect(days).toEqual([{ day, runs: 1, failedRuns: 0, applied: 0, closed: 0 }]);
  });

  it('pages through users by name, by a part of it and by how they are', async () => {
    const tenant = 'users';
    const users = ['Ann', 'ben', 'bo%b', 'zoe'].map((user) => ({ tenant, user }));
    await inTenant(tenant, (tx) => ensureUsers(tx, users, NOW));
    await inTenant(tenant, (tx) => pauseUser(tx, { tenant, user: 'ben' }));
    const read = (more: object) =>
      inTenant<Awaited<ReturnType<typeof pageUserRows>>>(tenant, (tx) =>
        pageUserRows(tx, { tenant, filter: 'all', at: NOW, graceMs: 60_000, limit: 10, ...more }),
      );
    const names = async (more: object) => (await read(more)).rows.map(({ user }) => user);
    expect(await names({ search: 'N' })).toEqual(expect.arrayContaining(['Ann', 'ben']));
    expect(await names({ search: '%' })).toEqual(['bo%b']);
    expect(await names({ filter: 'paused' })).toEqual(['ben']);
    expect(await names({ filter: 'quarantined' })).toEqual([]);
    // Light is due at once, so everybody but whoever is paused is overdue an hour later.
    expect((await names({ filter: 'overdue', at: NOW + 3_600_000 })).sort()).toEqual(['Ann', 'bo%b', 'zoe']);
    const first = await read({ limit: 3 });
    const rest = await read({ limit: 3, cursor: first.nextCursor });
    expect(new Set([...first.rows, ...rest.rows].map(({ user }) => user)).size).toBe(4);
    expect(rest.nextCursor).toBeNull();
    await expect(read({ cursor: 'garbage' })).rejects.toMatchObject({ name: 'InputError' });
    expect(first.rows[0]?.tiers.light).toMatchObject({ dueAt: NOW, failures: 0, lastSuccessAt: null });
  });

  it('tells how memories will fade as the formula has it, and how they did as runs counted', async () => {
    const tenant = 'bands';
    const user = 'ana';
    await seedBicycles(fixture.database, { tenant, user, count: 4 });
    const counts = { active: 1, dormant: 3, faded: 0 };
    const report = { steps: [{ step: 'health', status: 'done', counts }] };
    await addRun(tenant, user, { id: 11, tier: 'light', status: 'completed', at: NOW - DAY, report });
    await addRun(tenant, user, {
      id: 12,
      tier: 'light',
      status: 'completed',
      at: NOW - DAY + 60_000,
      report: { steps: [{ step: 'health', status: 'failed' }] },
    });
    const until = NOW + 300 * DAY;
    const series = await inTenant<Awaited<ReturnType<typeof readBandSeries>>>(tenant, (tx) =>
      readBandSeries(tx, { tenant, user, since: NOW - 7 * DAY, at: NOW, until, points: 11 }),
    );
    expect(series.counted).toEqual([{ at: NOW - DAY + 1_000, ...counts }]);
    expect(series.ahead).toHaveLength(11);
    expect([series.ahead[0]?.at, series.ahead[10]?.at]).toEqual([NOW, until]);
    const memories = await membersOf(
      fixture.database,
      (await seedBicycles(fixture.database, { tenant, user: 'eve' })).scope,
    );
    expect(memories.length).toBeGreaterThan(0);
    const params = {
      category: 'fact',
      memoryType: 'regular',
      importance: 5,
      confirmations: 0,
      peak: 0.75,
      anchorAt: NOW - 90 * DAY,
      demotion: 1,
    } as const;
    for (const { at, active, dormant, faded } of series.ahead) {
      const value = prominenceAt(params, at);
      const expected = value >= 0.5 ? [4, 0, 0] : value >= 0.1 ? [0, 4, 0] : [0, 0, 4];
      expect([at, active, dormant, faded]).toEqual([at, ...expected]);
    }
  });

  it('shows so many runs of a day and tier and counts the rest', async () => {
    const tenant = 'nights';
    await inTenant(tenant, (tx) => ensureUsers(tx, [{ tenant, user: 'ana' }], NOW));
    for (let i = 0; i < 15; i += 1) {
      await addRun(tenant, 'ana', { id: 100 + i, tier: 'light', status: 'completed', at: NOW + i * 60_000 });
    }
    await addRun(tenant, 'ana', { id: 200, tier: 'sleep', status: 'completed', at: NOW - 60_000 });
    await addRun(tenant, 'ana', { id: 201, tier: 'sleep', status: 'completed', at: NOW - 30 * DAY });
    const { runs, counts } = await inTenant<Awaited<ReturnType<typeof readTimeline>>>(tenant, (tx) =>
      readTimeline(tx, { tenant, user: 'ana', since: NOW - DAY }),
    );
    expect(counts).toEqual({ light: 15, sleep: 1 });
    expect(runs.map(({ tier }) => tier)).toEqual([...Array(12).fill('light'), 'sleep']);
    expect(runs[0]).toMatchObject({ requestedAt: NOW + 14 * 60_000, report: null });
    expect(runs.at(-1)).toMatchObject({ report: { steps: [] }, preview: false });
  });
});
