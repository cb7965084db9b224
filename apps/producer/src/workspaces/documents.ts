import {
  type FileTree,
  isToolPath,
  lineWindow,
  type MemoryBackend,
  MemoryBackendError,
  type MemoryReadResult,
  type MemorySearchReport,
  type MemoryWriteResult,
  type TreeView,
  toolName,
  treeName,
  treePath,
} from '@slowwave/workspace';
import { openPlace, type Place, type PlaceOptions } from './places.ts';
import type { FileWindow, OwnFile, WorkspaceCalls, WriteInput } from './types.ts';

const INSIGHTS = 'memory-insights.md';
/** Who reads leaves nothing behind. */
const READER = 'reader';

type DocumentCalls = Pick<
  WorkspaceCalls,
  | 'read'
  | 'write'
  | 'file'
  | 'writeFile'
  | 'append'
  | 'removeFile'
  | 'renameFile'
  | 'tree'
  | 'files'
  | 'search'
  | 'insights'
  | 'writeInsights'
>;

/** The documents of a workspace, read, searched and written through its backend. */
export function createDocumentCalls(options: PlaceOptions): DocumentCalls {
  return {
    async read(of): Promise<MemoryReadResult> {
      const { backend, rootDir } = await openPlace(options, of, READER);
      return backend.read(rootDir);
    },
    async write(of, input): Promise<MemoryWriteResult> {
      const { backend, rootDir } = await openWritable(options, of, input.by);
      return backend.write(rootDir, input.content, expectedOf(input));
    },
    async file(of, { path, startLine, lineCount }): Promise<FileWindow> {
      const place = await openPlace(options, of, READER);
      if (isToolPath(path)) return toolFile(place, { path, startLine, lineCount });
      const isWhole = startLine === undefined && lineCount === undefined;
      return isWhole ? wholeFile(place, path) : fileWindow(place, { path, startLine, lineCount });
    },
    async writeFile(of, { path, ...input }) {
      const { backend, rootDir, tree } = await openWritable(options, of, input.by);
      if (isToolPath(path)) {
        const { content, by, expected } = input;
        const { sha256, runId } = await tree.write(toolName(path, backend.type), content, { by, expected });
        return { success: true, backend: backend.type, version: sha256, runId };
      }
      return method(backend, 'writeFile').call(backend, rootDir, path, input.content, expectedOf(input));
    },
    async append(of, { path, content, by }): Promise<MemoryWriteResult> {
      const { backend, rootDir } = await openWritable(options, of, by);
      return method(backend, 'append').call(backend, rootDir, path, content);
    },
    async removeFile(of, { path, by }) {
      const { backend, tree } = await openWritable(options, of, by);
      return { ...(await tree.remove(treeName(path, backend.type), { by })), backend: backend.type };
    },
    async renameFile(of, { path, newPath, by }) {
      const { backend, tree } = await openWritable(options, of, by);
      const from = treeName(path, backend.type);
      const to = treeName(newPath, backend.type);
      return { ...(await tree.rename(from, to, { by })), backend: backend.type };
    },
    async tree(of, { path }) {
      const { backend, tree } = await openPlace(options, of, READER);
      const name = treeName(path, backend.type);
      const { kind, entries } = tree === null ? emptyTree(name) : await tree.look(name);
      const shown = entries.map(({ path: below, size }) => ({ path: treePath(below), size }));
      return { kind, entries: shown, backend: backend.type };
    },
    async files(of) {
      const { backend, rootDir } = await openPlace(options, of, READER);
      const files = await method(backend, 'list').call(backend, rootDir);
      return { files, backend: backend.type };
    },
    async search(of, { query, limit }): Promise<MemorySearchReport> {
      const { backend, rootDir } = await openPlace(options, of, READER);
      const asked = { query, ...(limit === undefined ? {} : { limit }) };
      if (backend.searchReport) return backend.searchReport(rootDir, asked);
      const hits = await method(backend, 'search').call(backend, rootDir, asked);
      return { hits, degraded: false, reason: null, source: 'files' };
    },
    async insights(of): Promise<OwnFile> {
      const place = await openPlace(options, of, READER);
      return ownFile(place, INSIGHTS);
    },
    async writeInsights(of, input): Promise<MemoryWriteResult> {
      const { backend, files } = await openWritable(options, of, input.by);
      const { content, by, expected } = input;
      const written = await files.write(INSIGHTS, content, {
        by,
        ...(expected === undefined ? {} : { expected }),
      });
      return { success: true, backend: backend.type, version: written.sha256 };
    },
  };
}

