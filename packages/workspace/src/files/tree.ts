import { type FileVersion, NOTHING_STANDS } from '@slowwave/db';
import { MemoryBackendError } from '../backend/errors.ts';
import { textHash } from './folder-change.ts';
import { OWN_FILENAMES } from './paths.ts';
import type { StoredFile } from './port.ts';

/** What stands at a path. `below_file`: nothing can, since a part of the path is a file. */
export type TreeKind = 'file' | 'folder' | 'none' | 'below_file';

export interface TreeEntry {
  /** Relative to the memory folder; a folder ends with a slash. */
  path: string;
  /** In bytes of UTF-8; 0 for a folder. */
  size: number;
}

/** What stands at a path, and of a folder what stands up to two levels below it. */
export interface TreeView {
  kind: TreeKind;
  entries: TreeEntry[];
}

/** A change of files: the run to undo it by, and how many files and folders it changed. */
export interface TreeChange {
  /** Null: everything stood so already. */
  runId: string | null;
  documents: number;
}

/**
 * All files of one workspace, with folders, as the memory tool of a language model sees them: any name below the memory folder but the
 * service's own. Each change is a run of work `files`, which keeps what stood before. Names are those of `checkFileName`; '' is the folder itself.
 * Errors of changes: CONFLICT, QUOTA_EXCEEDED, UNSUPPORTED, WRITE_FAILED, BACKEND_UNAVAILABLE.
 */
export interface FileTree {
  look(name: string): Promise<TreeView>;
  /** Null when there is no file. */
  read(name: string): Promise<StoredFile | null>;
  /** Writes a file, and makes the folders above it; a name with a slash at its end makes a folder. @param options.expected as for documents */
  write(
    name: string,
    content: string,
    options: { by: string; expected?: string | null | undefined },
  ): Promise<TreeChange & { sha256: string }>;
  /** Removes a file, or a folder with everything in it. Errors also: NOT_FOUND. */
  remove(name: string, options: { by: string }): Promise<TreeChange>;
  /** Gives a file or a folder another name. Errors also: NOT_FOUND; CONFLICT when something stands there. */
  rename(from: string, to: string, options: { by: string }): Promise<TreeChange>;
  /**
   * Puts files back as they stood before a run of work `files`.
   * @returns the paths that were put back
   * @throws MemoryBackendError CONFLICT when one was changed since, or is not kept; nothing is changed then
   */
  undo(runId: string, options: { by: string; documents: number }): Promise<string[]>;
}

/** Levels below a folder that a look shows. */
export const TREE_LEVELS = 2;

export const isFolderName = (name: string): boolean => name === '' || name.endsWith('/');

/** Whether a look may tell of a path of the memory folder. */
export const isShown = (path: string): boolean =>
  !(OWN_FILENAMES as readonly string[]).includes(path) && !/(?:^|\/)\.slowwave/.test(path);

/** What a folder holds, of everything that stands below it. @param name '' for the memory folder @param below by path */
export function entriesBelow(name: string, below: readonly TreeEntry[]): TreeEntry[] {
  const start = name === '' ? '' : `${name}/`;
  const found = new Map<string, TreeEntry>();
  for (const { path, size } of below) {
    if (!path.startsWith(start) || path === start || !isShown(path)) continue;
    const parts = path.slice(start.length).split('/');
    for (let level = 1; level <= Math.min(TREE_LEVELS, parts.length); level++) {
      const isWhole = level === parts.length;
      const shown = start + parts.slice(0, level).join('/') + (isWhole ? '' : '/');
      if (shown !== '' && !(isWhole && parts[level - 1] === ''))
        found.set(shown, { path: shown, size: isWhole ? size : 0 });
    }
  }
  return [...found.values()];
}

/** The hash that stands for the content of a version: '' where there was nothing. */
export const hashBefore = ({ content }: Pick<FileVersion, 'content'>): string =>
  content === null ? NOTHING_STANDS : textHash(content);

const conflict = (why: string) =>
  new MemoryBackendError('CONFLICT', `The files cannot be put back: ${why}`, 'files');

/**
 * What has to be put back of a run's changes, what has to go first, and folders before what stands in them.
 * @param current the hash of what stands at a path now; '' for nothing
 * @param documents how many files and folders the run changed
 * @throws MemoryBackendError CONFLICT
 */
export function restorationsOf(
  versions: readonly FileVersion[],
  current: ReadonlyMap<string, string>,
  documents: number,
): FileVersion[] {
  if (versions.length < documents) throw conflict('what stood there before is not kept any more');
  const open = versions.filter((version) => {
    const stands = current.get(version.path) ?? NOTHING_STANDS;
    if (version.sha256After === null)
      throw conflict('something in what stood there before was forgotten since');
    if (stands === hashBefore(version)) return false;
    if (stands !== version.sha256After) throw conflict('one of them was changed since');
    return true;
  });
  const gone = open.filter(({ content }) => content === null).reverse();
  return [...gone, ...open.filter(({ content }) => content !== null)];
}
