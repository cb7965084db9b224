import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { DatabaseError } from '../errors.ts';
import { instantOf } from '../instants.ts';

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

function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

async function agreeOnDimensions(tx: Transaction, model: string, dimensions: number): Promise<void> {
  await tx.rows(sql`
    insert into slowwave.embedding_models (model, dimensions) values (${model}, ${dimensions}) on conflict do nothing`);
  const [known] = await tx.rows<{ dimensions: number }>(
    sql`select dimensions from slowwave.embedding_models where model = ${model}`,
  );
  if (known && known.dimensions !== dimensions) {
    throw new DatabaseError(
      'wrong_dimensions',
      `the embedding model ${model} gave vectors of ${dimensions} dimensions, but ${known.dimensions} are stored under that name: check SLOWWAVE_EMBEDDING_MODEL and SLOWWAVE_EMBEDDING_DIMENSIONS`,
    );
  }
}

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
  const first = input.embeddings[0];
  if (!first) return [];
  const dimensions = first.vector.length;
  const odd = input.embeddings.find((embedding) => embedding.vector.length !== dimensions);
  if (odd) {
    throw new DatabaseError(
      'wrong_dimensions',
      `the embedding model ${input.model} gave vectors of ${dimensions} and of ${odd.vector.length} dimensions in one answer`,
    );
  }
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
    on conflict (tenant, user_id, memory_id, model)
      do update set content_hash = excluded.content_hash, ${column} = excluded.${column}, created_at = excluded.created_at
    returning memory_id as id`);
  return rows.map((row) => row.id);
}
