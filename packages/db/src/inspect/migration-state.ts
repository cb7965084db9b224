import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { readMigrations } from '../migrate.ts';

/** How the schema of a database stands against this version of the program. */
export interface MigrationState {
  /** How many were run, and how many this version knows. */
  applied: number;
  known: number;
  /** The names of those that have not been run, in order. */
  pending: string[];
  /** The first one in the database that this version does not know as it stands there; null: none. */
  foreign: string | null;
}

/** Reads what `migrate` would do, and does nothing. @param folder where the migrations are */
export async function readMigrationState(database: Database, folder?: URL): Promise<MigrationState> {
  const known = await readMigrations(folder);
  const applied = await database.asOwner(async (tx) => {
    const [found] = await tx.rows<{ present: boolean }>(
      sql`select to_regclass('slowwave.migrations') is not null as present`,
    );
    if (!found?.present) return [];
    return tx.rows<{ name: string; hash: string }>(
      sql`select name, hash from slowwave.migrations order by position`,
    );
  });
  const foreign = applied.find(({ name, hash }, i) => known[i]?.name !== name || known[i]?.hash !== hash);
  return {
    applied: applied.length,
    known: known.length,
    pending: known.slice(applied.length).map(({ name }) => name),
    foreign: foreign?.name ?? null,
  };
}
