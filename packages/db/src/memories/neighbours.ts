import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';

/** Neighbours kept per memory, and the least cosine worth keeping. */
export const NEIGHBOUR_LIMIT = 64;
export const NEIGHBOUR_FLOOR = 0.4;

/**
 * Compares freshly embedded memories with all of their user's and stores both directions of every pair, then trims each memory
 * to its best. Work is proportional to fresh × stored, all of it in the database.
 * @returns pairs stored
 */
export async function storeNeighbours(
  tx: Transaction,
  input: { tenant: string; user: string; model: string; ids: readonly string[] },
): Promise<number> {
  if (input.ids.length === 0) return 0;
  const ids = JSON.stringify(input.ids);
  const mine = sql`tenant = ${input.tenant} and user_id = ${input.user} and model = ${input.model}`;
  const fresh = sql`(select value::uuid from jsonb_array_elements_text(${ids}::jsonb))`;
  // A changed content has another vector: what was known of it is void.
  await tx.rows(
    sql`delete from slowwave.neighbours where ${mine} and (memory_id in ${fresh} or neighbour_id in ${fresh})`,
  );
  const [stored] = await tx.rows<{ pairs: number }>(sql`
    with fresh as (
      select memory_id, coalesce(vector, long_vector) as vector from slowwave.embeddings
      where ${mine} and memory_id in ${fresh}
    ), pairs as (
      select f.memory_id, n.neighbour_id, n.cosine
      from fresh f cross join lateral (
        select e.memory_id as neighbour_id, (1 - (coalesce(e.vector, e.long_vector) <=> f.vector))::real as cosine
        from slowwave.embeddings e
        where ${mine} and e.memory_id <> f.memory_id
        order by coalesce(e.vector, e.long_vector) <=> f.vector, e.memory_id
        limit ${NEIGHBOUR_LIMIT}
      ) n
      -- A zero vector has no direction: its cosine is NaN, which sorts above everything.
      where n.cosine >= ${NEIGHBOUR_FLOOR} and n.cosine <> 'NaN'
    ), both_ways as (
      select memory_id, neighbour_id, cosine from pairs union all select neighbour_id, memory_id, cosine from pairs
    ), inserted as (
      insert into slowwave.neighbours (tenant, user_id, model, memory_id, neighbour_id, cosine)
      select ${input.tenant}, ${input.user}, ${input.model}, memory_id, neighbour_id, least(1, max(cosine))
      from both_ways group by memory_id, neighbour_id
      returning 1
    )
    select count(*)::int as pairs from inserted`);
  await trim(tx, input, fresh);
  return stored!.pairs;
}

/** Keeps the best of each memory that a fresh one was added to. By row address: one pass, whatever the planner guesses. */
async function trim(
  tx: Transaction,
  input: { tenant: string; user: string; model: string },
  fresh: ReturnType<typeof sql>,
): Promise<void> {
  const mine = sql`n.tenant = ${input.tenant} and n.user_id = ${input.user} and n.model = ${input.model}`;
  await tx.rows(sql`
    delete from slowwave.neighbours where ctid = any(array(
      select ranked.address from (
        select n.ctid as address,
          row_number() over (partition by n.memory_id order by n.cosine desc, n.neighbour_id) as place
        from slowwave.neighbours n
        where ${mine} and n.memory_id in (select n.memory_id from slowwave.neighbours n where ${mine} and n.neighbour_id in ${fresh})
      ) ranked where ranked.place > ${NEIGHBOUR_LIMIT}))`);
}
