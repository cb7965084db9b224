import { type ExportCounts, ExportError, exportLines } from '@slowwave/db';
import type { CommandContext } from './anywhere.ts';
import { anywhere } from './anywhere.ts';
import { ServiceError } from './client.ts';
import { EXIT, UsageError, unknownUser } from './exit.ts';
import { downloadLines } from './export-download.ts';
import { type ExportTarget, openFile, openFolder, openStream } from './export-target.ts';
import { plural } from './print.ts';

export interface ExportArguments {
  tenant: string;
  /** One user; absent for every user of the tenant. */
  user?: string;
  format: 'jsonl' | 'markdown';
  /** A file for jsonl, a new folder for markdown; absent: standard output. */
  out?: string;
  json: boolean;
}

/**
 * Writes everything of a tenant or a user to a file, a folder or standard output, through the running service when one owns the
 * embedded folder. Half an export is never left behind.
 * @returns exit code
 * @throws UsageError
 */
export async function exportCommand(
  context: CommandContext,
  given: ExportArguments,
  output: NodeJS.WritableStream = process.stdout,
): Promise<number> {
  const target = await openTarget(given, output);
  const { terminal } = context;
  try {
    const counts = await read(context, given, target);
    await target.finish();
    terminal.clear();
    if (given.out === undefined) return EXIT.ok;
    const { users, memories } = counts;
    if (given.json) terminal.line(JSON.stringify({ ...counts, ...target.facts(), out: given.out }));
    else {
      terminal.line(
        `${plural(memories, 'memory', 'memories')} of ${plural(users, 'user')} written to ${given.out}`,
      );
    }
    return EXIT.ok;
  } catch (error) {
    terminal.clear();
    await target.drop();
    // Whoever read from us has seen enough.
    if (target.closed()) return EXIT.ok;
    throw explained(error, given);
  }
}

function openTarget(given: ExportArguments, output: NodeJS.WritableStream): Promise<ExportTarget> {
  const { format, out } = given;
  if (format === 'markdown') {
    if (out === undefined) throw new UsageError('pages need a folder: name a new one with --out');
    return openFolder(out);
  }
  return out === undefined ? Promise.resolve(openStream(output)) : openFile(out);
}

async function read(
  context: CommandContext,
  { tenant, user, out, json }: ExportArguments,
  target: ExportTarget,
): Promise<ExportCounts> {
  const { terminal } = context;
  // On standard output the export itself stands.
  const onProgress = ({ memories, lines }: ExportCounts): void => {
    if (out !== undefined && !json) terminal.progress(`${memories} memories, ${lines} lines`);
  };
  const write = (lines: readonly string[]) => target.write(lines);
  return anywhere(context, {
    service: (client) => downloadLines(client, { tenant, user, write, onProgress }),
    database: (database) => exportLines(database, { tenant, user: user ?? null, write, onProgress }),
  });
}

const FILE_TROUBLE: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no room left',
  EDQUOT: 'there is no room left',
  EACCES: 'it may not be written',
  EPERM: 'it may not be written',
  EROFS: 'it may not be written',
};

function explained(error: unknown, { user, out }: ExportArguments): unknown {
  const unknown =
    error instanceof ExportError || (error instanceof ServiceError && error.code === 'unknown_user');
  if (unknown && user !== undefined) return unknownUser(user);
  const why = FILE_TROUBLE[(error as NodeJS.ErrnoException | null)?.code ?? ''];
  return why === undefined || out === undefined ? error : new UsageError(`cannot write ${out}: ${why}`);
}
