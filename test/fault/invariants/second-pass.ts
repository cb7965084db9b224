import { requestRun } from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import { listOwned } from './catalogue.ts';
import type { Look } from './types.ts';

/** Tables that say how runs went and when the next ones are due: not what is known of a user. */
const BOOKKEEPING = [
  'leases',
  'runs',
  'user_tiers',
  'webhook_deliveries',
  'workspace_runs',
  'idempotency_keys',
];

/** How the tiers are run again, and what the model is asked meanwhile. */
export interface SecondPass {
  /** Resolves when everything that is due or asked for is done. */
  settle(): Promise<void>;
  /** Calls that have reached the model so far. */
  calls(): number;
  /** Users who are asked for at most, in the order of their names; all when absent. */
  usersMax?: number;
}

/**
 * Runs every tier of every user twice more. The first time may find what the storm left for later; the second one has nothing to do, so
 * it writes nothing but that it was there, and asks nothing.
 * @returns what the second one did nevertheless
 */
export async function passTwice(look: Look, pass: SecondPass): Promise<string[]> {
  await askForAll(look, pass.usersMax);
  await pass.settle();
  const before = { state: await stateOf(look), calls: pass.calls() };
  await askForAll(look, pass.usersMax);
  await pass.settle();
  const [after, calls] = [await stateOf(look), pass.calls() - before.calls];
  const tables = [...new Set([...before.state.keys(), ...after.keys()])].sort();
  return [
    ...tables.flatMap((table) => differenceOf(table, before.state.get(table), after.get(table))),
    ...(calls === 0 ? [] : [`a second pass asked the model ${calls} times`]),
  ];
}

function differenceOf(table: string, before = new Set<string>(), after = new Set<string>()): string[] {
  const written = [...after].filter((row) => !before.has(row)).length;
  const gone = [...before].filter((row) => !after.has(row)).length;
  return written + gone === 0
    ? []
    : [`a second pass wrote ${written} rows of ${table}, and ${gone} are not as they were`];
}

/** Asks for a run of each tier of each user who is not in quarantine. */
async function askForAll({ rows, mine, database }: Look, usersMax = Number.MAX_SAFE_INTEGER): Promise<void> {
  const users = await rows<{ tenant: string; user: string }>(sql`
    select u.tenant, u.id as "user" from slowwave.users u
    where ${mine('u')} and not exists (
      select 1 from slowwave.user_tiers t where t.tenant = u.tenant and t.user_id = u.id and t.quarantined_at is not null)
    order by 1, 2 limit ${usersMax}`);
  for (const { tenant, user } of users) {
    await database.withTenant(tenant, async (tx) => {
      for (const tier of TIERS) await requestRun(tx, { tenant, user, tier, at: Date.now() });
    });
  }
}

/** Every row of the batch by its address and the transaction that wrote it, table by table. */
async function stateOf(look: Look): Promise<Map<string, Set<string>>> {
  const tables = (await listOwned(look)).filter(({ name }) => !BOOKKEEPING.includes(name));
  const parts = tables.map(
    ({ name }): SQL => sql`
      select ${name}::text as table, coalesce(array_agg(t.ctid::text || ' ' || t.xmin::text), '{}') as rows
      from slowwave.${sql.identifier(name)} t where ${look.mine('t')}`,
  );
  const found = await look.rows<{ table: string; rows: string[] }>(sql.join(parts, sql` union all `));
  return new Map(found.map(({ table, rows }) => [table, new Set(rows)]));
}
