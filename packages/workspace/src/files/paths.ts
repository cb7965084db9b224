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

/** What the memory tool calls the memory folder. */
export const TOOL_ROOT = '/memories';
const SEGMENT_BYTES_MAX = 255;

/** Whether a path is one of the memory tool, as in /memories/notes/cats.md. */
export function isToolPath(path: string): boolean {
  return path === TOOL_ROOT || path.startsWith(`${TOOL_ROOT}/`);
}

/** Whether a part of a path can be a name in any folder, and is none of the lock and the temporary files that writers leave there. */
function isSegment(part: string): boolean {
  if (part === '' || part === '.' || part === '..' || /[\0\\]|\p{Surrogate}/u.test(part)) return false;
  return Buffer.byteLength(part, 'utf8') <= SEGMENT_BYTES_MAX && !part.toLowerCase().startsWith('.slowwave');
}

/** Refuses what cannot be a file of the memory tool, or a folder, which ends with a slash. @throws MemoryBackendError UNSUPPORTED */
export function checkFileName(name: string, backend: string): void {
  const parts = name.replace(/\/$/, '').split('/');
  const first = parts[0]!.toLowerCase();
  const isOwn = OWN_FILENAMES.some((own) => own === first);
  // A folder of this name would stand where the document has to.
  const isFolder = parts.length > 1 || name.endsWith('/');
  const isTaken = isFolder && (isDailyName(first) || /^(?:memory|dreams)\.md$/.test(first));
  if (parts.every(isSegment) && !isOwn && !isTaken) return;
  throw new MemoryBackendError(
    'UNSUPPORTED',
    'The memory path cannot be that of a file or a folder here',
    backend,
  );
}

/** The name, relative to the memory folder, of a path of the memory tool; '' for the folder itself. @throws MemoryBackendError UNSUPPORTED */
export function toolName(path: string, backend: string): string {
  const name = path.slice(TOOL_ROOT.length + 1);
  if (name !== '') checkFileName(name, backend);
  return name;
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

/** The name of any file that a request asks for, by a path of the memory tool or of the contract. @throws MemoryBackendError as those do */
export function treeName(requested: string, backend: string): string {
  return isToolPath(requested) ? toolName(requested, backend) : documentName(requested, backend);
}

/** What the memory tool calls a file or a folder by. */
export function treePath(name: string): string {
  return name === '' ? TOOL_ROOT : `${TOOL_ROOT}/${name}`;
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
