import { type SQL, sql } from 'drizzle-orm';
import { owned } from '../fusions/scope.ts';
import { JOIN_SIDES, type Owner, SIDES_ALIVE } from './columns.ts';

/**
 * A query for the ids of memories that stay out of fusion: both sides of an open conflict, or its accuser alone. A conflict of which a side
 * was superseded or edited meanwhile keeps nobody out.
 */
export function disputedMemories(of: Owner): SQL {
  return sql`
    select unnest(case when c.accuser is null then array[c.a_id, c.b_id] else array[c.accuser] end) as id
    from slowwave.conflicts c ${JOIN_SIDES}
    where ${owned(of, 'c')} and c.status = 'open' and ${SIDES_ALIVE}`;
}

/**
 * A query for the pairs that nobody has labelled yet: such two are never put into one cluster.
 * @param ids a query for the memories among which they are looked for
 */
export function pairsApart(of: Owner, ids: SQL): SQL {
  return sql`
    select c.a_id as a, c.b_id as b from slowwave.conflicts c
    where ${owned(of, 'c')} and c.status = 'reported' and (c.a_id in (${ids})) is true and (c.b_id in (${ids})) is true`;
}
