import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Database, Workspace } from '@slowwave/db';
import {
  createDatabaseHistory,
  createDocumentFiles,
  createFolderFiles,
  type WorkspaceFiles,
} from '@slowwave/workspace';

/** The documents of a workspace, as far as this process may have them: documents in the database, or a folder that it was given. */
export type WorkspaceFilesOf = (settings: Workspace) => WorkspaceFiles | null;

function isBelow(folder: string, root: string): boolean {
  const way = relative(root, folder);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
}

function realPathOf(folder: string): string | null {
  try {
    return realpathSync.native(folder);
  } catch {
    return null;
  }
}

/** @param parts.roots folders below which workspaces may be; null: anywhere, for whoever runs everything on a machine of their own */
export function createWorkspaceFilesOf(parts: {
  database: Database;
  /** Epoch ms. */
  now: () => number;
  roots: readonly string[] | null;
}): WorkspaceFilesOf {
  const { database, now, roots } = parts;
  return ({ tenant, user, workspace, rootDir, backend }) => {
    const key = { tenant, user, workspace };
    // It has no documents anywhere: what its ledger knows of a folder was not deleted.
    if (rootDir === null && backend === 'readonly') return null;
    if (rootDir === null) return createDocumentFiles({ database, key, now });
    // Registered as its real path: if it leads elsewhere by now, somebody has put a link there.
    const real = realPathOf(rootDir);
    if (real === null || real !== rootDir) return null;
    const isGiven =
      roots === null ||
      roots.some((root) => {
        const realRoot = realPathOf(root);
        return realRoot !== null && isBelow(real, realRoot);
      });
    if (!isGiven) return null;
    return createFolderFiles({ rootDir, now, history: createDatabaseHistory({ database, key, now }) });
  };
}
