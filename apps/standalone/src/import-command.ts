import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Config } from '@slowwave/config';
import { folderOwner, type ImportFormat, type ImportSummary, loadImport } from '@slowwave/db';
import type { Logger } from 'pino';
import { createClient } from './client.ts';
import { EXIT, UsageError } from './exit.ts';
import { printImport } from './print.ts';
import { openDatabase } from './service.ts';
import type { Terminal } from './terminal.ts';

export interface ImportArguments {
  file: string;
  user?: string;
  tenant: string;
  format: ImportFormat | 'auto';
  json: boolean;
}

async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (!found) throw new UsageError(`there is no file ${file}`);
  if (!found.isFile()) throw new UsageError(`${file} is not a file`);
}

/** Loads a file: through the running service when one owns the embedded folder, else straight into the database. @returns exit code */
export async function importCommand(
  context: { config: Config; logger: Logger; terminal: Terminal },
  given: ImportArguments,
): Promise<number> {
  await requireFile(given.file);
  const summary = await load(context, given);
  if (given.json) context.terminal.line(JSON.stringify(summary));
  else printImport(context.terminal, summary, { allProblems: true });
  return summary.problemCount > 0 ? EXIT.refusedLines : EXIT.ok;
}

async function load(
  { config, logger, terminal }: { config: Config; logger: Logger; terminal: Terminal },
  given: ImportArguments,
): Promise<ImportSummary> {
  const owner = config.database.kind === 'embedded' ? await folderOwner(config.database.dataDir) : null;
  const format = given.format === 'auto' && /\.(txt|text)$/i.test(given.file) ? 'text' : given.format;
  if (owner?.url) {
    const query: Record<string, string> = { format, tenant: given.tenant };
    if (given.user !== undefined) query.user = given.user;
    const body = Readable.toWeb(createReadStream(given.file)) as ReadableStream<Uint8Array>;
    return createClient(owner).import(body, query);
  }
  const database = await openDatabase(config, logger);
  try {
    return await loadImport(database, createReadStream(given.file), {
      format,
      fileName: path.basename(given.file),
      defaults: { tenant: given.tenant, ...(given.user === undefined ? {} : { user: given.user }) },
      at: Date.now(),
      maxContentChars: config.maxMemoryChars,
      onProgress: ({ lines, inserted }) => {
        if (!given.json) terminal.progress(`${lines} lines read, ${inserted} memories new`);
      },
    });
  } finally {
    terminal.clear();
    await database.close();
  }
}