/** @throws MemoryBackendError READ_ONLY before a backend that cannot write is asked */
async function openWritable(
  options: PlaceOptions,
  of: Parameters<WorkspaceCalls['read']>[0],
  by: string,
): Promise<Place & { files: NonNullable<Place['files']>; tree: FileTree }> {
  const place = await openPlace(options, of, by);
  const { files, tree } = place;
  if (files !== null && tree !== null) return { ...place, files, tree };
  throw new MemoryBackendError('READ_ONLY', 'This memory backend cannot be written', place.backend.type);
}

/** One of our own files, which the backend does not know. */
export async function ownFile({ backend, files }: Place, name: string): Promise<OwnFile> {
  const found = files === null ? null : await files.read(name);
  if (found === null) return { content: '', exists: false, backend: backend.type };
  return { content: found.content, exists: true, backend: backend.type, version: found.sha256 };
}

function expectedOf({ expected }: Pick<WriteInput, 'expected'>): { expectedVersion?: string | null } {
  return expected === undefined ? {} : { expectedVersion: expected };
}

/** A method that the contract leaves open. @throws MemoryBackendError UNSUPPORTED when this backend has none */
function method<Name extends 'get' | 'search' | 'list' | 'readFile' | 'writeFile' | 'append'>(
  backend: MemoryBackend,
  name: Name,
): NonNullable<MemoryBackend[Name]> {
  const found = backend[name];
  if (found) return found;
  throw new MemoryBackendError('UNSUPPORTED', `This memory backend has no ${name}`, backend.type);
}

const emptyTree = (name: string): TreeView => ({ kind: name === '' ? 'folder' : 'none', entries: [] });

/** A file of the memory tool, whole or some of its lines. */
async function toolFile(
  { backend: { type: backend }, tree }: Place,
  { path, startLine, lineCount }: Parameters<WorkspaceCalls['file']>[1],
): Promise<FileWindow> {
  const found = await tree?.read(toolName(path, backend));
  if (!found) throw new MemoryBackendError('NOT_FOUND', 'There is no such memory file', backend);
  const { content, sha256: version } = found;
  const totalLines = content.split('\n').length;
  const isWhole = startLine === undefined && lineCount === undefined;
  const window = isWhole
    ? { content, startLine: 1, endLine: totalLines, totalLines }
    : lineWindow(content, {
        ...(startLine === undefined ? {} : { startLine }),
        ...(lineCount === undefined ? {} : { lineCount }),
      });
  const truncated = window.startLine > 1 || window.endLine < totalLines;
  return { path, ...window, backend, truncated, ...(isWhole ? { version } : {}) };
}

async function wholeFile({ backend, rootDir }: Place, path: string): Promise<FileWindow> {
  const { version, ...found } = await method(backend, 'readFile').call(backend, rootDir, path);
  const totalLines = found.content.split('\n').length;
  const lines = { startLine: 1, endLine: totalLines, totalLines, truncated: false };
  return { ...found, ...lines, backend: backend.type, ...(version === undefined ? {} : { version }) };
}

async function fileWindow(
  { backend, rootDir }: Place,
  { path, startLine, lineCount }: Parameters<WorkspaceCalls['file']>[1],
): Promise<FileWindow> {
  const asked = {
    path,
    ...(startLine === undefined ? {} : { startLine }),
    ...(lineCount === undefined ? {} : { lineCount }),
  };
  const window = await method(backend, 'get').call(backend, rootDir, asked);
  return { ...window, truncated: window.startLine > 1 || window.endLine < window.totalLines };
}
