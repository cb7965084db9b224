import type { Band, MemoryCategory, MemoryType } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import { type CursorShape, decodeCursor, type ListPage, pageOf } from '../paging.ts';
import { type StoredMemory, storedColumns, withBand } from './stored.ts';

/** Ids begin with the time that the memory was said, so that their order is that of the list and of the primary key. */
const SHAPE = { list: 'memories', key: { id: 'uuid' } } as const satisfies CursorShape;

export interface MemoryFilter {
  band?: Band | undefined;
  category?: MemoryCategory | undefined;
  memoryType?: MemoryType | undefined;
  /** Those that nothing stands in place of, or the others. */
  latest?: boolean | undefined;
}

/**
 * A page of a user's memories, the newest first; what is in cold storage is not among them.
 * @param input.at epoch ms: prominence and bands are as of then
 * @throws InputError for a cursor of another list
 */
export async function pageMemories(
  tx: Transaction,
  input: MemoryFilter & {
    tenant: string;
    user: string;
    at: number;
    limit: number;
    cursor?: string | undefined;
  },
): Promise<ListPage<StoredMemory>> {
  const after = decodeCursor(SHAPE, input.cursor);
  const { at, limit, category, memoryType, latest } = input;
  const wanted = [
    owned(input, 'm'),
    ...(after === null ? [] : [sql`m.id < ${after.id}::uuid`]),
    ...(input.band === undefined ? [] : [withinBand(input.band, at)]),
    ...(category === undefined ? [] : [sql`m.category = ${category}`]),
    ...(memoryType === undefined ? [] : [sql`m.memory_type = ${memoryType}`]),
    ...(latest === undefined ? [] : [sql`m.is_latest = ${latest}`]),
  ];
  const rows = await tx.rows<Omit<StoredMemory, 'band'>>(sql`
    select ${storedColumns(at)} from slowwave.memories m
    where ${sql.join(wanted, sql` and `)}
    order by m.id desc limit ${limit + 1}`);
  return pageOf(SHAPE, rows.map(withBand), limit, ({ id }) => ({ id }));
}

/** By the stored crossings, which say from which instant on a memory is below. */
function withinBand(band: Band, at: number): SQL {
  switch (band) {
    case 'active':
      return sql`m.crosses_050_at > ${instantOf(at)}`;
    case 'dormant':
      return sql`m.crosses_050_at <= ${instantOf(at)} and m.crosses_010_at > ${instantOf(at)}`;
    case 'archived':
      return sql`m.crosses_010_at <= ${instantOf(at)}`;
  }
}
