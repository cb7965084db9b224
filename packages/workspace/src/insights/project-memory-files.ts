import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MemoryBackendError } from '../backend/errors.ts';
import { createFolderFiles } from '../files/folder.ts';
import { type AuditState, readAuditState, renderAuditState } from './audit-state.ts';
import { AUDIT_FILE, AUDIT_STATE_FILE, INSIGHTS_FILE, WORKING_FILE } from './sources.ts';

/** Where the files about insights stood before they moved into the memory folder. */
const OLD_FOLDER = '.fusion';
const BY = 'insights';

/** "" when there is none. */
export async function readWorkingMemory(rootDir: string): Promise<string> {
  return (await createFolderFiles({ rootDir }).read(WORKING_FILE))?.content ?? '';
}

export async function writeWorkingMemory(rootDir: string, content: string): Promise<void> {
  await createFolderFiles({ rootDir }).write(WORKING_FILE, content, { by: BY });
}

async function removeOld(rootDir: string, name: string): Promise<void> {
  const path = join(rootDir, OLD_FOLDER, name);
  const found = await lstat(path).catch(() => null);
  if (found?.isFile()) await rm(path, { force: true });
}

/** Reads a file; one that stands in the old place only is moved first. */
async function readMoved(rootDir: string, name: string): Promise<string | null> {
  const files = createFolderFiles({ rootDir });
  const found = await files.read(name);
  if (found !== null) return found.content;
  const old = await createFolderFiles({ rootDir, folder: OLD_FOLDER }).read(name);
  if (old === null) return null;
  try {
    await files.write(name, old.content, { expected: null, by: BY });
  } catch (error) {
    // Somebody else has moved it.
    if (!(error instanceof MemoryBackendError && error.code === 'CONFLICT')) throw error;
    return (await files.read(name))?.content ?? old.content;
  }
  await removeOld(rootDir, name);
  return old.content;
}

async function writeMoved(rootDir: string, name: string, content: string): Promise<void> {
  await createFolderFiles({ rootDir }).write(name, content, { by: BY });
  await removeOld(rootDir, name);
}

/** Null when there is none. */
export function readInsightsMemory(rootDir: string): Promise<string | null> {
  return readMoved(rootDir, INSIGHTS_FILE);
}

export function writeInsightsMemory(rootDir: string, content: string): Promise<void> {
  return writeMoved(rootDir, INSIGHTS_FILE, content);
}

/** Null when there is none. */
export function readMemoryAudit(rootDir: string): Promise<string | null> {
  return readMoved(rootDir, AUDIT_FILE);
}

export function writeMemoryAudit(rootDir: string, content: string): Promise<void> {
  return writeMoved(rootDir, AUDIT_FILE, content);
}

/** Null when there is none, or it cannot be read. */
export async function readMemoryAuditState(rootDir: string): Promise<AuditState | null> {
  return readAuditState(await readMoved(rootDir, AUDIT_STATE_FILE));
}

export function writeMemoryAuditState(rootDir: string, state: AuditState): Promise<void> {
  return writeMoved(rootDir, AUDIT_STATE_FILE, renderAuditState(state));
}
