import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { openFusionsOver } from '../fusions/stale.ts';

interface Owner {
  tenant: string;
  user: string;
}

/** What the given change sets are about. */
export interface Concerned {
  /** Memories whose rows they touched, or the ends of what they touched; some may not be there any more. */
  memoryIds: string[];
  /** Fusions that are under way or wait for a person, and count on one of those memories. */
  openFusions: string[];
}

/** @param more memories that are concerned besides */
export async function findConcerned(
  tx: Transaction,
  of: Owner,
  input: { sets: readonly string[]; more?: readonly string[] },
): Promise<Concerned> {
  const [row] = await tx.rows<Concerned>(sql`
    with touched as (
      select c.table_name, c.row_key from slowwave.changes c
      where ${owned(of, 'c')} and c.change_set_id = any(${uuidArray(input.sets)})
    ), ids as materialized (
      select (row_key->>'id')::uuid as id from touched where table_name = 'memories'
      union select (row_key->>'source_id')::uuid from touched where table_name = 'relations'
      union select (row_key->>'target_id')::uuid from touched where table_name = 'relations'
      union select x.id from slowwave.conflicts k cross join lateral (values (k.a_id), (k.b_id)) x(id)
        where ${owned(of, 'k')} and k.id = any(array(
          select (row_key->>'id')::uuid from touched where table_name = 'conflicts'))
      union select unnest(${uuidArray(input.more ?? [])})
    )
    select coalesce((select jsonb_agg(id order by id) from ids), '[]') as "memoryIds",
      coalesce((
        select jsonb_agg(distinct o.key) from (${openFusionsOver(of, sql`array(select id from ids)`)}) o), '[]') as "openFusions"`);
  return row!;
}

/** Locks rows of the ledger, then memories, each in the order in which a commit does, so that nobody waits in a circle. */
export async function lockRows(
  tx: Transaction,
  of: Owner,
  input: { fusionKeys: readonly string[]; memoryIds: readonly string[] },
): Promise<{ fusions: Map<string, string> }> {
  const keys = `{${[...new Set(input.fusionKeys)].join(',')}}`;
  const fusions = await tx.rows<{ key: string; status: string }>(sql`
    select key, status from slowwave.fusions where ${owned(of)} and key = any(${keys}::text[]) order by key for update`);
  await tx.rows(sql`
    select id from slowwave.memories where ${owned(of)} and id = any(${uuidArray(input.memoryIds)}) order by id for update`);
  return { fusions: new Map(fusions.map(({ key, status }) => [key, status])) };
}

/** Which of the given ids were forgotten for good. */
export async function listForgotten(tx: Transaction, of: Owner, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(sql`
    select memory_id as id from slowwave.tombstones where ${owned(of)} and memory_id = any(${uuidArray(ids)})`);
  return rows.map((row) => row.id);
}
