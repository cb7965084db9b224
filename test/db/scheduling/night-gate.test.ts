import { describe, expect, it } from 'vitest';
import {
  ensureUsers,
  getUser,
  isQuiet,
  pauseTier,
  resumeTier,
  SLEEP_GRACE_MS,
  upcoming,
  waitForNight,
} from '../../../packages/db/src/scheduling/index.ts';
import { openInScope } from '../../fixtures/databases.ts';
import { setDue } from '../../fixtures/dues.ts';
import { ownDatabase } from '../../fixtures/own-database.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 5, 15, 12);
const NIGHT = Date.UTC(2026, 5, 15, 3);

describe('a sleep that is due', () => {
  const { database, inTenant, nextUser } = ownDatabase(openInScope);

  /** Somebody in UTC whose sleep has been due since then; quiet from 2 to 5. */
  async function newUser(dueAt: number, quiet = { quietStart: 120, quietEnd: 300 }) {
    const of = { tenant: 't', user: nextUser() };
    await inTenant((tx) => ensureUsers(tx, [{ ...of, ...quiet }], NIGHT));
    await setDue(database, { ...of, tier: 'sleep', at: dueAt, enqueuedAt: Date.now() });
    return of;
  }
  const sleepOf = async (user: string) => (await inTenant((tx) => getUser(tx, 't', user)))!.tiers.sleep;
  const wait = (of: { tenant: string; user: string }, at: number) =>
    inTenant((tx) => waitForNight(tx, { ...of, at }));

  it('waits for the next night when it missed its own and the user is awake', async () => {
    const of = await newUser(NIGHT);
    const next = await wait(of, NOON);
    expect(next).toBeGreaterThan(NOON);
    expect(isQuiet({ timezone: 'UTC', quietStart: 120, quietEnd: 300 }, next!)).toBe(true);
    expect(await sleepOf(of.user)).toMatchObject({ dueAt: next, enqueuedAt: null });
    // Only once: it is not due any more.
    expect(await wait(of, NOON)).toBeNull();
  });

  it('begins in the quiet hours, however long it has been due', async () => {
    const of = await newUser(NIGHT - 72 * HOUR);
    expect(await wait(of, NIGHT)).toBeNull();
    expect((await sleepOf(of.user)).dueAt).toBe(NIGHT - 72 * HOUR);
  });

  it('begins a little after them when the queue held it up', async () => {
    const of = await newUser(NOON - SLEEP_GRACE_MS);
    expect(await wait(of, NOON)).toBeNull();
    expect(await wait(of, NOON + 1)).toBeGreaterThan(NOON);
  });

  it('begins at any time for a user without quiet hours, and for nobody', async () => {
    const of = await newUser(NIGHT, { quietStart: 0, quietEnd: 0 });
    expect(await wait(of, NOON)).toBeNull();
    expect(await wait({ tenant: 't', user: 'nobody' }, NOON)).toBeNull();
  });

  it('is ahead of a clock that jumps, unless its tier is paused', async () => {
    const first = await database.asDispatcher(upcoming);
    expect(first.sleep).toBeLessThanOrEqual(NIGHT);
    await database.asDispatcher((tx) => pauseTier(tx, { tier: 'sleep', at: NOON }));
    expect(await database.asDispatcher(upcoming)).not.toHaveProperty('sleep');
    await database.asDispatcher((tx) => resumeTier(tx, { tier: 'sleep' }));
    expect(await database.asDispatcher(upcoming)).toEqual(first);
  });
});
