import type { CommitGuards, FailpointName } from '@slowwave/db';
import type { StatementsResult } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { commitStatement } from '../fixtures/commit-statement.ts';
import { DATABASES, type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import {
  ALL_OFF,
  BROKEN,
  expireLease,
  KEPT,
  meet,
  mustPlan,
  newHeldUser,
  only,
  outcomeFor,
  overtake,
  plan,
  takeOver,
} from './guards.ts';

/** The guards that keep a worker that was overtaken from fusing the same again, and what each tells it. */
const ALONE: [keyof CommitGuards, StatementsResult['status']][] = [
  ['ledger', 'stopped'],
  ['lease', 'lease_lost'],
  ['sources', 'stale'],
  ['contentKey', 'stale'],
  ['rowCount', 'stale'],
];

/** A database without the last defence of the schema, which would keep the promise for whichever guard is tried. */
async function undefended(open: () => Promise<DatabaseFixture>): Promise<DatabaseFixture> {
  const fixture = await open();
  await fixture.database.asOwner((tx) => tx.rows(sql`drop index slowwave.fusion_sources_superseded`));
  return fixture;
}

describe.each(DATABASES)('a commit that was overtaken (%s)', (_name, open) => {
  const { database, rows, nextUser } = ownDatabase(() => undefended(open));

  it.each(ALONE)('is kept from fusing again by the guard %s alone', async (guard, first) => {
    const user = nextUser();
    expect(await overtake(database, user, only(guard))).toEqual({ first, second: 'applied' });
    expect(await outcomeFor(database, user)).toEqual(KEPT);
  });

  it('fuses the same again without any of them', async () => {
    const user = nextUser();
    expect(await overtake(database, user, ALL_OFF)).toEqual({ first: 'applied', second: 'applied' });
    expect(await outcomeFor(database, user)).toEqual(BROKEN);
  });

  describe('the lease alone', () => {
    async function endWith(lease: ReturnType<typeof sql>, guards: CommitGuards) {
      const user = nextUser();
      const planned = await mustPlan(database, await newHeldUser(database, user));
      await rows(sql`update slowwave.leases set ${lease} where user_id = ${user}`);
      return (await planned.commit({ guards })).status;
    }
    it.each([
      ['of a later hold of the same holder', sql`fence = fence + 1`],
      ['of another holder', sql`holder = 'w2'`],
      ['that has run out', sql`expires_at = clock_timestamp()`],
      ['that was given back', sql`expires_at = '-infinity'`],
    ])('%s: nothing is written', async (_what, lease) => {
      expect(await endWith(lease, only('lease'))).toBe('lease_lost');
      expect(await endWith(lease, ALL_OFF)).toBe('applied');
    });
  });

  describe('the sources alone', () => {
    it('changed by a person meanwhile: what they say now stays', async () => {
      for (const [guards, status] of [
        [only('sources'), 'stale'],
        [ALL_OFF, 'applied'],
      ] as const) {
        const user = nextUser();
        const planned = await mustPlan(database, await newHeldUser(database, user));
        await rows(sql`
          update slowwave.memories set content = 'Ana sold it', content_hash = ${'0'.repeat(64)}, version = version + 1
          where user_id = ${user} and id = ${planned.members[1]!.id}`);
        expect((await planned.commit({ guards })).status).toBe(status);
        const [row] = await rows<{ latest: boolean }>(sql`
          select is_latest as latest from slowwave.memories where user_id = ${user} and content = 'Ana sold it'`);
        expect(row!.latest).toBe(status === 'stale');
      }
    });

    it.each([
      ['is found by its version', sql`version = version + 1`],
      ['is found by its content', sql`content_hash = ${'0'.repeat(64)}`],
      ['is found by no longer being latest', sql`is_latest = false`],
    ])('a change %s', async (_how, change) => {
      const user = nextUser();
      const planned = await mustPlan(database, await newHeldUser(database, user));
      await rows(
        sql`update slowwave.memories set ${change} where user_id = ${user} and id = ${planned.members[2]!.id}`,
      );
      expect((await planned.commit({ guards: only('sources') })).status).toBe('stale');
      expect(await outcomeFor(database, user)).toMatchObject({ derived: 0, statuses: ['stale'] });
    });

    it('archived meanwhile: the statement takes its place all the same', async () => {
      const user = nextUser();
      const planned = await mustPlan(database, await newHeldUser(database, user));
      await rows(
        sql`update slowwave.memories set archived_at = now() where user_id = ${user} and id = ${planned.members[2]!.id}`,
      );
      expect((await planned.commit({ guards: only('sources') })).status).toBe('applied');
      expect(await outcomeFor(database, user)).toMatchObject({ derived: 1 });
    });

    it("somebody else's memory is none", async () => {
      const [user, other] = [nextUser(), nextUser()];
      const mine = await mustPlan(database, await newHeldUser(database, user));
      const theirs = await mustPlan(database, await newHeldUser(database, other));
      const members = [...mine.members.slice(0, 2), theirs.members[0]!];
      const commit = async (guards: CommitGuards) => {
        const passed: FailpointName[] = [];
        const failpoints = (name: FailpointName) => void passed.push(name);
        const end = await commitStatement(
          database,
          mine.scope,
          { key: mine.key, members },
          { guards, failpoints },
        );
        expect([end.status, await outcomeFor(database, user)]).toMatchObject(['stale', { derived: 0 }]);
        return passed;
      };
      expect(await commit(only('sources'))).not.toContain('after-sources');
      // Without the guard it comes as far as the schema.
      expect(await commit(ALL_OFF)).toContain('after-sources');
    });
  });
});

describe('two commits that meet on a server', () => {
  const { database, nextUser } = ownDatabase(() => undefended(serverFixture));

  /** The same fusion delivered twice: A stops inside its transaction, B comes along. */
  async function doubled(point: FailpointName, guards: CommitGuards) {
    const user = nextUser();
    const planned = await mustPlan(database, await newHeldUser(database, user));
    const { first, second } = await meet(database, planned, point, {
      guards,
      second: () => planned.commit({ guards }),
    });
    return { ends: [first.status, second.status], outcome: await outcomeFor(database, user) };
  }

  it.each([
    ['ledger: its lock', 'after-ledger', only('ledger'), 'stopped'],
    ['content key: its one row of the ledger', 'after-derived', only('contentKey'), 'stale'],
    ['row count: what is left to supersede', 'after-derived', only('rowCount'), 'stale'],
  ] as const)('%s keeps them apart, alone', async (_what, point, guards, second) => {
    expect(await doubled(point, guards)).toEqual({ ends: ['applied', second], outcome: KEPT });
    expect(await doubled(point, ALL_OFF)).toEqual({ ends: ['applied', 'applied'], outcome: BROKEN });
  });

  /** Two fusions with two sources in common: A stops with its sources locked, B comes along. */
  async function overlapping(guards: CommitGuards) {
    const user = nextUser();
    const a = await mustPlan(database, await newHeldUser(database, user, 4), [0, 1, 2]);
    await expireLease(database, user);
    const b = await mustPlan(database, await takeOver(database, user), [1, 2, 3]);
    const ended = await meet(database, a, 'after-sources', { guards, second: () => b.commit({ guards }) });
    return {
      ends: [ended.first.status, ended.second.status],
      waited: ended.waited,
      outcome: await outcomeFor(database, user),
    };
  }

  it('sources: their locks keep two apart that have some in common, alone', async () => {
    expect(await overlapping(only('sources'))).toEqual({
      ends: ['applied', 'stale'],
      waited: true,
      outcome: { ...KEPT, statuses: ['applied', 'closed', 'stale'] },
    });
    expect(await overlapping(ALL_OFF)).toMatchObject({
      ends: ['applied', 'applied'],
      outcome: { derived: 2, usedBy: 2 },
    });
  });

  it('lease: its lock keeps the user with a commit under way, alone', async () => {
    const user = nextUser();
    const guards = only('lease');
    const a = await mustPlan(database, await newHeldUser(database, user));
    const { first, second, waited } = await meet(database, a, 'after-ledger', {
      guards,
      async second() {
        await expireLease(database, user);
        return takeOver(database, user);
      },
    });
    // Whoever has the user now has it after the commit, and finds nothing left to fuse.
    expect([first.status, waited]).toEqual(['applied', true]);
    expect(await plan(database, second)).toBeNull();
    expect(await outcomeFor(database, user)).toEqual(KEPT);
  });
});

describe('two plans over common sources', () => {
  describe.each([true, false])('with the claims in the schema: %s', (claims) => {
    const { database, nextUser } = ownDatabase(async () => {
      const fixture = await serverFixture();
      if (!claims)
        await fixture.database.asOwner(async (tx) => {
          await tx.rows(sql`drop index slowwave.fusion_sources_claim`);
          await tx.rows(sql`drop index slowwave.fusion_sources_superseded`);
        });
      return fixture;
    });

    it('of one hold: the claim alone keeps them apart', async () => {
      const user = nextUser();
      const scope = await newHeldUser(database, user, 4);
      const first = await mustPlan(database, scope, [0, 1, 2]);
      const second = await plan(database, scope, [1, 2, 3]);
      expect(second === null).toBe(claims);
      await second?.commit({ guards: ALL_OFF });
      expect((await first.commit({ guards: ALL_OFF })).status).toBe('applied');
      expect(await outcomeFor(database, user)).toMatchObject(claims ? KEPT : { derived: 2, usedBy: 2 });
    });

    it('of an earlier hold: it takes no claim of a later one away', async () => {
      const user = nextUser();
      const early = await newHeldUser(database, user, 4);
      await expireLease(database, user);
      const late = await takeOver(database, user);
      await mustPlan(database, late, [0, 1, 2]);
      expect((await plan(database, early, [1, 2, 3])) === null).toBe(claims);
    });

    it('whose claims lapsed: a memory is superseded by one fusion at most, by the schema alone', async () => {
      const user = nextUser();
      const first = await mustPlan(database, await newHeldUser(database, user, 4), [0, 1, 2]);
      await expireLease(database, user);
      const second = await mustPlan(database, await takeOver(database, user), [1, 2, 3]);
      expect((await second.commit({ guards: ALL_OFF })).status).toBe('applied');
      expect((await first.commit({ guards: ALL_OFF })).status).toBe(claims ? 'stale' : 'applied');
      expect(await outcomeFor(database, user)).toMatchObject(
        claims ? { derived: 1, usedBy: 1 } : { derived: 2, usedBy: 2 },
      );
    });
  });
});
