import {
  type Database,
  ensureUsers,
  PAGE_MAX,
  type Transaction,
  takeDuePage,
  takeDueTurn,
} from '@slowwave/db';
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const HOUR = 3_600_000;
const PAGE = { at: NOW, limit: PAGE_MAX, requeueAfterMs: HOUR, tier: 'light' as const };
const ROLLED_BACK = new Error('rolled back');

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Tenants of every size beside each other, at the size at which a plan shows. */
describe('turns of tenants', () => {
  let fixture: DatabaseFixture;
  let database: Database;
  beforeAll(async () => {
    fixture = await serverFixture();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());
  beforeEach(() => database.asOwner((tx) => tx.rows(sql`truncate slowwave.users cascade`)));

  /** Users who are due, the first one for the longest; all of them for longer than those of tenants with a smaller `age`. */
  async function addTenant(tenant: string, users: number, age = 1): Promise<void> {
    await database.asOwner(async (tx) => {
      await tx.rows(sql`
        insert into slowwave.users (tenant, id, created_at)
        select ${tenant}, 'user-' || to_char(i, 'FM00000'), now() from generate_series(1, ${users}::int) as i`);
      await tx.rows(sql`
        insert into slowwave.user_tiers (tenant, user_id, tier, due_at)
        select ${tenant}, 'user-' || to_char(i, 'FM00000'), tier,
          to_timestamp(${NOW / 1000}::float8) - ${age}::float8 * interval '1 day' + i * interval '1 second'
        from generate_series(1, ${users}::int) as i, unnest(array['light', 'deep', 'sleep']) as tier`);
      // Everybody was worked on before.
      await tx.rows(sql`
        insert into slowwave.leases (tenant, user_id, fence, holder, expires_at)
        select ${tenant}, 'user-' || to_char(i, 'FM00000'), 1, 'w', '-infinity' from generate_series(1, ${users}::int) as i`);
    });
  }
  const vacuum = () => database.pool!.query('vacuum (analyze) slowwave.user_tiers, slowwave.leases');
  const take = (more: Partial<typeof PAGE> = {}) =>
    database.asDispatcher((tx) => takeDuePage(tx, { ...PAGE, ...more }));
  const countsOf = (page: readonly { tenant: string }[]) => {
    const counts: Record<string, number> = {};
    for (const { tenant } of page) counts[tenant] = (counts[tenant] ?? 0) + 1;
    return counts;
  };

  it('puts every small tenant on the first page beside a tenant of thousands, and gives it the rest', async () => {
    await addTenant('large', 3_000, 30);
    const small = Array.from({ length: 20 }, (_, i) => `small-${i}`);
    for (const tenant of small) await addTenant(tenant, 5);
    await vacuum();
    const page = await take();
    expect(countsOf(page)).toEqual({ large: 900, ...Object.fromEntries(small.map((tenant) => [tenant, 5])) });
    // In turn: the first of each tenant come before the second of any.
    expect(new Set(page.slice(0, 21).map(({ tenant }) => tenant)).size).toBe(21);
    expect(page.slice(0, 105).filter(({ tenant }) => tenant === 'large')).toHaveLength(5);
    // Within a tenant the longest due first.
    const large = page.filter(({ tenant }) => tenant === 'large').map(({ user }) => user);
    expect(large).toEqual(large.toSorted());
    expect(large[0]).toBe('user-00001');
    expect(countsOf(await take())).toEqual({ large: 1_000 });
  });

  it('looks at no more rows than it needs, by indexes only', async () => {
    await addTenant('large', 20_000, 30);
    for (let i = 0; i < 20; i++) await addTenant(`small-${i}`, 5);
    await vacuum();
    const plans: PlanNode[] = [];
    const explaining = database.asDispatcher(async (tx) => {
      const explained: Pick<Transaction, 'rows'> = {
        async rows<Row extends object>(query: SQL): Promise<Row[]> {
          const [row] = await tx.rows<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
            sql`explain (analyze, format json) ${query}`,
          );
          plans.push(row!['QUERY PLAN'][0]!.Plan);
          return [];
        },
      };
      await takeDuePage(explained, PAGE);
      throw ROLLED_BACK;
    });
    await expect(explaining).rejects.toBe(ROLLED_BACK);
    expect(plans).toHaveLength(1);
    const nodes = nodesOf(plans[0]!);
    const large = nodes.filter((node) => ['user_tiers', 'leases'].includes(node['Relation Name'] ?? ''));
    expect(large.length).toBeGreaterThan(3);
    expect(large.map((node) => node['Node Type']).filter((type) => type === 'Seq Scan')).toEqual([]);
    for (const node of nodes) {
      const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
      expect(rows * (node['Actual Loops'] ?? 1), node['Node Type']).toBeLessThanOrEqual(4 * PAGE_MAX);
    }
  });

  it('shares what small tenants leave among those who have more, and what these leave with whoever is due', async () => {
    await addTenant('a', 300, 9);
    await addTenant('b', 40, 5);
    await addTenant('c', 300, 3);
    await addTenant('d', 3);
    // 25 each, of which d leaves 22; these are 8 for each of the others, and the last one is for whoever has waited longest.
    expect(countsOf(await take({ limit: 103 }))).toEqual({ a: 34, b: 33, c: 33, d: 3 });
    // b has only 7 left: the two others share the rest of it, and the odd one is a's.
    expect(countsOf(await take({ limit: 100 }))).toEqual({ a: 47, b: 7, c: 46 });
  });

  it('leaves no place empty as long as anybody is due', async () => {
    await addTenant('x', 40, 9);
    await addTenant('y', 300, 3);
    await addTenant('z', 2);
    // 33 each; of the 32 that z leaves 16 would be for x, which has 7.
    expect(countsOf(await take({ limit: 100 }))).toEqual({ x: 40, y: 58, z: 2 });
  });

  it('takes everybody in the end, each once', async () => {
    const sizes = { a: 120, b: 7, c: 64, d: 1, e: 33 };
    for (const [tenant, users] of Object.entries(sizes)) await addTenant(tenant, users);
    const all = [];
    for (;;) {
      const page = await take({ limit: 20 });
      all.push(...page);
      if (page.length < 20) break;
    }
    expect(countsOf(all)).toEqual(sizes);
    expect(new Set(all.map(({ tenant, user }) => `${tenant} ${user}`)).size).toBe(225);
    for (const tenant of Object.keys(sizes)) {
      const users = all.filter((row) => row.tenant === tenant).map(({ user }) => user);
      expect(users).toEqual(users.toSorted());
    }
  });

  it('goes on after the tenants that had their turn when there are more than places', async () => {
    for (let i = 0; i < 7; i++) await addTenant(`t${i}`, 10, 7 - i);
    const turn = (after: string | undefined) =>
      database.asDispatcher((tx) => takeDueTurn(tx, { ...PAGE, limit: 3, after }));
    const seen: string[][] = [];
    let after: string | undefined;
    for (let i = 0; i < 4; i++) {
      const page = await turn(after);
      seen.push(page.users.map(({ tenant }) => tenant).sort());
      after = page.after ?? undefined;
    }
    expect(seen).toEqual([
      ['t0', 't1', 't2'],
      ['t3', 't4', 't5'],
      ['t0', 't1', 't6'],
      ['t2', 't3', 't4'],
    ]);
  });

  it('passes over tenants of which nobody is free', async () => {
    await addTenant('a', 2);
    await addTenant('b', 2);
    await database.asOwner((tx) =>
      tx.rows(sql`update slowwave.user_tiers set next_attempt_at = 'infinity' where tenant = 'a'`),
    );
    expect(countsOf(await take({ limit: 2 }))).toEqual({ b: 2 });
    await database.withTenant('c', (tx) => ensureUsers(tx, [{ tenant: 'c', user: 'new' }], NOW));
    expect(countsOf(await take())).toEqual({ c: 1 });
  });
});
