import type { Database } from '@slowwave/db';

/** What the rows of a table take on disk, bytes. */
export interface StoredTable {
  table: string;
  rows: number;
  /** The row itself, on average. */
  row: number;
  /** Table, indexes and what stands apart, for each row; null where there are too few to tell. */
  withIndexes: number | null;
}

const TABLES = ['memories', 'embeddings', 'neighbours', 'relations', 'runs', 'user_tiers'];
/** A table of fewer rows is mostly empty pages. */
const ROWS_LEAST = 1_000;

export async function measureStored(database: Database): Promise<StoredTable[]> {
  const stored: StoredTable[] = [];
  for (const table of TABLES) {
    const { rows: found } = await database.pool!.query<{ rows: number; row: number | null; bytes: number }>(
      `select count(*)::int as rows, avg(pg_column_size(t.*))::float8 as row,
        pg_total_relation_size('slowwave.${table}')::float8 as bytes from slowwave.${table} t`,
    );
    const { rows, row, bytes } = found[0]!;
    if (row === null) continue;
    const withIndexes = rows < ROWS_LEAST ? null : Math.round(bytes / rows);
    stored.push({ table, rows, row: Math.round(row), withIndexes });
  }
  return stored;
}
