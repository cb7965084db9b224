import { join } from 'node:path';
import { MemoryBackendError } from '../backend/errors.ts';

export const MEMORY_WORKSPACE_PATH = '.fusion/memory';
export const AGENT_MEMORY_WORKSPACE_PATH = '.fusion/agent-memory';
export const MEMORY_LONG_TERM_FILENAME = 'MEMORY.md';
export const MEMORY_DREAMS_FILENAME = 'DREAMS.md';

/** Files of a workspace that are ours: not documents of the contract, so `get`, `search` and `list` do not know them. */
export const OWN_FILENAMES = ['memory-insights.md', 'memory-audit.md', 'memory-audit-state.json'] as const;

export function memoryWorkspacePath(rootDir: string): string {
  return join(rootDir, MEMORY_WORKSPACE_PATH);
}

export function memoryLongTermPath(rootDir: string): string {
  return join(memoryWorkspacePath(rootDir), MEMORY_LONG_TERM_FILENAME);
}

export function memoryDreamsPath(rootDir: string): string {
  return join(memoryWorkspacePath(rootDir), MEMORY_DREAMS_FILENAME);
}

/** The daily notes of a date, which counts in UTC. */
export function dailyMemoryPath(rootDir: string, date: Date = new Date()): string {
  return join(memoryWorkspacePath(rootDir), dailyName(date));
}

/** The name of the daily notes of a date in UTC, as in 2026-05-01.md. */
export function dailyName(date: Date): string {
  return `${date.toISOString().slice(0, 10)}.md`;
}

/** Whether a name is that of daily notes of a day that exists. */
export function isDailyName(name: string): boolean {
  const day = /^(\d{4}-\d{2}-\d{2})\.md$/.exec(name)?.[1];
  if (day === undefined) return false;
  const date = new Date(`${day}T00:00:00.000Z`);
  // February 30 is read as a day of March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** Whether a name, relative to the memory folder, is one of the documents of the contract: long-term, dreams, daily. */
export function isDocumentName(name: string): boolean {
  return name === MEMORY_LONG_TERM_FILENAME || name === MEMORY_DREAMS_FILENAME || isDailyName(name);
}

/** As `isDocumentName`, with our own files. */
export function isWorkspaceName(name: string): boolean {
  return isDocumentName(name) || (OWN_FILENAMES as readonly string[]).includes(name);
}

/** Refuses a path of the port that names no file of a workspace. @throws MemoryBackendError UNSUPPORTED */
export function checkWorkspaceName(name: string, backend: string): void {
  if (!isWorkspaceName(name)) throw outside(backend);
}

/** What the contract calls a document by, as in .fusion/memory/MEMORY.md. */
export function displayPath(name: string, folder: string = MEMORY_WORKSPACE_PATH): string {
  return `${folder}/${name}`;
}

function outside(backend: string): MemoryBackendError {
  return new MemoryBackendError(
    'UNSUPPORTED',
    'The memory path is none of the allowed files: MEMORY.md, DREAMS.md, YYYY-MM-DD.md of the memory folder',
    backend,
  );
}

/** The parts of a relative path, without empty ones and dots. @throws MemoryBackendError NOT_FOUND when blank, UNSUPPORTED */
function partsOf(requested: string, backend: string): string[] {
  const path = String(requested).trim().replaceAll('\\', '/');
  if (path === '') throw new MemoryBackendError('NOT_FOUND', 'A memory path is required', backend);
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.split('/').includes('..')) {
    throw new MemoryBackendError(
      'UNSUPPORTED',
      'Memory paths are relative to the project and stay inside it',
      backend,
    );
  }
  if (path.endsWith('/')) throw outside(backend);
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/**
 * The name, relative to the memory folder, of the document that a request asks for: `MEMORY.md`, `memory/MEMORY.md` and
 * `.fusion/memory/MEMORY.md` are one. @throws MemoryBackendError NOT_FOUND when blank, UNSUPPORTED for anything else
 */
export function documentName(requested: string, backend = 'memory'): string {
  const parts = partsOf(requested, backend);
  const name = parts.pop() ?? '';
  const folder = parts.join('/');
  if (!isDocumentName(name) || !['', 'memory', MEMORY_WORKSPACE_PATH].includes(folder))
    throw outside(backend);
  return name;
}

/** The folder name of an agent: [A-Za-z0-9._-], anything else becomes one dash. */
export function agentFolderName(agentId: string): string {
  const name = agentId
    .trim()
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  // A name of dots alone would be the folder itself or the one above.
  return name === '' || /^\.+$/.test(name) ? 'agent' : name;
}

/** The memory folder of an agent, relative to the project. */
export function agentFolder(agentId: string): string {
  return `${AGENT_MEMORY_WORKSPACE_PATH}/${agentFolderName(agentId)}`;
}

/** As `documentName`, for an agent's folder. */
export function agentDocumentName(agentId: string, requested: string): string {
  const parts = partsOf(requested, 'file');
  const name = parts.pop() ?? '';
  if (!isDocumentName(name) || !['', agentFolder(agentId)].includes(parts.join('/'))) throw outside('file');
  return name;
}
