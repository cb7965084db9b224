import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A file that nobody else can open, gone when it is closed, even when this process dies. */
export interface Spool {
  file: FileHandle;
  close(): Promise<void>;
}

/** Opens a new file in the system's folder for such files. */
export async function openSpool(): Promise<Spool> {
  const folder = await mkdtemp(path.join(tmpdir(), 'slowwave-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = await open(path.join(folder, 'spool'), 'wx+', 0o600);
    // Without a name it is gone with its last handle. Where that is not possible, closing removes it.
    await remove().catch(() => undefined);
    return {
      file,
      async close() {
        await file.close().catch(() => undefined);
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
