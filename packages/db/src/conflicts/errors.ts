export type ConflictRefusedCode = 'unknown' | 'unknown_memory' | 'already_resolved' | 'stale';

/** What was asked about a conflict cannot be done. Says what to do instead; carries ids only. */
export class ConflictRefused extends Error {
  readonly code: ConflictRefusedCode;
  readonly retryable = false;
  /** The conflicts, or for `unknown_memory` the memories, that it is about. */
  readonly ids: readonly string[];

  constructor(code: ConflictRefusedCode, ids: readonly string[], message: string) {
    super(message);
    this.name = 'ConflictRefused';
    this.code = code;
    this.ids = ids;
  }
}
