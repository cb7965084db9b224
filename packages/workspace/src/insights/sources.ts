import { textHash } from '../files/folder.ts';
import { MEMORY_LONG_TERM_FILENAME } from '../files/paths.ts';
import type { StoredFile, WorkspaceFiles } from '../files/port.ts';

export const WORKING_FILE = MEMORY_LONG_TERM_FILENAME;
export const INSIGHTS_FILE = 'memory-insights.md';
export const AUDIT_FILE = 'memory-audit.md';
export const AUDIT_STATE_FILE = 'memory-audit-state.json';

/** A file as a run has to take it. */
export interface RunSource {
  /** What the run began with: what stands there, or stood there before this very run wrote it. */
  content: string | null;
  /** What stands there now. */
  standing: StoredFile | null;
}

/** Reads a file for a run, which may have been broken off after it wrote it: then it begins with what it read the first time. */
export async function readSource(files: WorkspaceFiles, path: string, runId: string): Promise<RunSource> {
  const standing = await files.read(path);
  const before = await files.before(runId, path);
  const isWritten = before !== null && standing !== null && before.sha256After === standing.sha256;
  return { content: isWritten ? before.content : (standing?.content ?? null), standing };
}

export function hashOf(content: string | null): string | null {
  return content === null ? null : textHash(content);
}
