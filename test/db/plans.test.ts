import {
  cancelScheduledItem,
  completeScheduledItem,
  createGoal,
  createScheduledItem,
  ensureUsers,
  expireScheduledItems,
  getUser,
  listGoals,
  listScheduledItems,
  nextItemExpiry,
  openCheckIns,
  PLAN_CHARS_MAX,
  setGoal,
} from '@slowwave/db';
import { goalStage } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW } from '../fixtures/memories.ts';
import { overlap } from '../fixtures/overlap.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const HOUR = 3_600_000;
const CANARY = 'oboe-canary-stoat';

describe.each(DATABASES)('plans (%s)', (_name, open) => {
  const tenant = 't';
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  /** A user whose light tier has nothing ahead. */
  async function newUser(): Promise<string> {
    const user = nextUser();
    await inTenant((tx) => ensureUsers(tx, [{ tenant, user }], NOW));
    await rows(
      sql`update slowwave.user_tiers set due_at = 'infinity' where user_id = ${user} and tier = 'light'`,
    );
    return user;
  }

  const goal = (user: string, dueAt: number | null, more: { title?: string; externalId?: string } = {}) =>
    inTenant((tx) => createGoal(tx, { tenant, user, title: 'sail to Elba', dueAt, at: NOW, ...more }));
  const goals = (user: string, more = {}) =>
    inTenant((tx) => listGoals(tx, { tenant, user, limit: 100, ...more }));
  const change = (user: string, id: string, more: Partial<Parameters<typeof setGoal>[1]>) =>
    inTenant((tx) => setGoal(tx, { tenant, user, id, at: NOW + HOUR, ...more }));
  const item = (user: string, dueAt: number, more: Partial<Parameters<typeof createScheduledItem>[1]> = {}) =>
    inTenant((tx) =>
      createScheduledItem(tx, {
        tenant,
        user,
        kind: 'reminder',
        content: 'water the figs',
        dueAt,
        at: NOW,
        ...more,
      }),
    );
  const items = (user: string, more = {}) =>
    inTenant((tx) => listScheduledItems(tx, { tenant, user, limit: 100, ...more }));
  const expire = (user: string, at: number, limit = 100) =>
    inTenant((tx) => expireScheduledItems(tx, { tenant, user, at, limit }));
  const nextExpiry = (user: string, at = NOW) => inTenant((tx) => nextItemExpiry(tx, { tenant, user, at }));
  const checkIns = (user: string, at: number, limit = 100) =>
    inTenant((tx) => openCheckIns(tx, { tenant, user, at, limit }));
  const lightDue = async (user: string) =>
    (await inTenant((tx) => getUser(tx, tenant, user)))!.tiers.light.dueAt;
  const versions = (user: string) =>
    rows(sql`
      select 'goal' as what, id, xmin::text as version from slowwave.goals where user_id = ${user}
      union all select 'item', id, xmin::text from slowwave.scheduled_items where user_id = ${user}
      union all select 'tier ' || tier, null, xmin::text from slowwave.user_tiers where user_id = ${user}
      order by 1, 2`);

  describe('goals', () => {
    it('are written once under an external id', async () => {
      const user = await newUser();
      const first = await goal(user, NOW + DAY, { externalId: 'g1' });
      expect(first.created).toBe(true);
      const before = await versions(user);
      expect(await goal(user, null, { externalId: 'g1', title: 'another' })).toEqual({
        id: first.id,
        created: false,
      });
      expect(await versions(user)).toEqual(before);
      const without = await goal(user, null, { title: 'learn Portuguese' });
      expect(await goals(user)).toEqual([
        {
          id: first.id,
          externalId: 'g1',
          title: 'sail to Elba',
          status: 'active',
          dueAt: NOW + DAY,
          createdAt: NOW,
          updatedAt: NOW,
        },
        expect.objectContaining({ id: without.id, externalId: null, dueAt: null }),
      ]);
      expect(await goals(user, { limit: 1 })).toHaveLength(1);
      expect(await goals(user, { status: 'completed' })).toEqual([]);
    });

    it('are written once when two write them at the same time', async () => {
      const user = await newUser();
      const of = { tenant, user, externalId: 'g1', title: 'sail to Elba', dueAt: null, at: NOW };
      const [one, two] = await overlap(
        database,
        tenant,
        (tx) => createGoal(tx, of),
        () => goal(user, null, { externalId: 'g1' }),
      );
      expect([one.created, two]).toEqual([true, { id: one.id, created: false }]);
    });

    it('change in what is given, and write nothing when nothing changes', async () => {
      const user = await newUser();
      const { id } = await goal(user, NOW + DAY);
      expect(await change(user, id, { title: 'sail to Corsica' })).toMatchObject({
        title: 'sail to Corsica',
        dueAt: NOW + DAY,
        status: 'active',
        updatedAt: NOW + HOUR,
      });
      expect(await change(user, id, { dueAt: null })).toMatchObject({
        title: 'sail to Corsica',
        dueAt: null,
      });
      expect(await change(user, id, { status: 'completed' })).toMatchObject({
        status: 'completed',
        dueAt: null,
      });
      const before = await versions(user);
      expect(await change(user, id, { title: 'sail to Corsica', dueAt: null, at: NOW + DAY })).toMatchObject({
        updatedAt: NOW + HOUR,
      });
      expect(await change(user, id, {})).toMatchObject({ id });
      expect(await versions(user)).toEqual(before);
      expect(await change(user, '01890000-0000-7000-8000-000000000000', { title: 'x' })).toBeNull();
    });
  });

  describe('check-ins', () => {
    it('come once per goal, deadline and stage', async () => {
      const user = await newUser();
      const due = NOW + 8 * DAY;
      const { id } = await goal(user, due);
      await goal(user, null);
      const done = await goal(user, NOW);
      await change(user, done.id, { status: 'completed' });
      expect(await checkIns(user, NOW)).toEqual({ goals: 1, warning: 0, urgent: 0, overdue: 0, created: 0 });
      const warned = { goals: 1, warning: 1, urgent: 0, overdue: 0 };
      expect(await checkIns(user, NOW + DAY)).toEqual({ ...warned, created: 1 });
      const before = await versions(user);
      expect(await checkIns(user, NOW + 2 * DAY)).toEqual({ ...warned, created: 0 });
      expect(await versions(user)).toEqual(before);
      expect(await checkIns(user, NOW + 7 * DAY)).toMatchObject({ urgent: 1, created: 1 });
      expect(await checkIns(user, due + 1)).toMatchObject({ overdue: 1, created: 1 });
      expect(await checkIns(user, due + 100 * DAY)).toMatchObject({ overdue: 1, created: 0 });
      // A new deadline counts anew.
      await change(user, id, { dueAt: NOW + 10 * DAY });
      expect(await checkIns(user, NOW + 5 * DAY)).toMatchObject({ warning: 1, created: 1 });
      const found = await items(user);
      expect(found.map((made) => [made.goalStage, made.dueAt, made.status])).toEqual([
        ['warning', NOW + DAY, 'cancelled'],
        ['warning', NOW + 5 * DAY, 'pending'],
        ['urgent', NOW + 7 * DAY, 'cancelled'],
        ['overdue', due + 1, 'cancelled'],
      ]);
      expect(found[1]).toMatchObject({
        kind: 'check_in',
        content: 'sail to Elba',
        goalId: id,
        goalDueAt: NOW + 10 * DAY,
        recurrence: null,
        externalId: null,
        createdAt: NOW + 5 * DAY,
      });
    });

    it('are opened once when two ask at the same time', async () => {
      const user = await newUser();
      for (let i = 0; i < 5; i++) await goal(user, NOW + i * HOUR);
      const [one, two] = await overlap(
        database,
        tenant,
        (tx) => openCheckIns(tx, { tenant, user, at: NOW, limit: 100 }),
        () => checkIns(user, NOW),
      );
      expect([one.created, two.created]).toEqual([5, 0]);
      expect(await items(user)).toHaveLength(5);
    });

    it('that did not fit come the next time, the nearest deadline first', async () => {
      const user = await newUser();
      for (let i = 0; i < 5; i++) await goal(user, NOW + i * HOUR, { title: `goal ${i}` });
      const opened = async () => (await items(user)).map((made) => made.content).sort();
      expect(await checkIns(user, NOW, 2)).toMatchObject({ urgent: 5, created: 2 });
      expect(await opened()).toEqual(['goal 0', 'goal 1']);
      expect(await checkIns(user, NOW, 2)).toMatchObject({ created: 2 });
      expect(await checkIns(user, NOW, 2)).toMatchObject({ created: 1 });
      expect(await checkIns(user, NOW, 0)).toMatchObject({ urgent: 5, created: 0 });
      expect(new Set((await items(user)).map((made) => made.id)).size).toBe(5);
    });

    it('follow their goal while they are open', async () => {
      const user = await newUser();
      const { id } = await goal(user, NOW + DAY);
      const other = await goal(user, NOW + DAY, { title: 'other' });
      const past = await goal(user, NOW + DAY, { title: 'past' });
      await checkIns(user, NOW);
      const seen = (await items(user)).find((made) => made.goalId === past.id)!;
      await inTenant((tx) => completeScheduledItem(tx, { tenant, user, id: seen.id, at: NOW }));
      const contents = async () => (await items(user)).map((made) => [made.content, made.status]).sort();
      await change(user, id, { title: 'sail to Corsica' });
      // What was brought up already was brought up as it was.
      await change(user, past.id, { title: 'renamed', status: 'completed' });
      expect(await contents()).toEqual([
        ['other', 'pending'],
        ['past', 'done'],
        ['sail to Corsica', 'pending'],
      ]);
      await change(user, id, { status: 'abandoned' });
      await change(user, other.id, { dueAt: null });
      expect(await contents()).toEqual([
        ['other', 'cancelled'],
        ['past', 'done'],
        ['sail to Corsica', 'cancelled'],
      ]);
    });

    it('take the same stages as the core', async () => {
      const edges = [0, 2 * DAY, 7 * DAY].flatMap((left) => [left - 1, left, left + 1]);
      const lefts = fc.oneof(fc.constantFrom(...edges), fc.integer({ min: -30 * DAY, max: 30 * DAY }));
      await fc.assert(
        fc.asyncProperty(fc.array(lefts, { minLength: 1, maxLength: 30 }), async (given) => {
          const user = await newUser();
          const payload = JSON.stringify(given.map((left) => NOW + left));
          await rows(sql`
            insert into slowwave.goals (tenant, user_id, id, title, due_at, created_at, updated_at)
            select ${tenant}, ${user}, gen_random_uuid(), 'goal', to_timestamp(due::float8 / 1000), now(), now()
            from jsonb_array_elements_text(${payload}::jsonb) as t(due)`);
          const report = await checkIns(user, NOW);
          const stages = given.map((left) => goalStage(NOW + left, NOW));
          const count = (stage: string) => stages.filter((found) => found === stage).length;
          expect(report).toEqual({
            goals: given.length,
            warning: count('warning'),
            urgent: count('urgent'),
            overdue: count('overdue'),
            created: stages.filter((stage) => stage !== null).length,
          });
          for (const made of await items(user)) expect(made.goalStage).toBe(goalStage(made.goalDueAt!, NOW));
        }),
        { numRuns: 20 },
      );
    });
  });

  describe('scheduled items', () => {
    it('are written once under an external id, and end once', async () => {
      const user = await newUser();
      const first = await item(user, NOW + DAY, { externalId: 'i1' });
      const before = await versions(user);
      expect(await item(user, NOW, { externalId: 'i1', content: 'other' })).toEqual({
        id: first.id,
        created: false,
      });
      expect(await versions(user)).toEqual(before);
      const second = await item(user, NOW + HOUR, { kind: 'follow_up' });
      expect((await items(user)).map((found) => found.id)).toEqual([second.id, first.id]);
      expect((await items(user, { limit: 1 })).map((found) => found.id)).toEqual([second.id]);
      const end = { tenant, user, at: NOW + 1 };
      expect(await inTenant((tx) => completeScheduledItem(tx, { ...end, id: first.id }))).toBe(true);
      expect(await inTenant((tx) => completeScheduledItem(tx, { ...end, id: first.id }))).toBe(false);
      expect(await inTenant((tx) => cancelScheduledItem(tx, { ...end, id: first.id }))).toBe(false);
      expect(await inTenant((tx) => cancelScheduledItem(tx, { ...end, id: second.id }))).toBe(true);
      expect((await items(user)).map((found) => [found.status, found.updatedAt])).toEqual([
        ['cancelled', NOW + 1],
        ['done', NOW + 1],
      ]);
      expect(await items(user, { status: 'pending' })).toEqual([]);
    });

    it('that come back stay pending when their next time is given', async () => {
      const user = await newUser();
      const weekly = await item(user, NOW, { recurrence: 'FREQ=WEEKLY' });
      const once = await item(user, NOW);
      const end = { tenant, user, at: NOW, nextDueAt: NOW + 7 * DAY };
      for (const { id } of [weekly, once])
        expect(await inTenant((tx) => completeScheduledItem(tx, { ...end, id }))).toBe(true);
      expect((await items(user)).map((found) => [found.id, found.status, found.dueAt])).toEqual([
        [once.id, 'done', NOW],
        [weekly.id, 'pending', NOW + 7 * DAY],
      ]);
      await inTenant((tx) => completeScheduledItem(tx, { tenant, user, at: NOW, id: weekly.id }));
      expect((await items(user))[1]).toMatchObject({ status: 'done', dueAt: NOW + 7 * DAY });
    });

    it('expire when they are pending, do not come back and are more than a day late', async () => {
      const user = await newUser();
      const late = NOW - DAY - 1;
      const oldest = await item(user, late - HOUR);
      const older = await item(user, late);
      await item(user, NOW - DAY);
      await item(user, late, { recurrence: 'FREQ=DAILY' });
      const done = await item(user, late);
      await inTenant((tx) => completeScheduledItem(tx, { tenant, user, id: done.id, at: NOW }));
      expect(await expire(user, NOW, 1)).toBe(1);
      expect((await items(user, { status: 'expired' })).map((found) => found.id)).toEqual([oldest.id]);
      expect(await expire(user, NOW)).toBe(1);
      expect((await items(user, { status: 'expired' })).map((found) => found.id)).toEqual([
        oldest.id,
        older.id,
      ]);
      const before = await versions(user);
      expect(await expire(user, NOW)).toBe(0);
      expect(await versions(user)).toEqual(before);
    });

    it('say when the next of them expires, to the millisecond', async () => {
      const user = await newUser();
      expect(await nextExpiry(user)).toBeNull();
      await item(user, NOW - 5 * DAY, { recurrence: 'FREQ=DAILY' });
      expect(await nextExpiry(user)).toBeNull();
      await item(user, NOW + 2 * HOUR);
      await item(user, NOW + HOUR);
      const next = (await nextExpiry(user))!;
      expect(next).toBe(NOW + HOUR + DAY + 1);
      expect(await expire(user, next - 1)).toBe(0);
      expect(await expire(user, next)).toBe(1);
      expect(await nextExpiry(user)).toBe(NOW + 2 * HOUR + DAY + 1);
      // What is late already is late now.
      expect(await nextExpiry(user, NOW + 9 * DAY)).toBe(NOW + 9 * DAY);
    });
  });

  describe('the light tier', () => {
    it('comes when an item expires, and earlier if it was to come earlier', async () => {
      const user = await newUser();
      await item(user, NOW + HOUR, { recurrence: 'FREQ=DAILY' });
      expect(await lightDue(user)).toBe(Number.POSITIVE_INFINITY);
      await item(user, NOW + 3 * DAY);
      expect(await lightDue(user)).toBe(NOW + 4 * DAY + 1);
      await item(user, NOW + DAY);
      expect(await lightDue(user)).toBe(NOW + 2 * DAY + 1);
      await item(user, NOW + 9 * DAY);
      expect(await lightDue(user)).toBe(NOW + 2 * DAY + 1);
      await item(user, NOW - 9 * DAY);
      expect(await lightDue(user)).toBe(NOW);
    });

    it('comes when a check-in expires', async () => {
      const user = await newUser();
      await goal(user, NOW + DAY);
      expect(await lightDue(user)).toBe(Number.POSITIVE_INFINITY);
      await checkIns(user, NOW);
      expect(await lightDue(user)).toBe(NOW + DAY + 1);
    });

    it('stays due while a run is under way or one that failed is owed', async () => {
      const user = await newUser();
      const stamp = (due: number, tried: number) =>
        rows(sql`
          update slowwave.user_tiers set due_at = to_timestamp(${due}::float8 / 1000), last_attempt_at = to_timestamp(${tried}::float8 / 1000)
          where user_id = ${user} and tier = 'light'`);
      await stamp(NOW - HOUR, NOW - HOUR);
      await item(user, NOW + 30 * DAY);
      const due = await lightDue(user);
      expect(due).toBeGreaterThan(NOW - HOUR);
      expect(due).toBeLessThanOrEqual(NOW);
      await stamp(NOW - HOUR, NOW - HOUR);
      await goal(user, NOW + DAY);
      await checkIns(user, NOW);
      expect(await lightDue(user)).toBeLessThanOrEqual(NOW);
    });
  });

  describe('refuses', () => {
    const calls: [string, string, string, (user: string) => Promise<unknown>][] = [
      ['an empty title', 'empty', 'title', (user) => goal(user, null, { title: '' })],
      [
        'a title that is too long',
        'too_long',
        'title',
        (user) => goal(user, null, { title: CANARY.repeat(PLAN_CHARS_MAX / 10) }),
      ],
      ['a NUL in a title', 'invalid_text', 'title', (user) => goal(user, null, { title: `${CANARY}\0` })],
      ['an impossible deadline', 'invalid_time', 'dueAt', (user) => goal(user, 1e20, { title: CANARY })],
      [
        'an unknown status',
        'not_allowed',
        'status',
        (user) => change(user, 'x', { status: CANARY as 'active', title: CANARY }),
      ],
      ['an empty item', 'empty', 'content', (user) => item(user, NOW, { content: '' })],
      [
        'a long recurrence',
        'too_long',
        'recurrence',
        (user) => item(user, NOW, { content: CANARY, recurrence: CANARY.repeat(30) }),
      ],
      [
        'a check-in by hand',
        'not_allowed',
        'kind',
        (user) => item(user, NOW, { content: CANARY, kind: 'check_in' as 'reminder' }),
      ],
      [
        'an item without a time',
        'invalid_time',
        'dueAt',
        (user) => item(user, Number.NaN, { content: CANARY }),
      ],
      [
        'a control character in an id',
        'invalid_text',
        'externalId',
        (user) => item(user, NOW, { externalId: `${CANARY}\n` }),
      ],
    ];
    it.each(calls)('%s, without repeating it', async (_what, code, field, attempt) => {
      const user = await newUser();
      const error = await attempt(user).catch((e: unknown) => e);
      expect(error).toMatchObject({ name: 'InputError', code, field, retryable: false });
      expect(textOf(error)).not.toContain(CANARY);
      expect([...(await goals(user)), ...(await items(user))]).toEqual([]);
    });

    it('an unknown user, without repeating what was planned', async () => {
      for (const attempt of [
        () => goal('nobody', null, { title: CANARY }),
        () => item('nobody', NOW, { content: CANARY }),
      ]) {
        const error = await attempt().catch((e: unknown) => e);
        expect(error).toMatchObject({ name: 'DatabaseError', code: 'constraint' });
        expect(textOf(error)).not.toContain(CANARY);
      }
    });
  });
});

/** Everything of an error that a log could show. */
function textOf(error: unknown): string {
  const { message, stack, cause } = error as Error;
  return [message, stack, JSON.stringify(error), String(cause), JSON.stringify(cause)].join('\n');
}
