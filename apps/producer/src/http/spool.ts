import { type FileHandle, mkdtemp, open as openHandle, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Problem } from './problem.ts';

/** A file that nobody else can open, gone when it is closed, even when this process dies. */
export interface Spool {
  file: FileHandle;
  close(): Promise<void>;
}

/** Spools of this process at the same time: a slow client keeps one for as long as it reads. */
export const SPOOLS_MAX = 8;
let open = 0;

/** Opens a new file in the system's folder for such files. @throws Problem 503 `too_busy` beyond SPOOLS_MAX */
export async function openSpool(): Promise<Spool> {
  if (open >= SPOOLS_MAX) {
    throw new Problem(503, 'too_busy', 'too many exports and restores are under way; try again later');
  }
  open += 1;
  let isCounted = true;
  const release = () => {
    if (isCounted) open -= 1;
    isCounted = false;
  };
  try {
    return await openFile(release);
  } catch (error) {
    release();
    throw error;
  }
}

async function openFile(release: () => void): Promise<Spool> {
  const folder = await mkdtemp(path.join(tmpdir(), 'slowwave-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = await openHandle(path.join(folder, 'spool'), 'wx+', 0o600);
    // Without a name it is gone with its last handle. Where that is not possible, closing removes it.
    await remove().catch(() => undefined);
    return {
      file,
      async close() {
        await file.close().catch(() => undefined);
        release();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Takes a source in whole and gives it again from its beginning, as fast as it is read. */
export async function spool(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const held = await openSpool();
  try {
    for await (const chunk of source) await held.file.writeFile(chunk);
  } catch (error) {
    await held.close();
    throw error;
  }
  return again(held);
}

async function* again({ file, close }: Spool): AsyncGenerator<Uint8Array> {
  try {
    for (let position = 0; ; ) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await close();
  }
}
