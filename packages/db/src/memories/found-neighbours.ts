import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import { integerArray, realArray } from '../binary-arrays.ts';
import type { Transaction } from '../database.ts';
import { dropNeighbours, NEIGHBOUR_LIMIT, ofModel, trimNeighbours } from './neighbours.ts';

/** Neighbours that were found outside of the database: row k says that `others[k]` is near `memories[k]`. No row comes twice. */
export interface FoundNeighbours {
  /** What the numbers stand for. */
  ids: readonly string[];
  /** Numbers of ids, from 0. */
  memories: Int32Array;
  others: Int32Array;
  cosines: Float32Array;
}

interface Scope {
  tenant: string;
  user: string;
  model: string;
}

/** Those of the memories that have a vector. One that is being forgotten is waited for, and then left out. */
async function lockEmbedded(tx: Transaction, scope: Scope, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(sql`
    select e.memory_id as id from slowwave.embeddings e
    where ${ofModel(scope, 'e')} and e.memory_id = any(${uuidArray(ids)})
    order by e.memory_id
    for key share`);
  return new Set(rows.map(({ id }) => id));
}

/** The least cosine of those of the memories that have as many neighbours as are kept. */
async function leastOfComplete(
  tx: Transaction,
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.rows<{ id: string; least: number }>(sql`
    select n.memory_id as id, min(n.cosine) as least from slowwave.neighbours n
    where ${ofModel(scope, 'n')} and n.memory_id = any(${uuidArray(ids)})
    group by n.memory_id having count(*) >= ${NEIGHBOUR_LIMIT}`);
  return new Map(rows.map(({ id, least }) => [id, least]));
}

/**
 * Stores neighbours that were found for freshly embedded memories, then trims the older ones to their best: what storeNeighbours would
 * have stored, had it compared them. A memory whose vector has gone meanwhile is left out. Rows are sorted out here and not by joins,
 * which the planner gets wrong for tables that have just been filled.
 * @param input.fresh ids of those whose neighbours were sought, each with at most NEIGHBOUR_LIMIT rows: what was known of them is void
 * @returns rows stored, before the trimming
 */
export async function storeFoundNeighbours(
  tx: Transaction,
  input: Scope & { fresh: readonly string[]; found: FoundNeighbours },
): Promise<number> {
  const { tenant, user, model, found } = input;
  const { ids, cosines } = found;
  await dropNeighbours(tx, input, input.fresh);
  if (cosines.length === 0) return 0;
  const embedded = await lockEmbedded(tx, input, ids);
  const leasts = await leastOfComplete(tx, input, ids);
  const held = ids.map((id) => embedded.has(id));
  const least = Float32Array.from(ids, (id) => leasts.get(id) ?? Number.NEGATIVE_INFINITY);
  // What is below the least of a full list would be trimmed at once.
  const kept = (_: number, row: number): boolean =>
    held[found.memories[row]!]! && held[found.others[row]!]! && cosines[row]! >= least[found.memories[row]!]!;
  const memories = found.memories.filter(kept);
  await tx.rows(sql`
    insert into slowwave.neighbours (tenant, user_id, model, memory_id, neighbour_id, cosine)
    select ${tenant}, ${user}, ${model}, known.ids[k.memory + 1], known.ids[k.other + 1], least(1, k.cosine)
    from (select ${uuidArray(ids)} as ids offset 0) known,
      unnest(${integerArray(memories)}, ${integerArray(found.others.filter(kept))}, ${realArray(cosines.filter(kept))})
        as k(memory, other, cosine)`);
  const fresh = new Set(input.fresh);
  const touched = [...new Set(memories)].map((number) => ids[number]!).filter((id) => !fresh.has(id));
  await trimNeighbours(tx, input, touched);
  return memories.length;
}
