import type { Database } from '../database.ts';
import { isExport } from '../export/header.ts';
import { mergeLines } from '../export/merge.ts';
import { peekLine } from '../export/peek.ts';
import { restoreExport } from '../export/restore.ts';
import { ImportError } from './errors.ts';
import { loadLines } from './load.ts';
import { emptySummary, type ImportSummary, type LoadOptions } from './summary.ts';

/**
 * Loads a file into the database, batch by batch, each batch in one transaction per tenant. Bad lines are reported with their number and
 * reason and the good ones kept; the same file again changes nothing. A file that begins as an export is restored instead, user by user
 * and exactly, or with `merge` read as an ordinary one.
 * @throws ImportError when the import as a whole was asked for wrongly
 */
export async function loadImport(
  database: Database,
  given: AsyncIterable<Uint8Array> | string,
  options: LoadOptions,
): Promise<ImportSummary> {
  if (options.format === 'text') return loadLines(database, given, options);
  const { line, source } = await peekLine(given);
  if (!isExport(line)) return loadLines(database, source, options);
  if (options.merge) {
    const leftOut = {};
    const lines = mergeLines(database, source, leftOut, options);
    const summary = await loadLines(database, { lines }, { ...options, format: 'jsonl' });
    return { ...summary, leftOut };
  }
  if (options.restore === false) {
    throw new ImportError(
      'restore_refused',
      'the file is an export, and restoring one needs the role admin; with merge its memories are added to what is there',
    );
  }
  const summary = emptySummary();
  const whole = typeof source === 'string' ? source : ((await options.spool?.(source)) ?? source);
  await restoreExport(database, whole, options, summary);
  return summary;
}
