import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { FIRST_SAID, type ImportSummary, type LineProblem } from '@slowwave/db';
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

/** A file's text and when it was last changed, epoch ms; or why it cannot be read. */
async function textOf({ path: given }: FoundFile): Promise<{ text: string; at: number } | LineProblem> {
  const refused = (code: string, message: string): LineProblem => ({ line: 0, code, message });
  try {
    const { size, mtimeMs } = await stat(given);
    if (size > FOREIGN_CHARS_MAX)
      return refused('too_large', `the file is larger than ${FOREIGN_CHARS_MAX / 1024 / 1024} MiB: split it`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(given));
    // Archives and images may set all times to 0, which says nothing of when anything was said.
    return { text, at: mtimeMs < FIRST_SAID ? Date.now() : Math.floor(mtimeMs) };
  } catch (error) {
    if (error instanceof TypeError)
      return refused('not_text', 'the file is not UTF-8 text: save it as UTF-8');
    return refused('unreadable', `the file cannot be read (${systemCodeOf(error)})`);
  }
}

/** The code of the operating system. @throws what is given when it is no error of a file */
function systemCodeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (typeof code !== 'string') throw error;
  return code;
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
    refused(file: string, told: LineProblem): void {
      summary.problemCount++;
      problem(file, told);
    },
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
 * Imports files of another format: each is read into lines of JSON, which are stored like any others. What cannot be read, a whole file or
 * a part of one, is told with its file and line, and the rest is kept; the same files again add nothing.
 * @throws UsageError when neither the file nor the caller says whose memories they are
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
    const found = await textOf(file);
    if ('code' in found) {
      sum.refused(file.name, found);
      continue;
    }
    const { text, at } = found;
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
