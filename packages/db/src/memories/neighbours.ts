import { type SQL, sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { lookup } from '../lookups.ts';

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
  input: OfModel & { ids: readonly string[] },
): Promise<number> {
  if (input.ids.length === 0) return 0;
  const mine = (alias: string) => ofModel(input, alias);
  const fresh = uuidArray(input.ids);
  await dropNeighbours(tx, input, input.ids);
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

type OfModel = { tenant: string; user: string; model: string };

/** A user's rows of a model, in a table called by the alias. */
export function ofModel(of: OfModel, alias: string): SQL {
  const prefix = sql.raw(alias);
  return sql`${prefix}.tenant = ${of.tenant} and ${prefix}.user_id = ${of.user} and ${prefix}.model = ${of.model}`;
}

/** A table of pairs of memories, stored in both directions: its name, and the column of the other memory. */
interface Pairs {
  table: SQL;
  other: SQL;
}

const NEIGHBOURS: Pairs = { table: sql`slowwave.neighbours`, other: sql`neighbour_id` };

/** Deletes rows of a user by their addresses, in a table called d. */
const deleteAt = (of: OfModel, table: SQL, addresses: SQL): SQL => sql`
  delete from ${table} d where d.ctid = any(array(${addresses}))
    -- An address is one row of one table: where the rows are partitioned, others have the same ones. Not by =, which would let an index
    -- be chosen, and every row of the user be compared with every address.
    and d.tenant is not distinct from ${of.tenant} and d.user_id is not distinct from ${of.user} /* guard: pairs-own */`;

/**
 * Deletes the pairs of memories, in both directions: what was known of a changed content is void. As in trimPairs, each row is found by the
 * key of its memory, whatever the planner guesses of tables that have just been filled.
 */
export async function dropPairs(
  tx: Transaction,
  of: OfModel,
  { table, other, ids }: Pairs & { ids: readonly string[] },
): Promise<void> {
  await tx.rows(
    deleteAt(
      of,
      table,
      sql`select p.address from unnest(${uuidArray(ids)}) i(id) ${lookup(sql`
        select r.ctid as address from ${table} r where ${ofModel(of, 'r')} and r.memory_id = i.id
        union all
        select r.ctid from ${table} r where ${ofModel(of, 'r')} and r.${other} = i.id`)} p`,
    ),
  );
}

/** Forgets the neighbours of memories. */
export function dropNeighbours(tx: Transaction, of: OfModel, ids: readonly string[]): Promise<void> {
  return dropPairs(tx, of, { ...NEIGHBOURS, ids });
}

/** Keeps the best of each memory that neighbours were added to. */
export function trimNeighbours(tx: Transaction, of: OfModel, touched: readonly string[]): Promise<void> {
  const order = sql`p.cosine desc, p.neighbour_id`;
  return trimPairs(tx, of, { ...NEIGHBOURS, order, limit: NEIGHBOUR_LIMIT, touched });
}

/** Keeps the first rows, in an order of rows called p, of each memory that pairs were added to, in one pass. */
export async function trimPairs(
  tx: Transaction,
  of: OfModel,
  { table, order, limit, touched }: Pairs & { order: SQL; limit: number; touched: readonly string[] },
): Promise<void> {
  await tx.rows(
    deleteAt(
      of,
      table,
      sql`select ranked.address from (
        select p.address, row_number() over (partition by t.id order by ${order}) as place
        from unnest(${uuidArray(touched)}) t(id) ${lookup(sql`
          select r.ctid as address, r.* from ${table} r where ${ofModel(of, 'r')} and r.memory_id = t.id`)} p
      ) ranked where ranked.place > ${limit}`,
    ),
  );
}
