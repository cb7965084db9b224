/** What was to be exported is not there. Never retryable. */
export class ExportError extends Error {
  readonly code: 'unknown_user';
  readonly retryable = false;

  constructor(code: 'unknown_user', message: string) {
    super(message);
    this.name = 'ExportError';
    this.code = code;
  }
}
