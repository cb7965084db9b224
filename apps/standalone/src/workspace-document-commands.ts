import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { nearestName } from '@slowwave/config';
import type { CommandContext } from './anywhere.ts';
import { EXIT, UsageError } from './exit.ts';
import { printable } from './explain-lines.ts';
import { type WorkspaceArguments, withWorkspace } from './workspace-context.ts';
import { isWorkspaceError } from './workspace-exit.ts';
import { fileLines, hitLines } from './workspace-lines.ts';

/** Of one document. */
const MAX_BYTES = 16 * 1024 * 1024;
const BY = 'command line';

/** Where a document is written to as it is. */
export interface Output {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
}

/** Lists the documents of a workspace. @returns exit code */
export async function filesCommand(context: CommandContext, given: WorkspaceArguments): Promise<number> {
  const { terminal } = context;
  const found = await withWorkspace(context, given, (calls, of) => calls.files(of));
  if (given.json) terminal.line(JSON.stringify(found));
  else if (found.files.length === 0) terminal.line('no document yet');
  else for (const line of fileLines(found.files)) terminal.line(line);
  return EXIT.ok;
}

export interface CatArguments extends WorkspaceArguments {
  file: string;
  /** From 1. */
  from?: number;
  lines?: number;
}

/** Prints a document: byte for byte where it is read by a program, without control characters on a terminal. @returns exit code */
export async function catCommand(
  context: CommandContext,
  { file, from, lines, ...given }: CatArguments,
  output: Output = process.stdout,
): Promise<number> {
  const found = await meantFile(file, () =>
    withWorkspace(context, given, (calls, of) =>
      calls.file(of, { path: file, startLine: from, lineCount: lines }),
    ),
  );
  if (given.json) {
    context.terminal.line(JSON.stringify(found));
    return EXIT.ok;
  }
  const { content, truncated, startLine, endLine, totalLines } = found;
  output.write(output.isTTY ? content.replace(/(?![\n\t])\p{Cc}/gu, '\ufffd') : content);
  if (truncated && output.isTTY) {
    context.terminal.line(
      `${content.endsWith('\n') ? '' : '\n'}(lines ${startLine} to ${endLine} of ${totalLines})`,
    );
  }
  return EXIT.ok;
}

export interface WriteArguments extends WorkspaceArguments {
  file: string;
  /** A file to take the text from; absent: standard input. */
  from?: string;
  append: boolean;
  /** The version that is replaced, or "none". */
  expect?: string;
}

/** Writes a document whole, or adds to it. @returns exit code */
export async function writeCommand(
  context: CommandContext,
  { file, from, append, expect, ...given }: WriteArguments,
  input: AsyncIterable<Uint8Array | string> = process.stdin,
): Promise<number> {
  if (append && expect !== undefined) {
    throw new UsageError('--append adds to whatever stands there: it has no --expect');
  }
  const content = from === undefined ? await textOf(input) : await textOfFile(from);
  const expected = expect === 'none' ? null : expect;
  const written = await meantFile(file, () =>
    withWorkspace(context, given, (calls, of) =>
      append
        ? calls.append(of, { path: file, content, by: BY })
        : calls.writeFile(of, { path: file, content, by: BY, expected }),
    ),
  );
  const version = written.version === undefined ? '' : `, version ${written.version}`;
  context.terminal.line(
    given.json
      ? JSON.stringify(written)
      : `${printable(file)} ${append ? 'is longer now' : 'is written'}${version}`,
  );
  return EXIT.ok;
}

/** A text of at most 16 MiB. */
async function textOf(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const part = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new UsageError('a document holds at most 16 MiB');
    parts.push(part);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch {
    throw new UsageError('a document is text in UTF-8, and this is something else');
  }
}

/** Regular files only: a pipe would be waited for, and a device may never end. */
async function textOfFile(file: string): Promise<string> {
  if (file.includes('\0')) throw new UsageError('--from is not the name of a file');
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (handle === null) throw new UsageError(`there is no file ${printable(file)} that can be read`);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new UsageError(`${printable(file)} is not a file`);
    if (found.size > MAX_BYTES) throw new UsageError('a document holds at most 16 MiB');
    return await textOf(handle.createReadStream({ autoClose: false }));
  } finally {
    await handle.close();
  }
}

/** Says which document may have been meant where none has such a name. */
async function meantFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isWorkspaceError(error) || error.code !== 'UNSUPPORTED') throw error;
    const meant = nearestName(file.toUpperCase(), ['MEMORY.MD', 'DREAMS.MD', 'MEMORY', 'DREAMS']);
    const hint = meant === null ? '' : `; did you mean ${meant.replace('.MD', '')}.md?`;
    throw new UsageError(`${error.message}${hint}`);
  }
}

export interface SearchArguments extends WorkspaceArguments {
  query: string;
  limit: number;
}

/** Searches the documents of a workspace. @returns exit code */
export async function searchCommand(
  context: CommandContext,
  { query, limit, ...given }: SearchArguments,
): Promise<number> {
  const { terminal } = context;
  if (!given.json) terminal.progress('searching');
  const found = await withWorkspace(context, given, (calls, of) =>
    calls.search(of, { query, limit }),
  ).finally(() => terminal.clear());
  if (given.json) {
    terminal.line(JSON.stringify(found));
    return EXIT.ok;
  }
  for (const hit of found.hits) for (const line of hitLines(hit)) terminal.line(line);
  if (found.hits.length === 0) terminal.line('nothing found');
  if (found.degraded)
    terminal.error(`the index could not answer (${found.reason}): the files were searched instead`);
  return EXIT.ok;
}
