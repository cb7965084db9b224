import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import type { Owner } from './reach.ts';

/** Memories whose blocks were edited until they became one of these: earlier wordings of the same. */
export async function listEarlierWordings(
  tx: Transaction,
  of: Owner,
  ids: Iterable<string>,
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(sql`
    with recursive blocks as (
      select b.workspace, b.path, b.block_hash, b.memory_id from slowwave.import_blocks b
      where ${owned(of, 'b')} and b.memory_id = any(${uuidArray([...ids])})
      union
      select o.workspace, o.path, o.block_hash, o.memory_id from slowwave.import_blocks o
      join blocks b on o.workspace = b.workspace and o.path = b.path and o.replaced_by = b.block_hash
      where ${owned(of, 'o')}
    )
    select distinct memory_id as id from blocks where memory_id is not null`);
  return rows.map(({ id }) => id);
}
