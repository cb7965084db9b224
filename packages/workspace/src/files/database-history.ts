import { type Database, documentBefore, keepVersion, type WorkspaceKey } from '@slowwave/db';
import { memoryErrorOf } from '../backend/database-errors.ts';
import type { DocumentHistory } from './history.ts';

/** What runs replaced in the files of a folder, kept in the database; writers without a run keep nothing. */
export function createDatabaseHistory(options: {
  database: Database;
  /** The workspace that has the folder. */
  key: WorkspaceKey;
  /** Epoch ms. */
  now: () => number;
  /** Named in errors; default `file`. */
  backend?: string;
}): DocumentHistory {
  const { database, key, now, backend = 'file' } = options;
  return {
    async keep({ runId, path, content, sha256After, by }) {
      if (runId === null) return;
      try {
        const kept = { path, runId, content, sha256After, by, at: now() };
        await database.withTenant(key.tenant, (tx) => keepVersion(tx, key, kept));
      } catch (error) {
        throw memoryErrorOf(error, 'write', backend);
      }
    },
    async before(runId, path) {
      try {
        return await database.withTenant(key.tenant, (tx) => documentBefore(tx, key, { runId, path }));
      } catch (error) {
        throw memoryErrorOf(error, 'read', backend);
      }
    },
  };
}
