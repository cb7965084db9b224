/** One document of a workspace as it was read. */
export interface StoredFile {
  content: string;
  /** SHA-256 of the content in UTF-8, hex. */
  sha256: string;
}

export interface FileEntry {
  /** Relative to the memory folder of the workspace, as in MEMORY.md or 2026-05-01.md. */
  path: string;
  /** In bytes of UTF-8. */
  size: number;
  /** Epoch milliseconds. */
  updatedAt: number;
}

export interface WriteOptions {
  /** SHA-256 of what is replaced, null when nothing may stand there yet; absent: whatever stands there. */
  expected?: string | null;
  /** Who writes: a person, an agent, or the step of a run. */
  by: string;
  /** The run that writes; what stood before is kept under it. */
  runId?: string;
}

/**
 * The documents of one workspace, wherever they are. Paths that do not name a document of a workspace are refused with UNSUPPORTED, whatever
 * the implementation; a write is there whole or not at all.
 */
export interface WorkspaceFiles {
  /** Null when there is none. Errors: UNSUPPORTED, READ_FAILED, BACKEND_UNAVAILABLE. */
  read(path: string): Promise<StoredFile | null>;
  /** Errors: CONFLICT when something else stands there than `expected`, QUOTA_EXCEEDED, UNSUPPORTED, WRITE_FAILED, BACKEND_UNAVAILABLE. */
  write(path: string, content: string, options: WriteOptions): Promise<StoredFile>;
  /** All documents, by path. */
  list(): Promise<FileEntry[]>;
  /** What stood in a document before a run first changed it; null when the run did not change it, `content: null` when there was none. */
  before(runId: string, path: string): Promise<{ content: string | null; sha256After: string | null } | null>;
}
