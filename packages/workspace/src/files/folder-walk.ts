import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MemoryBackendError } from '../backend/errors.ts';
import { findPlace, isSame, readRegular, regularFile } from './folder-place.ts';
import { checkText } from './folder-write.ts';
import { checkFileName, MEMORY_WORKSPACE_PATH } from './paths.ts';
import { isFolderName, isShown, type TreeEntry, type TreeKind } from './tree.ts';

/** Files and folders that one change may remove or rename. */
const CHANGED_MAX = 2_000;

/** A file or a folder on disk. */
export interface Found extends TreeEntry {
  /** Absolute. */
  real: string;
  stats: Stats;
}

/** What stands at a name; `found` where something does. */
export type Standing =
  | { kind: Exclude<TreeKind, 'file' | 'folder'>; found: null }
  | { kind: 'file' | 'folder'; found: Found };

/** Looks at the memory folder of a project. @throws MemoryBackendError UNSUPPORTED for a link or a special file */
export function createFolderWalk({ rootDir, backend }: { rootDir: string; backend: string }) {
  async function standingAt(name: string): Promise<Standing> {
    const { folder } = await findPlace(rootDir, MEMORY_WORKSPACE_PATH, backend);
    if (folder === null) return { kind: 'none', found: null };
    let real = folder;
    let stats = await lstat(folder);
    const parts = name.split('/').filter((part) => part !== '');
    for (const part of parts) {
      if (!stats.isDirectory()) return { kind: 'below_file', found: null };
      real = join(real, part);
      const next = await regularFile(real, backend);
      if (next === null) return { kind: 'none', found: null };
      stats = next;
    }
    const path = parts.join('/');
    if (!stats.isDirectory()) return { kind: 'file', found: { path, size: stats.size, real, stats } };
    return { kind: 'folder', found: { path: `${path}/`, size: 0, real, stats } };
  }

  /** What may be told of what stands below a folder; links and special files are passed over. */
  async function shownBelow(at: string, name: string, levels: number): Promise<TreeEntry[]> {
    const entries: TreeEntry[] = [];
    for (const entry of await readdir(at)) {
      const path = name === '' ? entry : `${name}/${entry}`;
      const stats = isShown(path) ? await lstat(join(at, entry)).catch(() => null) : null;
      if (stats?.isFile()) entries.push({ path, size: stats.size });
      if (!stats?.isDirectory()) continue;
      entries.push({ path: `${path}/`, size: 0 });
      if (levels > 1) entries.push(...(await shownBelow(join(at, entry), path, levels - 1)));
    }
    return entries;
  }

  /** Everything below a folder, each folder before what it holds. @throws MemoryBackendError UNSUPPORTED, QUOTA_EXCEEDED */
  async function allBelow(folder: Found): Promise<Found[]> {
    const all: Found[] = [];
    for (const entry of await readdir(folder.real)) {
      const path = `${folder.path}${entry}`;
      checkFileName(path, backend);
      const real = join(folder.real, entry);
      const stats = await regularFile(real, backend);
      if (stats === null) continue;
      const found = { path, size: stats.size, real, stats };
      if (stats.isDirectory()) all.push(...(await allOf({ ...found, path: `${path}/`, size: 0 })));
      else all.push(found);
      if (all.length <= CHANGED_MAX) continue;
      throw new MemoryBackendError('QUOTA_EXCEEDED', `There are more than ${CHANGED_MAX} files`, backend);
    }
    return all;
  }

  /** A file, or a folder with everything in it. */
  const allOf = async (found: Found): Promise<Found[]> =>
    isFolderName(found.path) ? [found, ...(await allBelow(found))] : [found];

  /** The text of a file that can be kept; '' of a folder. @throws MemoryBackendError CONFLICT, READ_FAILED, UNSUPPORTED */
  async function textOf({ path, real, stats }: Found): Promise<string> {
    if (isFolderName(path)) return '';
    const file = await readRegular(real, backend);
    if (file === null || !isSame(file.stats, stats)) throw changedMeanwhile(backend);
    checkText(file.content, backend);
    return file.content;
  }

  return { standingAt, shownBelow, allOf, textOf };
}

export function changedMeanwhile(backend: string): MemoryBackendError {
  return new MemoryBackendError('CONFLICT', 'The memory file was changed meanwhile', backend);
}
