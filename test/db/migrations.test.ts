import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DatabaseError, migrate, migrationsFolder, openServer, readMigrations } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { emptyServerDatabase } from '../fixtures/databases.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

describe('migrations on a server', () => {
  let drop: (() => Promise<void>) | null = null;
  afterEach(async () => {
    await drop?.();
    drop = null;
  });

  async function emptyUrl(): Promise<string> {
    const empty = await emptyServerDatabase();
    drop = empty.drop;
    return empty.url;
  }

  it('many processes that start at once run each of them once', async () => {
    const url = await emptyUrl();
    const databases = await Promise.all(
      Array.from({ length: 6 }, () => openServer({ url, poolSize: 2, connectTimeoutMs: 60_000 })),
    );
    try {
      const applied = await Promise.all(databases.map((database) => migrate(database)));
      const known = (await readMigrations()).map((migration) => migration.name);
      expect(applied.flat()).toEqual(known);
      expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
      const rows = await databases[0]!.asOwner((tx) =>
        tx.rows(sql`select name from slowwave.migrations order by position`),
      );
      expect(rows).toEqual(known.map((name) => ({ name })));
    } finally {
      await Promise.all(databases.map((database) => database.close()));
    }
  });

  it('a broken one leaves the database as it was and says which', async () => {
    const url = await emptyUrl();
    const folder = await mkdtemp(path.join(tmpdir(), 'migrations-'));
    const database = await openServer({ url, poolSize: 2, connectTimeoutMs: 60_000 });
    try {
      await cp(migrationsFolder, folder, { recursive: true });
      const last = (await readMigrations()).at(-1)!.name;
      const file = path.join(folder, `${last}.sql`);
      await appendFile(file, '\n--> statement-breakpoint\nselect 1 / 0;');
      const attempt = migrate(database, new URL(`file://${folder}/`));
      await expect(attempt).rejects.toMatchObject({
        message: expect.stringContaining(`migration ${last} failed`),
      });
      await expect(attempt).rejects.toBeInstanceOf(DatabaseError);
      const left = await database.asOwner((tx) =>
        tx.rows(sql`select to_regclass('slowwave.memories') as found`),
      );
      expect(left).toEqual([{ found: null }]);
      expect(await migrate(database)).toHaveLength((await readMigrations()).length);
    } finally {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('say everything that the schema in TypeScript says', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'drizzle-'));
    try {
      await cp(migrationsFolder, folder, { recursive: true });
      const kit = path.join(ROOT, 'node_modules', 'drizzle-kit', 'bin.cjs');
      const schema = path.join('packages', 'db', 'src', 'schema', 'index.ts');
      const out = path.relative(ROOT, folder);
      await run(
        process.execPath,
        [kit, 'generate', '--dialect', 'postgresql', '--schema', schema, '--out', out, '--name', 'drift'],
        { cwd: ROOT },
      );
      const made = (await readdir(folder)).filter((name) => name.includes('drift'));
      const text = await Promise.all(made.map((name) => readFile(path.join(folder, name), 'utf8')));
      expect(text).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('a login without pgvector or without rights is told what to do', async () => {
    const url = await emptyUrl();
    const database = await openServer({ url, poolSize: 2, connectTimeoutMs: 60_000 });
    try {
      const role = `plain_${Date.now()}`;
      await database.asOwner((tx) => tx.rows(sql.raw(`create role ${role} login password 'pw'`)));
      const plain = new URL(url);
      plain.username = role;
      plain.password = 'pw';
      const limited = await openServer({ url: plain.toString(), poolSize: 2, connectTimeoutMs: 60_000 });
      await expect(migrate(limited)).rejects.toMatchObject({ code: 'permission' });
      await limited.close();
      await database.asOwner((tx) => tx.rows(sql.raw(`drop role ${role}`)));
    } finally {
      await database.close();
    }
  });
});
