/** A small file system that a test can fill: a memory file system of its own, or what a small /dev/shm leaves. */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './process.mjs';

const SHARED_MEMORY = '/dev/shm';
/** A ballast stands in memory: no more than this. */
const MAX_BALLAST_BYTES = 512 * 1024 ** 2;
/** An empty database takes half of it. */
const MIN_BYTES = 56 * 1024 ** 2;
const PIECE_BYTES = 1024 ** 2;
const BLOCK_BYTES = 4096;

function freeBytes(folder) {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Writes zeros until so much is left, or nothing at all. */
function writeBallast(folder, name, leaveBytes) {
  const file = openSync(join(folder, name), 'a', 0o600);
  try {
    for (const bytes of [PIECE_BYTES, BLOCK_BYTES]) {
      while (freeBytes(folder) - bytes >= leaveBytes) writeSync(file, Buffer.alloc(bytes));
    }
  } catch (error) {
    // Somebody else took the last block.
    if (error.code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

async function mountOwn(folder, bytes, { uid = process.getuid(), gid = process.getgid() }, onStop) {
  const options = `size=${bytes},mode=0700,uid=${uid},gid=${gid}`;
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', options, 'slowwave-test', folder]);
  if (mounted.code !== 0) return mounted.stderr.trim().split('\n')[0];
  onStop(async () => {
    const undone = await run('umount', [folder]);
    if (undone.code !== 0) await run('umount', ['-l', folder]);
  });
  return null;
}

function inSharedMemory(bytes, onStop) {
  const free = freeBytes(SHARED_MEMORY);
  if (free < MIN_BYTES) throw new Error(`${SHARED_MEMORY} is too small for a database`);
  if (free - bytes > MAX_BALLAST_BYTES) throw new Error(`${SHARED_MEMORY} is too large to fill`);
  const folder = mkdtempSync(join(SHARED_MEMORY, 'slowwave-disk-'));
  onStop(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeBallast(folder, 'size', bytes);
  return folder;
}

/**
 * @param {string} parent a folder that stays as long as the disk
 * @param {number} bytes how much the disk holds at most: a small /dev/shm may have less
 * @param {{uid?: number, gid?: number}} owner who may write there
 * @returns {Promise<{folder: string, fill: (leaveBytes: number) => void, free: () => void}>}
 * @throws {Error} when this machine gives no such place
 */
export async function smallDisk(parent, bytes, owner, onStop) {
  let folder = join(parent, 'disk');
  mkdirSync(folder, { mode: 0o755 });
  const refused = await mountOwn(folder, bytes, owner, onStop);
  if (refused !== null) {
    try {
      folder = inSharedMemory(bytes, onStop);
    } catch (error) {
      throw new Error(
        `A disk that can be full needs a file system of its own. Mounting one failed (${refused}), and ${error.message}.`,
      );
    }
  }
  return {
    folder,
    fill: (leaveBytes) => writeBallast(folder, 'ballast', leaveBytes),
    free: () => rmSync(join(folder, 'ballast'), { force: true }),
  };
}
