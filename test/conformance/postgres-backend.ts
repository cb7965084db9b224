import {
  type Database,
  ensureUsers,
  listDocuments,
  putWorkspace,
  type WorkspaceKey,
  writeDocument,
} from '@slowwave/db';
import { createPostgresMemoryBackend } from '@slowwave/workspace';
import type { ConformanceSetup } from './memory-backend.ts';

const AT = Date.UTC(2026, 4, 1, 12);

/**
 * The `postgres` backend over a database of the test's own. Every project is a workspace of the same name: of another user, and every
 * second one of another tenant.
 */
export function postgresSetup(open: () => Promise<{ database: Database; drop(): Promise<void> }>) {
  return async (): Promise<ConformanceSetup> => {
    const { database, drop } = await open();
    const closing: (() => Promise<void>)[] = [drop];
    const keys = new Map<string, WorkspaceKey>();
    const keyOf = (rootDir: string): WorkspaceKey => keys.get(rootDir)!;
    const backendOn = (on: Database) =>
      createPostgresMemoryBackend({
        database: on,
        resolve: (rootDir) => keys.get(rootDir) ?? null,
        now: () => AT,
      });
    return {
      backend: backendOn(database),
      async project() {
        const n = keys.size;
        const key = { tenant: `tenant ${n % 2}`, user: `user ${Math.floor(n / 2)}`, workspace: 'project' };
        await database.withTenant(key.tenant, async (tx) => {
          await ensureUsers(tx, [key], AT);
          await putWorkspace(tx, key, {}, AT);
        });
        const rootDir = `/srv/${n}/project`;
        keys.set(rootDir, key);
        return rootDir;
      },
      async put(rootDir, path, content) {
        const key = keyOf(rootDir);
        await database.withTenant(key.tenant, (tx) =>
          writeDocument(tx, key, { path, content, by: 'test', at: AT }),
        );
      },
      async names(rootDir) {
        const key = keyOf(rootDir);
        const documents = await database.withTenant(key.tenant, (tx) => listDocuments(tx, key));
        return documents.map(({ path }) => path);
      },
      async limited(rootDir) {
        const key = keyOf(rootDir);
        await database.withTenant(key.tenant, (tx) => putWorkspace(tx, key, { quotaBytes: 1_000 }, AT));
        return backendOn(database);
      },
      async down() {
        const closed = await open();
        closing.push(closed.drop);
        await closed.database.close();
        return backendOn(closed.database);
      },
      async close() {
        for (const close of closing) await close();
      },
    };
  };
}
