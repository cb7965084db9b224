import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import type { Database, Transaction } from './database.ts';
import { DatabaseError } from './errors.ts';

/** Any fixed number serves, as long as every process of every version takes the same one ("SLOW"). */
const MIGRATION_LOCK = 0x534c4f57;
const FOLDER = new URL('../../../drizzle/', import.meta.url);

interface Migration {
  name: string;
  hash: string;
  statements: string[];
}

/** The migrations in drizzle/, in the order of their journal. */
export async function readMigrations(folder: URL = FOLDER): Promise<Migration[]> {
  const journal = JSON.parse(await readFile(new URL('meta/_journal.json', folder), 'utf8')) as {
    entries: { tag: string }[];
  };
  return Promise.all(
    journal.entries.map(async ({ tag }) => {
      const text = await readFile(new URL(`${tag}.sql`, folder), 'utf8');
      return {
        name: tag,
        hash: createHash('sha256').update(text).digest('hex'),
        statements: text.split('--> statement-breakpoint').map((part) => part.trim()),
      };
    }),
  );
}

/**
 * Brings the schema up to date. Safe when many processes start at once: one runs the migrations, the others wait and find them
 * done. Each call is one transaction: all or nothing.
 * @returns names of the migrations that this call ran
 * @throws DatabaseError `newer_schema` when the database was migrated by a newer version
 */
export async function migrate(database: Database, folder: URL = FOLDER): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return database.asOwner(async (tx) => {
    if (database.kind === 'server') await tx.rows(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    const applied = await appliedMigrations(tx);
    refuseForeignHistory(migrations, applied);
    const pending = migrations.slice(applied.length);
    for (const migration of pending) await run(tx, migration);
    if (pending.length > 0) await letEachLoginLook(tx);
    return pending.map((migration) => migration.name);
  });
}

/** A login that owns nothing looks at its start whether the schema is the one that it knows: names and hashes are no secret. */
async function letEachLoginLook(tx: Transaction): Promise<void> {
  await tx.rows(sql`grant usage on schema slowwave to public`);
  await tx.rows(sql`grant select on slowwave.migrations to public`);
}

async function appliedMigrations(tx: Transaction): Promise<{ name: string; hash: string }[]> {
  const [found] = await tx.rows<{ present: boolean }>(
    sql`select to_regclass('slowwave.migrations') is not null as present`,
  );
  if (found?.present) {
    return tx.rows(sql`select name, hash from slowwave.migrations order by position`);
  }
  await tx.rows(sql`create schema if not exists slowwave`);
  await tx.rows(sql`
    create table slowwave.migrations (
      position integer primary key, name text not null unique, hash text not null, applied_at timestamptz not null default now()
    )`);
  return [];
}

function refuseForeignHistory(known: Migration[], applied: { name: string; hash: string }[]): void {
  if (applied.length > known.length) {
    const newest = applied.at(-1)?.name;
    throw new DatabaseError(
      'newer_schema',
      `the database was migrated by a newer version (${newest}, this version knows ${known.length} migrations): update this process, nothing was changed`,
    );
  }
  const differing = applied.find((row, i) => row.name !== known[i]?.name || row.hash !== known[i]?.hash);
  if (differing) {
    throw new DatabaseError(
      'newer_schema',
      `migration ${differing.name} in the database is not the one this version knows: nothing was changed`,
    );
  }
}

async function run(tx: Transaction, migration: Migration): Promise<void> {
  for (const statement of migration.statements) {
    try {
      await tx.rows(sql.raw(statement));
    } catch (error) {
      throw explained(error, migration.name);
    }
  }
  await tx.rows(sql`
    insert into slowwave.migrations (position, name, hash)
    select count(*), ${migration.name}, ${migration.hash} from slowwave.migrations`);
}

function explained(error: unknown, name: string): unknown {
  if (!(error instanceof DatabaseError)) return error;
  if (error.sqlState === '0A000' || error.sqlState === '58P01') {
    return new DatabaseError(
      'missing_extension',
      'the server has no pgvector: install the extension for this PostgreSQL version (package postgresql-NN-pgvector, or an image that has it)',
      { sqlState: error.sqlState },
    );
  }
  if (error.sqlState === '42501') {
    return new DatabaseError(
      'permission',
      `migration ${name} needs a login that may create extensions, schemas and roles; run it once with such a login`,
      { sqlState: error.sqlState },
    );
  }
  return new DatabaseError(
    error.code,
    `migration ${name} failed (SQLSTATE ${error.sqlState}); nothing was changed`,
    error,
  );
}

/** Where the migrations are read from, for messages and tests. */
export const migrationsFolder = fileURLToPath(FOLDER);
