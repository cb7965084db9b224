import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type ImportFormat, type ImportSummary, isTimeZone, loadImport } from '@slowwave/db';
import {
  type DetectedFormat,
  detectImport,
  FOREIGN_FORMATS,
  type ForeignFormat,
  HEAD_BYTES,
} from '@slowwave/workspace';
import { anywhere, type CommandContext } from './anywhere.ts';
import { ServiceError } from './client.ts';
import { EXIT, UsageError } from './exit.ts';
import { filesOfFolder, isFolder } from './import-folder.ts';
import {
  type ForeignInput,
  type ForeignSummary,
  importForeign,
  oneFile,
  type StoreLines,
} from './import-foreign.ts';
import { printForeign } from './import-lines.ts';
import { printImport } from './print.ts';

export interface ImportArguments {
  /** A file, or a folder of Markdown. */
  file: string;
  user?: string;
  tenant: string;
  format: DetectedFormat | 'auto';
  /** Of daily notes, an IANA name; UTC without one. */
  timezone?: string;
  /** Of an export: add its memories to what is there, instead of restoring it into empty users. */
  merge?: boolean;
  json: boolean;
}

async function headOf(file: string): Promise<Uint8Array> {
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** What is to be imported: lines as they stand, or foreign files that are read first. */
type Source = { lines: ImportFormat | 'auto' } | Pick<ForeignInput, 'format' | 'files' | 'skipped'>;

const isForeign = (format: DetectedFormat | 'auto'): format is ForeignFormat =>
  (FOREIGN_FORMATS as readonly string[]).includes(format);

async function sourceOf({ file, format }: ImportArguments): Promise<Source> {
  const folder = await isFolder(file);
  if (folder === null) throw new UsageError(`there is no file ${file}`);
  if (folder) {
    if (format !== 'auto' && format !== 'openclaw' && format !== 'markdown')
      throw new UsageError(`${file} is a folder: only openclaw and markdown are read from folders`);
    return filesOfFolder(file, format);
  }
  if (!(await stat(file)).isFile()) throw new UsageError(`${file} is not a file`);
  const detected = format === 'auto' ? detectImport(file, await headOf(file)) : format;
  if (isForeign(detected)) return { format: detected, files: [oneFile(file)], skipped: new Map() };
  return { lines: detected };
}

/**
 * Loads a file or a folder: through the running service when one owns the embedded folder, else straight into the database. Foreign
 * formats are read here, so that either gets lines of JSON. @returns exit code
 */
export async function importCommand(context: CommandContext, given: ImportArguments): Promise<number> {
  if (given.timezone !== undefined && !isTimeZone(given.timezone)) {
    throw new UsageError('--timezone must be an IANA name, as in Europe/Berlin or UTC');
  }
  const source = await sourceOf(given);
  const { terminal } = context;
  if ('lines' in source) {
    const summary = await loadLines(context, given, source.lines);
    if (given.json) terminal.line(JSON.stringify(summary));
    else printImport(terminal, summary, { allProblems: true });
    return summary.problemCount > 0 ? EXIT.refusedLines : EXIT.ok;
  }
  const summary = await loadForeign(context, given, source);
  if (given.json) terminal.line(JSON.stringify(summary));
  else printForeign(terminal, summary);
  return summary.problemCount > 0 ? EXIT.refusedLines : EXIT.ok;
}

function queryOf({ tenant, user, merge }: ImportArguments, format: string): Record<string, string> {
  return { format, tenant, ...(user === undefined ? {} : { user }), ...(merge ? { merge: 'true' } : {}) };
}

async function loadLines(
  context: CommandContext,
  given: ImportArguments,
  format: ImportFormat | 'auto',
): Promise<ImportSummary> {
  const { config, terminal } = context;
  const { size } = await stat(given.file);
  let bytesRead = 0;
  let said = 'reading';
  const show = () => {
    if (!given.json) terminal.progress(said, size === 0 ? 1 : bytesRead / size);
  };
  async function* file(): AsyncGenerator<Uint8Array> {
    for await (const chunk of createReadStream(given.file) as AsyncIterable<Uint8Array>) {
      bytesRead += chunk.byteLength;
      show();
      yield chunk;
    }
  }
  return anywhere(context, {
    service: (client) =>
      refusedOrStored(
        client.import(
          Readable.toWeb(Readable.from(file())) as ReadableStream<Uint8Array>,
          queryOf(given, format),
        ),
      ),
    database: (database) =>
      loadImport(database, file(), {
        format,
        fileName: path.basename(given.file),
        defaults: { tenant: given.tenant, ...(given.user === undefined ? {} : { user: given.user }) },
        at: Date.now(),
        maxContentChars: config.maxMemoryChars,
        merge: given.merge ?? false,
        // Loaded only where a workspace is restored.
        folderOf: async (asked) => (await import('@slowwave/producer')).restoredFolder(asked, 'anywhere'),
        onProgress: ({ lines, inserted }) => {
          said = `${lines} lines read, ${inserted} memories new`;
          show();
        },
      }),
  }).finally(() => terminal.clear());
}

async function loadForeign(
  context: CommandContext,
  given: ImportArguments,
  source: Pick<ForeignInput, 'format' | 'files' | 'skipped'>,
): Promise<ForeignSummary> {
  const { config, terminal } = context;
  const input = { ...source, tenant: given.tenant, user: given.user, timezone: given.timezone ?? 'UTC' };
  const total = source.files.length;
  const onProgress = ({ files, inserted }: { files: number; inserted: number }): void => {
    if (!given.json)
      terminal.progress(`${files} of ${total} files read, ${inserted} memories new`, files / total);
  };
  const run = (store: StoreLines) => importForeign(input, store, onProgress);
  return anywhere(context, {
    service: (client) => run((text) => refusedOrStored(client.import(bodyOf(text), queryOf(given, 'jsonl')))),
    database: (database) =>
      run((text) =>
        loadImport(database, text, {
          format: 'jsonl',
          defaults: { tenant: given.tenant },
          at: Date.now(),
          maxContentChars: config.maxMemoryChars,
        }),
      ),
  }).finally(() => terminal.clear());
}

function bodyOf(text: string): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from([Buffer.from(text)])) as ReadableStream<Uint8Array>;
}

/** The service answers an import of which it could use nothing with an error; its lines and reasons are told like those of any other. */
async function refusedOrStored(answer: Promise<ImportSummary>): Promise<ImportSummary> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'no_good_line') throw error;
    const { lines, problems, problemCount } = error.more as Pick<
      ImportSummary,
      'lines' | 'problems' | 'problemCount'
    >;
    const nothing = { inserted: 0, unchanged: 0, forgotten: 0, relations: 0, usersCreated: 0, users: [] };
    return { ...nothing, lines, problems, problemCount, unresolvedRelations: 0 };
  }
}
