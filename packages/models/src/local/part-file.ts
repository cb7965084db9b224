import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** A file that is being written under a temporary name. */
export interface PartFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Gives the file its own name, in place of what has that name now. */
  finish(): Promise<void>;
  /** Removes what was written, unless it was finished. */
  discard(): Promise<void>;
}

/** The temporary name is random, so that two processes that write the same file at once never mix their bytes. */
const partOf = (file: string): string => `${file}.${randomBytes(6).toString('hex')}.part`;

/** Removes the parts of processes that were killed: a part to which a process still writes is younger than that. */
async function removeAbandoned(file: string, olderThanMs: number): Promise<void> {
  const folder = path.dirname(file);
  const prefix = `${path.basename(file)}.`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith('.part')) continue;
    const part = path.join(folder, name);
    const found = await stat(part).catch(() => null);
    if (found && Date.now() - found.mtimeMs > olderThanMs) await rm(part, { force: true });
  }
}

/**
 * Begins a file that is either there as a whole or not at all. Makes its folder.
 * @param abandonedMs age from which the parts of earlier attempts are removed
 * @throws what the file system throws, here and in `write` and `finish`
 */
export async function openPart(file: string, abandonedMs: number): Promise<PartFile> {
  await mkdir(path.dirname(file), { recursive: true });
  await removeAbandoned(file, abandonedMs);
  const part = partOf(file);
  let handle: FileHandle | null = await open(part, 'wx');
  const close = async () => {
    const opened = handle;
    handle = null;
    await opened?.close();
  };
  return {
    async write(bytes) {
      await handle?.writeFile(bytes);
    },
    async finish() {
      await handle?.sync();
      await close();
      await rename(part, file);
    },
    async discard() {
      await close().catch(() => {});
      await rm(part, { force: true }).catch(() => {});
    },
  };
}
