import type { Database } from '@slowwave/db';

/** Run records, the stamps of tiers and the holds of workers: every run writes these. */
const BOOKKEEPING = ['runs', 'user_tiers', 'leases'];

/** An instant of the database, before which no row counts as written. */
export interface WriteMark {
  transaction: string;
  rows: Map<string, number>;
}

async function tablesOf(database: Database): Promise<string[]> {
  const { rows } = await database.pool!.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'slowwave' and table_type = 'BASE TABLE' order by 1`,
  );
  return rows.map(({ name }) => name).filter((name) => !BOOKKEEPING.includes(name));
}

export async function markWrites(database: Database): Promise<WriteMark> {
  const rows = new Map<string, number>();
  for (const name of await tablesOf(database)) {
    const { rows: counted } = await database.pool!.query<{ n: string }>(
      `select count(*) as n from slowwave.${name}`,
    );
    rows.set(name, Number(counted[0]!.n));
  }
  const { rows: now } = await database.pool!.query<{ id: string }>('select pg_current_xact_id()::text as id');
  return { transaction: now[0]!.id, rows };
}

/**
 * Rows of all tables but the bookkeeping that were inserted, rewritten (with the same values too) or deleted since the mark. For a server
 * that has not seen four billion transactions, and with nobody else at work on the database.
 */
export async function writtenSince(database: Database, mark: WriteMark): Promise<Map<string, number>> {
  const written = new Map<string, number>();
  for (const name of await tablesOf(database)) {
    const { rows } = await database.pool!.query<{ total: string; fresh: string }>(
      `select count(*) as total, count(*) filter (where xmin::text::bigint >= $1::bigint) as fresh from slowwave.${name}`,
      [mark.transaction],
    );
    const [total, fresh] = [Number(rows[0]!.total), Number(rows[0]!.fresh)];
    const gone = Math.max(0, (mark.rows.get(name) ?? 0) - total);
    if (fresh + gone > 0) written.set(name, fresh + gone);
  }
  return written;
}
