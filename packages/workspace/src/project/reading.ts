import { resolveMemoryBackend } from '../backend/default-registry.ts';
import { MemoryBackendError } from '../backend/errors.ts';
import type {
  MemoryGetOptions,
  MemoryGetResult,
  MemorySearchOptions,
  MemorySearchResult,
  MemorySettings,
} from '../backend/types.ts';
import { createFolderFiles } from '../files/folder.ts';
import { MEMORY_LONG_TERM_FILENAME } from '../files/paths.ts';

/** The long-term memory on disk, whatever backend is configured; empty when there is none. */
export async function readProjectMemory(rootDir: string): Promise<string> {
  return (await createFolderFiles({ rootDir }).read(MEMORY_LONG_TERM_FILENAME))?.content ?? '';
}

/** The long-term memory as the configured backend has it; empty when there is none or it cannot be read. */
export async function readProjectMemoryWithBackend(
  rootDir: string,
  settings?: MemorySettings,
): Promise<string> {
  try {
    return (await resolveMemoryBackend(settings).read(rootDir)).content;
  } catch {
    return '';
  }
}

/** What the configured backend finds; nothing when it cannot search. */
export async function searchProjectMemory(
  rootDir: string,
  options: MemorySearchOptions,
  settings?: MemorySettings,
): Promise<MemorySearchResult[]> {
  return (await resolveMemoryBackend(settings).search?.(rootDir, options)) ?? [];
}

/** Lines of a document, from the configured backend. @throws MemoryBackendError UNSUPPORTED when it has no documents, and its own */
export async function getProjectMemory(
  rootDir: string,
  options: MemoryGetOptions,
  settings?: MemorySettings,
): Promise<MemoryGetResult> {
  const backend = resolveMemoryBackend(settings);
  if (backend.get) return backend.get(rootDir, options);
  throw new MemoryBackendError(
    'UNSUPPORTED',
    `The memory backend ${backend.type} cannot return lines`,
    backend.type,
  );
}
