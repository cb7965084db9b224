import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';

/**
 * Notes that a question was asked and what it brought back, and counts the recall on each of these, in one statement. Nothing of
 * prominence changes: being recalled is no confirmation. Rows are locked in one order, so that two questions do not wait for each other
 * in a circle; a memory that is gone by now is left out. The transaction's commit does not wait for the disk: a database that is killed may
 * lose the counts of its last second, no memory, and no answer waits for a write.
 * @param input.hits ids and scores, best first
 * @returns false when there is no such user
 */
export async function recordRecall(
  tx: Transaction,
  input: {
    tenant: string;
    user: string;
    eventId: string;
    query: string;
    at: number;
    hits: readonly { id: string; score: number }[];
  },
): Promise<boolean> {
  const at = instantOf(input.at);
  const hits = JSON.stringify(input.hits.map(({ id, score }, i) => ({ id, score, position: i + 1 })));
  const [row] = await tx.rows<{ known: boolean }>(sql`
    with hits as materialized (
      select * from jsonb_to_recordset(${hits}::jsonb) as r(id uuid, score real, position integer)
    ), event as (
      insert into slowwave.recall_events (tenant, user_id, id, query, recalled_at, hits)
      select u.tenant, u.id, ${input.eventId}::uuid, ${input.query}, ${at}, ${input.hits.length}
      from slowwave.users u where u.tenant = ${input.tenant} and u.id = ${input.user}
      returning id
    ), locked as (
      select m.id from slowwave.memories m
      where ${owned(input, 'm')} and m.id = any(array(select id from hits))
      order by m.id
      for no key update
    ), noted as (
      insert into slowwave.recall_hits (tenant, user_id, event_id, memory_id, position, score)
      select ${input.tenant}, ${input.user}, event.id, h.id, h.position, h.score
      from event cross join hits h join locked on locked.id = h.id
    ), counted as (
      update slowwave.memories m set access_count = m.access_count + 1, last_accessed = greatest(m.last_accessed, ${at})
      from locked where ${owned(input, 'm')} and m.id = locked.id
    )
    select exists (select 1 from event) as known, set_config('synchronous_commit', 'off', true)`);
  return row!.known;
}
