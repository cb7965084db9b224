import { createFolderFiles, type FolderFiles } from '../files/folder.ts';
import {
  agentDocumentName,
  agentFolder,
  dailyName,
  displayPath,
  MEMORY_DREAMS_FILENAME,
  MEMORY_LONG_TERM_FILENAME,
} from '../files/paths.ts';
import {
  agentDailyScaffold,
  agentDreamsScaffold,
  agentLongTermScaffold,
  getDefaultDailyMemoryScaffold,
  getDefaultDreamsScaffold,
  getDefaultLongTermMemoryScaffold,
} from '../files/scaffolds.ts';
import { isMemoryError, MemoryBackendError } from './errors.ts';
import { FileMemoryBackend } from './file.ts';
import { fileInfos } from './layers.ts';
import type { MemoryFileInfo, MemoryGetOptions, MemoryGetResult, MemoryWriteResult } from './types.ts';

const BY = 'project';
const backend = new FileMemoryBackend({ by: BY });

/** Creates a document where nothing stands; whatever stands there stays. */
async function createMissing(files: FolderFiles, name: string, content: string): Promise<boolean> {
  if (await files.exists(name)) return false;
  try {
    await files.write(name, content, { expected: null, by: BY });
    return true;
  } catch (error) {
    if (isMemoryError(error, 'CONFLICT')) return false;
    throw error;
  }
}

/** Creates MEMORY.md, the daily notes of a date (UTC) and DREAMS.md where they are missing; tells which of the first two were. */
export async function ensureOpenClawMemoryFiles(
  rootDir: string,
  date: Date = new Date(),
): Promise<{ longTermCreated: boolean; dailyCreated: boolean }> {
  const files = createFolderFiles({ rootDir });
  const longTerm = getDefaultLongTermMemoryScaffold();
  const longTermCreated = await createMissing(files, MEMORY_LONG_TERM_FILENAME, longTerm);
  const dailyCreated = await createMissing(files, dailyName(date), getDefaultDailyMemoryScaffold(date));
  await createMissing(files, MEMORY_DREAMS_FILENAME, getDefaultDreamsScaffold());
  return { longTermCreated, dailyCreated };
}

/** The documents of a project, the missing ones of today created first; `FileMemoryBackend.list` creates none. */
export async function listProjectMemoryFiles(
  rootDir: string,
  date: Date = new Date(),
): Promise<MemoryFileInfo[]> {
  await ensureOpenClawMemoryFiles(rootDir, date);
  return backend.list(rootDir);
}

export async function readProjectMemoryFile(
  rootDir: string,
  options: MemoryGetOptions,
): Promise<MemoryGetResult> {
  return backend.get(rootDir, options);
}

export async function readProjectMemoryFileContent(
  rootDir: string,
  path: string,
): Promise<{ path: string; content: string }> {
  const found = await backend.readFile(rootDir, path);
  return { path: found.path, content: found.content };
}

export async function writeProjectMemoryFile(
  rootDir: string,
  path: string,
  content: string,
): Promise<MemoryWriteResult> {
  return backend.writeFile(rootDir, path, content);
}

function agentFiles(rootDir: string, agentId: string): FolderFiles {
  return createFolderFiles({ rootDir, folder: agentFolder(agentId) });
}

/** The documents of an agent's own memory, the missing ones of today created first. */
export async function listAgentMemoryFiles(
  rootDir: string,
  agentId: string,
  date: Date = new Date(),
): Promise<MemoryFileInfo[]> {
  const files = agentFiles(rootDir, agentId);
  await createMissing(files, MEMORY_LONG_TERM_FILENAME, agentLongTermScaffold());
  await createMissing(files, dailyName(date), agentDailyScaffold(date));
  await createMissing(files, MEMORY_DREAMS_FILENAME, agentDreamsScaffold());
  return fileInfos(await files.list(), agentFolder(agentId));
}

export async function readAgentMemoryFile(
  rootDir: string,
  agentId: string,
  path: string,
): Promise<{ path: string; content: string }> {
  const name = agentDocumentName(agentId, path);
  const shown = displayPath(name, agentFolder(agentId));
  const found = await agentFiles(rootDir, agentId).read(name);
  if (found === null) throw new MemoryBackendError('NOT_FOUND', `There is no memory file ${shown}`, 'file');
  return { path: shown, content: found.content };
}

export async function writeAgentMemoryFile(
  rootDir: string,
  agentId: string,
  path: string,
  content: string,
): Promise<{ success: boolean }> {
  const name = agentDocumentName(agentId, path);
  await agentFiles(rootDir, agentId).write(name, content, { by: BY });
  return { success: true };
}
