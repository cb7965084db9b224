import { ImportError } from '../import/errors.ts';
import { isObject } from '../import/metadata.ts';

export const EXPORT_KIND = 'slowwave-export';
export const EXPORT_END = 'slowwave-export-end';
export const EXPORT_VERSION = 1;
/** How lines of documents and of their versions begin: only these may be larger than a line of any other file. */
export const DOCUMENT_START = '{"kind":"document';

/** The first line of an export. No time stands in it: the same data gives the same bytes. */
export function headerLine(scope: { tenant: string; user: string | null }): string {
  const { tenant, user } = scope;
  return JSON.stringify({
    kind: EXPORT_KIND,
    version: EXPORT_VERSION,
    tenant,
    ...(user === null ? {} : { user }),
  });
}

/** The last line; without it a file was cut off. */
export const endLine = (users: number): string => JSON.stringify({ kind: EXPORT_END, users });

/** Closes the lines of one user; `lines` counts them, this one not. */
export const userEndLine = (owner: { tenant: string; user: string }, lines: number): string =>
  JSON.stringify({ kind: 'end', ...owner, lines });

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Whether a file begins like an export.
 * @throws ImportError `unsupported_export` when it does, of a version that is not known here
 */
export function isExport(firstLine: string): boolean {
  if (!firstLine.includes(EXPORT_KIND)) return false;
  const header = objectOf(firstLine);
  if (header?.kind !== EXPORT_KIND) return false;
  if (header.version === EXPORT_VERSION) return true;
  throw new ImportError(
    'unsupported_export',
    `the file is an export of another version than ${EXPORT_VERSION}, which is the only one that this version of slowwave reads; restore it with the version that wrote it`,
  );
}
