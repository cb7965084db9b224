import { resolveMemoryBackend } from '../backend/default-registry.ts';
import { isMemoryError } from '../backend/errors.ts';
import { FileMemoryBackend } from '../backend/file.ts';
import { ensureOpenClawMemoryFiles } from '../backend/project-files.ts';
import type { MemoryBackend, MemorySettings } from '../backend/types.ts';
import { QmdMemoryBackend } from '../qmd/backend.ts';
import { getDefaultMemoryScaffold } from './scaffold.ts';

/** Creates the memory files of a project that are missing. @returns whether the long-term memory was among them */
export async function ensureMemoryFile(rootDir: string): Promise<boolean> {
  return (await ensureOpenClawMemoryFiles(rootDir)).longTermCreated;
}

/** Whether a backend keeps its documents below the project, where the layered files belong to them. */
function isOnDisk(backend: MemoryBackend): boolean {
  return backend instanceof FileMemoryBackend || backend instanceof QmdMemoryBackend;
}

/** Unlike `memoryExists` this fails when the backend cannot tell: what cannot be read must not be taken for missing. */
async function exists(backend: MemoryBackend, rootDir: string): Promise<boolean> {
  if (backend.exists) return backend.exists(rootDir);
  const found = await backend.read(rootDir);
  return found.exists || found.degraded === true;
}

async function createMemory(backend: MemoryBackend, rootDir: string): Promise<boolean> {
  try {
    return (await backend.write(rootDir, getDefaultMemoryScaffold(), { expectedVersion: null })).success;
  } catch (error) {
    // Somebody else was faster; theirs stays.
    if (isMemoryError(error, 'CONFLICT')) return false;
    throw error;
  }
}

/**
 * Gives a project its first memory where there is none. What stands there is never replaced, also when several do this at once; a backend
 * that cannot be written or cannot answer leaves everything as it is.
 * @returns whether the memory was created
 */
export async function ensureMemoryFileWithBackend(
  rootDir: string,
  settings?: MemorySettings,
): Promise<boolean> {
  try {
    const backend = resolveMemoryBackend(settings);
    if (!backend.capabilities.writable) return false;
    const created = (await exists(backend, rootDir)) ? false : await createMemory(backend, rootDir);
    if (isOnDisk(backend)) await ensureOpenClawMemoryFiles(rootDir);
    return created;
  } catch {
    return false;
  }
}
