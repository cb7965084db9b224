import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { isOpenClawFolder, openClawFile } from '@slowwave/workspace';
import { UsageError } from './exit.ts';

/** Most files of one folder; somebody who gives more has given the wrong folder. */
const FILES_MAX = 20_000;
const DEPTH_MAX = 16;
/** Folders with a dot are left alone, but for the one that holds the memory of a project. */
const HIDDEN_READ = ['.fusion'];
const LEFT_OUT = ['node_modules'];

export interface FoundFile {
  /** Where it is. */
  path: string;
  /** Relative to the folder that was given, with slashes. */
  name: string;
}

export interface FolderFiles {
  format: 'openclaw' | 'markdown';
  files: FoundFile[];
  /** How many files were left out, by reason. */
  skipped: Map<string, number>;
}

/** Finds the Markdown files of a folder, by name. No link is followed: what it points to was not given. */
async function markdownFiles(root: string): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const waiting: { folder: string; depth: number }[] = [{ folder: '', depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { folder, depth } = next;
    for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        const hidden = entry.name.startsWith('.') && !HIDDEN_READ.includes(entry.name);
        if (!hidden && !LEFT_OUT.includes(entry.name) && depth < DEPTH_MAX)
          waiting.push({ folder: name, depth: depth + 1 });
      } else if (entry.isFile() && /\.(?:md|markdown)$/i.test(entry.name)) {
        if (found.push({ path: path.join(root, name), name }) > FILES_MAX)
          throw new UsageError(`${root} holds more than ${FILES_MAX} Markdown files: give a smaller folder`);
      }
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * What is imported from a folder: of a workspace of OpenClaw what its agent knows about its person, of any other folder all Markdown.
 * @throws UsageError
 */
export async function filesOfFolder(
  root: string,
  format: 'auto' | 'openclaw' | 'markdown',
): Promise<FolderFiles> {
  const found = await markdownFiles(root);
  const names = found.map(({ name }) => name);
  const kind = format === 'auto' ? (isOpenClawFolder(names) ? 'openclaw' : 'markdown') : format;
  const skipped = new Map<string, number>();
  const files = found.filter(({ name }) => {
    if (kind === 'markdown') return true;
    const decided = openClawFile(name);
    if (!decided.read) skipped.set(decided.reason, (skipped.get(decided.reason) ?? 0) + 1);
    return decided.read;
  });
  if (files.length === 0) {
    throw new UsageError(
      kind === 'openclaw' && found.length > 0
        ? `${root} has none of the files that are read of such a workspace (MEMORY.md, USER.md, memory/*.md); --format markdown reads all Markdown`
        : `${root} holds no Markdown files`,
    );
  }
  return { format: kind, files, skipped };
}

/** Whether a path is a folder; null when there is nothing. */
export async function isFolder(given: string): Promise<boolean | null> {
  // A link that was given itself is followed, as with any other command.
  const found = await lstat(given).catch(() => null);
  if (!found) return null;
  if (!found.isSymbolicLink()) return found.isDirectory();
  return (await readdir(given).catch(() => null)) !== null;
}
