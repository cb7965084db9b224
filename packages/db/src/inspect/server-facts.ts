import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';

/** What a database says of itself. */
export interface ServerFacts {
  /** As the server names it: "16.4". */
  version: string;
  /** As a number: 160004. */
  versionNumber: number;
  /** The server's clock, epoch ms. */
  at: number;
  /** pgvector in this database, and the one that the server could install; null where there is none. */
  vectorInstalled: string | null;
  vectorAvailable: string | null;
}

/** One look at the server behind a database; nothing of ours has to stand there. For the owner. */
export async function serverFacts(tx: Transaction): Promise<ServerFacts> {
  const [facts] = await tx.rows<ServerFacts>(sql`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as "versionNumber",
      (extract(epoch from clock_timestamp()) * 1000)::float8 as at,
      (select extversion from pg_catalog.pg_extension where extname = 'vector') as "vectorInstalled",
      (select default_version from pg_catalog.pg_available_extensions where name = 'vector') as "vectorAvailable"`);
  return facts!;
}

/** The models whose vectors are stored, with their length; at most 100. Of all tenants; on a migrated database. */
export function listEmbeddingModels(tx: Transaction): Promise<{ model: string; dimensions: number }[]> {
  return tx.rows(sql`select model, dimensions from slowwave.embedding_models order by model limit 100`);
}
