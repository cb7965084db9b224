export type MemoryBackendErrorCode =
  | 'NOT_FOUND'
  | 'READ_ONLY'
  | 'READ_FAILED'
  | 'WRITE_FAILED'
  | 'UNSUPPORTED'
  | 'CONFLICT'
  | 'QUOTA_EXCEEDED'
  | 'BACKEND_UNAVAILABLE';

/** What every backend throws. Messages name paths and codes, never what stands in a document. */
export class MemoryBackendError extends Error {
  override readonly name = 'MemoryBackendError';
  readonly code: MemoryBackendErrorCode;
  /** The type of the backend, or `memory` when a path was refused before any backend was asked. */
  readonly backend: string;

  constructor(code: MemoryBackendErrorCode, message: string, backend: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.backend = backend;
  }
}

/** Whether an error is a MemoryBackendError, with one of the given codes when any are given. */
export function isMemoryError(
  error: unknown,
  ...codes: MemoryBackendErrorCode[]
): error is MemoryBackendError {
  return error instanceof MemoryBackendError && (codes.length === 0 || codes.includes(error.code));
}

/** The system's code of a failed call (ENOENT), which unlike its message holds no path or text; `unknown` without one. */
export function systemCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z0-9_]{2,40}$/.test(code) ? code : 'unknown';
}

/** What a failed read is called in the contract. */
export function readError(error: unknown, backend: string): MemoryBackendError {
  if (error instanceof MemoryBackendError) return error;
  return new MemoryBackendError('READ_FAILED', `Failed to read memory file: ${systemCode(error)}`, backend);
}
