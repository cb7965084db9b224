import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ImportSummary, LineProblem } from '@slowwave/db';
import {
  FOREIGN_CHARS_MAX,
  type ForeignFormat,
  type ForeignResult,
  foreignLines,
  readForeign,
} from '@slowwave/workspace';
import { UsageError } from './exit.ts';
import type { FoundFile } from './import-folder.ts';

/** What an import of foreign files did: that of lines, and what was left out and why. */
export interface ForeignSummary extends Omit<ImportSummary, 'problems'> {
  format: ForeignFormat;
  /** Files that were read. */
  files: number;
  /** How many things were left out on purpose, by reason. */
  skipped: Record<string, number>;
  /** The first 1,000; `line` is that of the file, or the number of the entry; 0 is the file as a whole. */
  problems: (LineProblem & { file: string })[];
}

export interface ForeignInput {
  format: ForeignFormat;
  files: readonly FoundFile[];
  /** Of a folder: files that were left out before, by reason. */
  skipped: ReadonlyMap<string, number>;
  tenant: string;
  user: string | undefined;
  timezone: string;
}

const PROBLEMS_KEPT = 1_000;

/** Who stores lines of JSON: the running service, or the database. */
export type StoreLines = (text: string) => Promise<ImportSummary>;

async function textOf(file: FoundFile): Promise<{ text: string; at: number }> {
  const found = await stat(file.path);
  if (found.size > FOREIGN_CHARS_MAX) {
    throw new UsageError(`${file.path} is larger than ${FOREIGN_CHARS_MAX / 1024 / 1024} MiB: split it`);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file.path));
    return { text, at: Math.floor(found.mtimeMs) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${file.path} is not UTF-8 text: save it as UTF-8`);
  }
}

function createSummary(input: ForeignInput) {
  const summary: ForeignSummary = {
    format: input.format,
    files: 0,
    skipped: Object.fromEntries(input.skipped),
    lines: 0,
    inserted: 0,
    unchanged: 0,
    forgotten: 0,
    relations: 0,
    usersCreated: 0,
    users: [],
    problems: [],
    problemCount: 0,
    unresolvedRelations: 0,
  };
  function problem(file: string, told: LineProblem): void {
    if (summary.problems.length < PROBLEMS_KEPT) summary.problems.push({ file, ...told });
  }
  return {
    summary,
    read(file: string, { problems, skipped }: ForeignResult): void {
      summary.files++;
      summary.problemCount += problems.length;
      for (const told of problems) problem(file, told);
      for (const { reason, count } of skipped)
        summary.skipped[reason] = (summary.skipped[reason] ?? 0) + count;
    },
    stored(file: string, stored: ImportSummary, origin: (line: number) => number): void {
      const { lines, inserted, unchanged, forgotten, usersCreated, users, problems, problemCount } = stored;
      summary.lines += lines;
      summary.inserted += inserted;
      summary.unchanged += unchanged;
      summary.forgotten += forgotten;
      summary.usersCreated += usersCreated;
      summary.problemCount += problemCount;
      for (const { tenant, user } of users) {
        if (!summary.users.some((one) => one.tenant === tenant && one.user === user))
          summary.users.push({ tenant, user });
      }
      for (const told of problems) problem(file, { ...told, line: origin(told.line) });
    },
  };
}

/**
 * Imports files of another format: each is read into lines of JSON, which are stored like any others. What cannot be read is told with its
 * file and line, and the rest is kept; the same files again add nothing.
 * @throws UsageError
 */
export async function importForeign(
  input: ForeignInput,
  store: StoreLines,
  onProgress: (done: { files: number; inserted: number }) => void,
): Promise<ForeignSummary> {
  const { format, files, tenant, user, timezone } = input;
  if (user === undefined && format !== 'mem0') {
    throw new UsageError(
      `files of the format ${format} do not say whose memories they hold: name the user with --user`,
    );
  }
  const sum = createSummary(input);
  for (const file of files) {
    const { text, at } = await textOf(file);
    const result = readForeign(text, format, { tenant, user: user ?? null, path: file.name, at, timezone });
    sum.read(file.name, result);
    const lines = foreignLines(result.records);
    if (lines.text !== '') sum.stored(file.name, await store(lines.text), lines.origin);
    onProgress({ files: sum.summary.files, inserted: sum.summary.inserted });
  }
  return sum.summary;
}

/** One file that was given by itself. */
export function oneFile(given: string): FoundFile {
  return { path: given, name: path.basename(given) };
}
