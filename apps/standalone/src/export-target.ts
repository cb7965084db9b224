import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createMarkdownExport } from '@slowwave/db';
import { UsageError } from './exit.ts';

/** Where the lines of an export go. */
export interface ExportTarget {
  write(lines: readonly string[]): Promise<void>;
  /** Puts what was written where it belongs. */
  finish(): Promise<void>;
  /** Removes what was written so far. */
  drop(): Promise<void>;
  /** Whether nobody reads any more. */
  closed(): boolean;
  /** What was made, for programs. */
  facts(): Record<string, number>;
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Standard output, as fast as it is read. */
export function openStream(output: NodeJS.WritableStream): ExportTarget {
  let closed = false;
  return {
    write: (lines) =>
      new Promise((resolve, reject) => {
        output.write(textOf(lines), (error) => {
          if (!error) return resolve();
          closed = (error as NodeJS.ErrnoException).code === 'EPIPE' || output.writable === false;
          reject(error);
        });
      }),
    finish: async () => {},
    drop: async () => {},
    closed: () => closed,
    facts: () => ({}),
  };
}

/** A name beside the one that is meant, on the same file system and not there yet. */
const partialOf = (out: string): string => `${path.resolve(out)}.${randomBytes(6).toString('hex')}.partial`;

/** @throws UsageError when the folder that it would stand in is not there */
async function requireParent(out: string): Promise<void> {
  const parent = path.dirname(path.resolve(out));
  const found = await stat(parent).catch(() => null);
  if (!found?.isDirectory()) throw new UsageError(`there is no folder ${parent}`);
}

/** A file that only its owner may read; what stood there stays until the whole new one is written. @throws UsageError */
export async function openFile(out: string): Promise<ExportTarget> {
  await requireParent(out);
  const stands = await stat(out).catch(() => null);
  if (stands && !stands.isFile()) throw new UsageError(`${out} is not a file`);
  const partial = partialOf(out);
  const file = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot write ${out} (${error.code ?? 'unknown reason'})`);
  });
  let bytes = 0;
  return {
    async write(lines) {
      const page = Buffer.from(textOf(lines));
      bytes += page.length;
      await file.writeFile(page);
    },
    async finish() {
      await file.sync();
      await file.close();
      await rename(partial, out);
    },
    async drop() {
      await file.close().catch(() => undefined);
      await rm(partial, { force: true });
    },
    closed: () => false,
    facts: () => ({ bytes }),
  };
}

/** A new folder of pages. @throws UsageError when something stands in it */
export async function openFolder(out: string): Promise<ExportTarget> {
  await requireParent(out);
  const stands = await stat(out).catch(() => null);
  if (stands && !stands.isDirectory()) throw new UsageError(`${out} is not a folder`);
  if (stands && (await readdir(out)).length > 0) {
    throw new UsageError(`${out} is not empty: pages are written into a new folder only`);
  }
  const partial = partialOf(out);
  await mkdir(partial, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot write ${out} (${error.code ?? 'unknown reason'})`);
  });
  const pages = createMarkdownExport(async (name, content) => {
    const file = path.join(partial, ...name.split('/'));
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { flag: 'wx', mode: 0o600 });
  });
  return {
    write: (lines) => pages.take(lines),
    async finish() {
      // An empty folder gives way only when it is gone, on some systems.
      if (stands) await rmdir(out);
      await rename(partial, out);
    },
    drop: () => rm(partial, { recursive: true, force: true }),
    closed: () => false,
    facts: () => ({ files: pages.counts.files }),
  };
}
