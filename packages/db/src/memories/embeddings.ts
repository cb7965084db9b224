import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { agreeOnDimensions, requireOneLength, vectorText } from './dimensions.ts';

export interface MissingEmbedding {
  id: string;
  content: string;
  contentHash: string;
}

/** Latest memories of a user that this model has not embedded, or not in their present words; oldest first. */
export function listMissingEmbeddings(
  tx: Transaction,
  input: { tenant: string; user: string; model: string; limit: number },
): Promise<MissingEmbedding[]> {
  return tx.rows(sql`
    select m.id, m.content, m.content_hash as "contentHash"
    from slowwave.memories m
    where m.tenant = ${input.tenant} and m.user_id = ${input.user} and m.is_latest and m.archived_at is null
      -- A hash of what there is, whatever the planner guesses: both columns are never null.
      and (m.id, m.content_hash) not in (
        select e.memory_id, e.content_hash from slowwave.embeddings e
        where e.tenant = ${input.tenant} and e.user_id = ${input.user} and e.model = ${input.model})
    order by m.id
    limit ${input.limit}`);
}

/** Above this a vector does not fit a page and stands in the column with detour. */
const PLAIN_DIMENSIONS = 2000;

/**
 * Stores vectors, one per memory, all of one model and length. A memory that was changed or removed since is left out.
 * @returns ids that were stored
 * @throws DatabaseError `wrong_dimensions` when vectors differ in length from each other or from what is stored
 */
export async function storeEmbeddings(
  tx: Transaction,
  input: {
    tenant: string;
    user: string;
    model: string;
    at: number;
    embeddings: readonly { id: string; contentHash: string; vector: Float32Array }[];
  },
): Promise<string[]> {
  if (input.embeddings.length === 0) return [];
  const dimensions = requireOneLength(
    input.model,
    input.embeddings.map((embedding) => embedding.vector),
  );
  await agreeOnDimensions(tx, input.model, dimensions);
  const column = sql.raw(dimensions <= PLAIN_DIMENSIONS ? 'vector' : 'long_vector');
  const payload = JSON.stringify(
    input.embeddings.map(({ id, contentHash, vector }) => ({
      id,
      hash: contentHash,
      vector: vectorText(vector),
    })),
  );
  const rows = await tx.rows<{ id: string }>(sql`
    insert into slowwave.embeddings (tenant, user_id, memory_id, model, content_hash, ${column}, created_at)
    select m.tenant, m.user_id, m.id, ${input.model}, r.hash, r.vector::vector, ${instantOf(input.at)}
    from jsonb_to_recordset(${payload}::jsonb) as r(id uuid, hash text, vector text)
    join slowwave.memories m
      on m.tenant = ${input.tenant} and m.user_id = ${input.user} and m.id = r.id and m.content_hash = r.hash
    order by m.id
    -- One that is being forgotten is waited for, and then left out.
    for key share of m
    on conflict (tenant, user_id, memory_id, model)
      do update set content_hash = excluded.content_hash, ${column} = excluded.${column}, created_at = excluded.created_at
    returning memory_id as id`);
  return rows.map((row) => row.id);
}
