export type RecallErrorCode = 'unknown_user';

/** A question that cannot be asked of anybody. Holds neither the question nor an answer. */
export class RecallError extends Error {
  readonly code: RecallErrorCode;
  readonly retryable = false;

  constructor(code: RecallErrorCode, message: string) {
    super(message);
    this.name = 'RecallError';
    this.code = code;
  }
}
