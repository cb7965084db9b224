import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { EXPORT_KINDS, type ExportKind } from './kinds.ts';

const rowsOf = (kind: ExportKind, user: SQL): SQL => sql`
  select 1 from ${sql.raw(`slowwave.${kind.table}`)} t where t.tenant = current_setting('slowwave.tenant') and t.user_id = ${user}${
    kind.only === null ? sql`` : sql.raw(` and ${kind.only}`)
  }`;

/** Which kinds of lines each of the users has anything for. One statement, so that small users cost little. */
export async function kindsHeld(
  tx: Transaction,
  users: readonly string[],
): Promise<Map<string, Set<string>>> {
  const flags = EXPORT_KINDS.map(
    // Not `exists`, which the planner may answer for all users of a tenant at once.
    (kind) => sql`case when (${rowsOf(kind, sql`u.name`)} limit 1) is not null then ${kind.kind}::text end`,
  );
  const rows = await tx.rows<{ name: string; kinds: string[] }>(sql`
    select to_jsonb(u.name) as name, to_jsonb(array_remove(array[${sql.join(flags, sql`, `)}], null)) as kinds
    from jsonb_array_elements_text(${JSON.stringify(users)}::jsonb) as u(name)`);
  return new Map(rows.map(({ name, kinds }) => [name, new Set(kinds)]));
}
