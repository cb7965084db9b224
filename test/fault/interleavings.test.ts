import type { Database } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';
import { inScope, runsInScope } from '../scope.ts';
import { type Arena, type Examination, type Operation, openArena } from './interleavings/examine.ts';
import { COMMITS } from './interleavings/meetings/commits.ts';
import { MEETINGS } from './interleavings/meetings/index.ts';
import * as op from './interleavings/operations.ts';
import { later, planFusion, seedPerson, tenant } from './interleavings/people.ts';

/** ORDERS=all leads every order that could differ, of the long ones too; ORDERS_SEED draws others. */
const EVERY = process.env.ORDERS === 'all';
const SEED = Number(process.env.ORDERS_SEED ?? 7);
const DRAWN = runsInScope({ change: 12, rest: 25 });
const LIMIT_MS = EVERY ? 3_600_000 : 120_000;
/** An approval that comes too late has taken its hold by then: the next one has a higher fence than if it had never been tried. */
const LATE = 'a proposal approved and rejected';
/** Their statements can be put in thousands of orders. */
const LONG = [
  'three commits over some of the same sources',
  'an answer on its way and its source forgotten',
  'a commit and one of its sources forgotten',
  'a commit and the undo of an earlier merge into one of its sources',
  'a commit that comes again and the undo of what it wrote',
  'a commit and the approval of a proposal over one of its sources',
  LATE,
];

const figures: string[] = [];
function report(name: string, seen: Examination): void {
  const how = seen.complete ? 'all orders that could differ' : `drawn by seed ${SEED}`;
  figures.push(
    `${name}: ${seen.orders} orders (${how}), ${seen.blocked} statements that waited, ` +
      `${seen.outcomes.size} outcomes, ${seen.ends.size} ends, ${Math.round(seen.ms)} ms`,
  );
}

describe('operations that meet, statement by statement', () => {
  let fixture: DatabaseFixture;
  let arena: Arena;
  let users = 0;
  const nextUser = () => `meets-${++users}`;
  beforeAll(async () => {
    fixture = await serverFixture();
    arena = await openArena(fixture, 3);
  });
  afterAll(async () => {
    await arena?.close();
    await fixture?.drop();
    console.info(figures.join('\n'));
  });

  it.each(inScope({ change: MEETINGS, rest: MEETINGS.filter(([name]) => LONG.includes(name)) }))(
    '%s: no order breaks anything',
    async (name, arrange) => {
      const meeting = await arrange(fixture.database, nextUser());
      const reach = LONG.includes(name) && !EVERY ? { orders: DRAWN, seed: SEED } : 'reduced';
      const seen = await arena.examine(meeting, { reach });
      report(name, seen);
      expect(seen.findings.slice(0, 3)).toEqual([]);
      if (name !== LATE) expect([...seen.unserial]).toEqual([]);
      // Nothing is allowed that does not come about.
      expect([...seen.outcomes.keys()].sort()).toEqual(meeting.allowed.map((one) => one.join(' + ')).sort());
      if (!LONG.includes(name)) expect(seen.complete).toBe(true);
    },
    LIMIT_MS,
  );

  it.each(inScope({ change: [], rest: ['two commits'] }))(
    'leaves out no end: of %s every single order ends as one of those that were led',
    async () => {
      const meeting = await COMMITS[0]![1](fixture.database, nextUser());
      const some = await arena.examine(meeting, { reach: 'reduced' });
      const all = await arena.examine(meeting, { reach: 'all' });
      report('two commits, every single order', all);
      expect(all.orders).toBeGreaterThan(some.orders);
      expect([...some.ends].sort()).toEqual([...all.ends].sort());
    },
    LIMIT_MS,
  );

  describe('what it would find', () => {
    const invariants = (seen: Examination) =>
      [...new Set(seen.findings.map(({ invariant }) => invariant))].sort();

    it('two who lock the same rows in opposite orders', async () => {
      const user = nextUser();
      const { members } = await seedPerson(fixture.database, { user, count: 2 });
      const lockBoth =
        (ids: string[]): Operation =>
        (database: Database) =>
          database.withTenant(tenant, async (tx) => {
            for (const id of ids) {
              await tx.rows(
                sql`select 1 from slowwave.memories where user_id = ${user} and id = ${id} for update`,
              );
            }
            return 'locked';
          });
      const ids = members.map(({ id }) => id);
      const operations = [lockBoth(ids), lockBoth(ids.toReversed())];
      const seen = await arena.examine({ user, operations, allowed: [['locked', 'locked']] });
      expect(invariants(seen)).toEqual(['no deadlock', 'outcomes that may come together']);
    });

    const edited = 'a commit of words that were edited meanwhile, without the guards of ledger and sources';
    it.each(inScope({ change: [], rest: [edited] }))('%s', async () => {
      const user = nextUser();
      const { scope, members } = await seedPerson(fixture.database, { user, count: 2 });
      const key = await planFusion(fixture.database, scope, members);
      const guards = { ledger: false, sources: false };
      const operations = [op.commit(scope, members, key, guards), op.edit(user, members[0]!.id)];
      const allowed = [
        ['applied', 'edited after undo'],
        ['applied', 'edited'],
      ];
      const seen = await arena.examine({ user, operations, allowed });
      expect(invariants(seen)).toContain('fusion whole');
    });

    const twice =
      'a source superseded twice, without the guards of sources and row count and without the index';
    it.each(inScope({ change: [], rest: [twice] }))('%s', async () => {
      const bare = await serverFixture();
      const stage = await openArena(bare, 2);
      try {
        await bare.database.asOwner((tx) => tx.rows(sql`drop index slowwave.fusion_sources_superseded`));
        const user = nextUser();
        const { scope, members } = await seedPerson(bare.database, { user });
        const [one, other] = [members.slice(0, 3), members.slice(1)];
        const first = await planFusion(bare.database, scope, one);
        const second = await planFusion(bare.database, later(scope), other);
        const guards = { lease: false, sources: false, rowCount: false };
        const operations = [
          op.commit(scope, one, first, guards),
          op.commit(later(scope), other, second, guards),
        ];
        const seen = await stage.examine({ user, operations, allowed: [['applied', 'applied']] });
        expect(invariants(seen)).toEqual(['source superseded once']);
      } finally {
        await stage.close();
        await bare.drop();
      }
    });
  });
});
