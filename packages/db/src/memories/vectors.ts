import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { createCopyReader, readHex, type VectorPage } from './vector-bytes.ts';

export type { VectorPage } from './vector-bytes.ts';

/** Bytes of vectors in one page: enough to be quick, and few of them fit the memory of any process. */
const PAGE_BYTES = 8 * 1_048_576;
const LARGEST_PAGE = 5_000;

/** How many vectors make a page. @param dimensions of each */
export function vectorPageSize(dimensions: number): number {
  const fitting = Math.floor(PAGE_BYTES / (Float32Array.BYTES_PER_ELEMENT * Math.max(1, dimensions)));
  return Math.min(LARGEST_PAGE, Math.max(1, fitting));
}

/** A copy takes no parameters: they are settings of the transaction, as its tenant is. */
const PAGE = (limit: number) => `
  select memory_id as id, coalesce(vector, long_vector) as vector
  from slowwave.embeddings
  where tenant = current_setting('slowwave.page_tenant') and user_id = current_setting('slowwave.page_user')
    and model = current_setting('slowwave.page_model') and memory_id > current_setting('slowwave.page_after')::uuid
  order by memory_id
  limit ${limit}`;
/** An id that no memory has, before all others. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * One page of a user's vectors, in the order of the memories' ids. They travel as bytes: as text they take ten times as long.
 * @param input.after the last id of the page before; null: the first page
 * @param input.limit most vectors of the page; fewer are the last page
 */
export async function readVectors(
  tx: Transaction,
  input: { tenant: string; user: string; model: string; after: string | null; limit: number },
): Promise<VectorPage> {
  await tx.rows(sql`
    select set_config('slowwave.page_tenant', ${input.tenant}, true), set_config('slowwave.page_user', ${input.user}, true),
      set_config('slowwave.page_model', ${input.model}, true), set_config('slowwave.page_after', ${input.after ?? BEFORE_ALL}, true)`);
  const limit = Math.max(1, Math.trunc(input.limit));
  const page = PAGE(limit);
  if (tx.copyOut) {
    const reader = createCopyReader(limit);
    await tx.copyOut(`copy (${page}) to stdout (format binary)`, reader.take);
    return reader.page();
  }
  return readHex(
    await tx.rows<{ id: string; hex: string }>(
      sql.raw(`select p.id, encode(vector_send(p.vector), 'hex') as hex from (${page}) p order by p.id`),
    ),
  );
}
