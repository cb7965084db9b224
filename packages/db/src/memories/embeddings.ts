import { type SQL, sql } from 'drizzle-orm';
import { realArray } from '../binary-arrays.ts';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { type Question, theRow } from '../questions.ts';
import { requireDimensions } from './dimensions.ts';
import { BEFORE_ALL } from './vectors.ts';

export interface MissingEmbedding {
  id: string;
  content: string;
  contentHash: string;
}

/** Whether a memory, of a row called m, is latest and has no embedding of this model in its present words. */
function isMissing(of: { tenant: string; user: string; model: string }): SQL {
  return sql`m.tenant = ${of.tenant} and m.user_id = ${of.user} and m.is_latest and m.archived_at is null
      -- A hash of what there is, whatever the planner guesses: both columns are never null.
      and (m.id, m.content_hash) not in (
        select e.memory_id, e.content_hash from slowwave.embeddings e
        where e.tenant = ${of.tenant} and e.user_id = ${of.user} and e.model = ${of.model})`;
}

/**
 * Latest memories of a user that this model has not embedded, or not in their present words; oldest first.
 * @param input.after only those whose ids come after this one
 */
export function listMissingEmbeddings(
  tx: Transaction,
  input: { tenant: string; user: string; model: string; limit: number; after?: string | null },
): Promise<MissingEmbedding[]> {
  return tx.rows(sql`
    select m.id, m.content, m.content_hash as "contentHash"
    from slowwave.memories m
    where ${isMissing(input)}
      and m.id > ${input.after ?? BEFORE_ALL}::uuid
    order by m.id
    limit ${input.limit}`);
}

/** How many memories wait for an embedding, and how many are latest: what each of them is compared with. */
export function askMissingEmbeddings(of: {
  tenant: string;
  user: string;
  model: string;
}): Question<{ missing: number; latest: number }> {
  return theRow(sql`
    select (select count(*)::int from slowwave.memories m where ${isMissing(of)}) as missing,
      (select count(*)::int from slowwave.memories l
        where l.tenant = ${of.tenant} and l.user_id = ${of.user} and l.is_latest) as latest`);
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
  const dimensions = input.embeddings[0]!.vector.length;
  await requireDimensions(
    tx,
    input.model,
    input.embeddings.map((embedding) => embedding.vector),
  );
  const column = sql.raw(dimensions <= PLAIN_DIMENSIONS ? 'vector' : 'long_vector');
  const vectors = new Float32Array(input.embeddings.length * dimensions);
  for (const [i, { vector }] of input.embeddings.entries()) vectors.set(vector, i * dimensions);
  const payload = JSON.stringify(
    input.embeddings.map(({ id, contentHash }, i) => ({ id, hash: contentHash, first: i * dimensions + 1 })),
  );
  const rows = await tx.rows<{ id: string }>(sql`
    with stored as (
      insert into slowwave.embeddings (tenant, user_id, memory_id, model, content_hash, ${column}, created_at)
      select m.tenant, m.user_id, m.id, ${input.model}, r.hash, r.vector, ${instantOf(input.at)}
      from (
        select r.id, r.hash, (given.components[r.first:r.first + ${dimensions - 1}::int])::vector as vector
        -- One parameter, read once: what is cut out of it are the vectors.
        from (select ${realArray(vectors)} as components offset 0) given
        cross join jsonb_to_recordset(${payload}::jsonb) as r(id uuid, hash text, first int)
        -- A fence: what is sorted by the memories are the vectors, and not the parameter once for each.
        offset 0
      ) r
      join slowwave.memories m
        on m.tenant = ${input.tenant} and m.user_id = ${input.user} and m.id = r.id and m.content_hash = r.hash
      order by m.id
      -- One that is being forgotten is waited for, and then left out.
      for key share of m
      on conflict (tenant, user_id, memory_id, model)
        do update set content_hash = excluded.content_hash, ${column} = excluded.${column}, created_at = excluded.created_at
      returning tenant, user_id, memory_id, model, content_hash
    )
    insert into slowwave.word_scores (tenant, user_id, memory_id, model, content_hash)
    select * from stored
    on conflict (tenant, user_id, memory_id, model) do update set content_hash = excluded.content_hash, score = null
    returning memory_id as id`);
  return rows.map((row) => row.id);
}
