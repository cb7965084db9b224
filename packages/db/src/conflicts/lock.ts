import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { openFusionsOver } from '../fusions/stale.ts';
import { JOIN_SIDES, type Owner, PAIR_COLUMNS, type StoredPair } from './columns.ts';

/**
 * Locks the fusions that work on a side of one of these conflicts: the first of everything that settling them locks.
 * @returns the ids of the sides
 */
export async function lockFusions(tx: Transaction, of: Owner, ids: readonly string[]): Promise<string[]> {
  const sides = await tx.rows<{ a: string; b: string }>(sql`
    select c.a_id as a, c.b_id as b from slowwave.conflicts c where ${owned(of, 'c')} and c.id = any(${uuidArray(ids)})`);
  const members = [...new Set(sides.flatMap(({ a, b }) => [a, b]))];
  await tx.rows(sql`
    select f.key from slowwave.fusions f
    where ${owned(of, 'f')} and f.key = any(array(${openFusionsOver(of, uuidArray(members))}))
    order by f.key
    for update`);
  return members;
}

/**
 * Locks conflicts with everything that settling them may touch, in the order of the commit of a fusion, so that neither waits for the other
 * in a circle: fusions that work on one of the memories, the memories by id, the conflicts by id. Four statements whatever the number.
 * @returns the conflicts as they are now, by id; those that are not there are left out
 */
export async function lockPairs(
  tx: Transaction,
  of: Owner,
  ids: readonly string[],
): Promise<Map<string, StoredPair>> {
  return lockSides(tx, of, { ids, members: await lockFusions(tx, of, ids) });
}

/** Locks the memories and the conflicts; their fusions are locked already. */
export async function lockSides(
  tx: Transaction,
  of: Owner,
  { ids, members }: { ids: readonly string[]; members: readonly string[] },
): Promise<Map<string, StoredPair>> {
  await tx.rows(sql`
    select m.id from slowwave.memories m where ${owned(of, 'm')} and m.id = any(${uuidArray(members)})
    order by m.id
    for no key update`);
  const pairs = await tx.rows<StoredPair>(sql`
    select ${PAIR_COLUMNS} from slowwave.conflicts c ${JOIN_SIDES}
    where ${owned(of, 'c')} and c.id = any(${uuidArray(ids)})
    order by c.id
    for update of c`);
  return new Map(pairs.map((pair) => [pair.id, pair]));
}
