export type WorkspaceRefusedCode = 'unknown_user' | 'unknown_workspace' | 'folder_taken';

/** A workspace is not there, or cannot be as it was asked for. Carries its name only. */
export class WorkspaceRefused extends Error {
  readonly code: WorkspaceRefusedCode;
  readonly retryable = false;
  readonly workspace: string;

  constructor(code: WorkspaceRefusedCode, workspace: string, message: string) {
    super(message);
    this.name = 'WorkspaceRefused';
    this.code = code;
    this.workspace = workspace;
  }
}

/**
 * A document stays as it is. `changed`: something else stands there than the writer expected. `forgotten`: the new content has managed lines
 * of memories that were forgotten meanwhile. Either way: read it again and do the work on what stands there.
 */
export class DocumentConflict extends Error {
  readonly code = 'conflict';
  readonly retryable = false;
  readonly reason: 'changed' | 'forgotten';
  readonly path: string;
  /** What stands there; null when there is no document. */
  readonly sha256: string | null;
  readonly version: number | null;

  constructor(
    reason: 'changed' | 'forgotten',
    path: string,
    stands: { sha256: string; version: number } | null,
  ) {
    super(
      reason === 'changed'
        ? `${path} is not what the writer expected: read it again`
        : `${path} would name memories that were forgotten: read it again`,
    );
    this.name = 'DocumentConflict';
    this.reason = reason;
    this.path = path;
    this.sha256 = stands?.sha256 ?? null;
    this.version = stands?.version ?? null;
  }
}

/** All documents of the workspace together would hold more than it may. Bytes of UTF-8. */
export class QuotaExceeded extends Error {
  readonly code = 'quota_exceeded';
  readonly retryable = false;
  readonly path: string;
  readonly quotaBytes: number;
  /** What all documents would hold with this one. */
  readonly bytes: number;

  constructor(
    path: string,
    quotaBytes: number,
    bytes: number,
    message = `the documents would hold ${bytes} bytes, and the workspace may hold ${quotaBytes}`,
  ) {
    super(message);
    this.name = 'QuotaExceeded';
    this.path = path;
    this.quotaBytes = quotaBytes;
    this.bytes = bytes;
  }
}
