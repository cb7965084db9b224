import { type SQL, sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';

/** Neighbours kept per memory, and the least cosine worth keeping. */
export const NEIGHBOUR_LIMIT = 64;
export const NEIGHBOUR_FLOOR = 0.4;

/**
 * Compares freshly embedded memories with all of their user's and stores both directions of every pair, then trims each memory
 * to its best. Work is proportional to fresh × stored, all of it in the database; the stored ones, which may be more than fits its memory,
 * are read once for all fresh ones.
 * @returns pairs stored
 */
export async function storeNeighbours(
  tx: Transaction,
  input: { tenant: string; user: string; model: string; ids: readonly string[] },
): Promise<number> {
  if (input.ids.length === 0) return 0;
  const mine = (alias: string) => ofModel(input, alias);
  const fresh = uuidArray(input.ids);
  await dropNeighbours(tx, mine('n'), fresh);
  const [stored] = await tx.rows<{ pairs: number; touched: string[] }>(sql`
    with fresh as materialized (
      select f.memory_id, coalesce(f.vector, f.long_vector) as direction
      from slowwave.embeddings f where ${mine('f')} and f.memory_id = any(${fresh})
    ), pairs as (
      select memory_id, neighbour_id, cosine from (
        select memory_id, neighbour_id, (1 - distance)::real as cosine,
          row_number() over (partition by memory_id order by distance, neighbour_id) as place
        from (
          -- A fence: or the distance would be computed again for each condition.
          select f.memory_id, e.memory_id as neighbour_id, coalesce(e.vector, e.long_vector) <=> f.direction as distance
          from slowwave.embeddings e cross join fresh f
          where ${mine('e')} and e.memory_id <> f.memory_id
          offset 0
        ) as near
        -- A zero vector has no direction: its distance is NaN.
        where (1 - distance)::real >= ${NEIGHBOUR_FLOOR}::real and distance <> 'NaN'
      ) as ranked where place <= ${NEIGHBOUR_LIMIT}
    ), both_ways as (
      select memory_id, neighbour_id, cosine from pairs union all select neighbour_id, memory_id, cosine from pairs
    ), inserted as (
      insert into slowwave.neighbours (tenant, user_id, model, memory_id, neighbour_id, cosine)
      select ${input.tenant}, ${input.user}, ${input.model}, memory_id, neighbour_id, least(1, max(cosine))
      from both_ways group by memory_id, neighbour_id
      returning memory_id
    )
    select count(*)::int as pairs, coalesce(jsonb_agg(distinct memory_id), '[]') as touched from inserted`);
  await trimNeighbours(tx, input, stored!.touched);
  return stored!.pairs;
}

/** A user's rows of a model, in a table called by the alias. */
export function ofModel(of: { tenant: string; user: string; model: string }, alias: string): SQL {
  const prefix = sql.raw(alias);
  return sql`${prefix}.tenant = ${of.tenant} and ${prefix}.user_id = ${of.user} and ${prefix}.model = ${of.model}`;
}

/** A changed content has another vector: what was known of it is void. @param mine the rows of a table called n */
export async function dropNeighbours(tx: Transaction, mine: SQL, fresh: SQL): Promise<void> {
  await tx.rows(sql`
    delete from slowwave.neighbours n
    where ${mine} and (n.memory_id = any(${fresh}) or n.neighbour_id = any(${fresh}))`);
}

/**
 * Keeps the best of each memory that pairs were added to. The memories are given as an array and the rows found by their address: one
 * pass, whatever the planner guesses of tables that have just been filled.
 */
export async function trimNeighbours(
  tx: Transaction,
  of: { tenant: string; user: string; model: string },
  touched: readonly string[],
): Promise<void> {
  await tx.rows(sql`
    delete from slowwave.neighbours n
    where n.ctid = any(array(
      select ranked.address from (
        select r.ctid as address,
          row_number() over (partition by r.memory_id order by r.cosine desc, r.neighbour_id) as place
        from slowwave.neighbours r
        where ${ofModel(of, 'r')} and r.memory_id = any(${uuidArray(touched)})
      ) ranked where ranked.place > ${NEIGHBOUR_LIMIT}))
      -- An address is one row of one table: where the rows are partitioned, others have the same ones. Not by =, which would let an index
      -- be chosen, and every row of the user be compared with every address.
      and n.tenant is not distinct from ${of.tenant} and n.user_id is not distinct from ${of.user} /* guard: trim-own */`);
}
