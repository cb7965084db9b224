export type ImportErrorCode =
  | 'user_required'
  | 'date_required'
  | 'invalid_defaults'
  | 'unsupported_export'
  | 'restore_refused';

/**
 * The import as a whole was asked for wrongly. What is wrong with a single line is never thrown: it is reported with the
 * line (see `ImportedLine`).
 */
export class ImportError extends Error {
  readonly code: ImportErrorCode;
  readonly retryable = false;

  constructor(code: ImportErrorCode, message: string) {
    super(message);
    this.name = 'ImportError';
    this.code = code;
  }
}
