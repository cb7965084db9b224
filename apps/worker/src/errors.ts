/** A job's failure as the queue may know it: a code and whether trying again makes sense; never a text. */
export class JobFailure extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor(code: string, details: { retryable: boolean; retryAfterMs?: number | null }) {
    super(`job failed: ${code}`);
    this.name = 'JobFailure';
    this.code = code;
    this.retryable = details.retryable;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}

/** The code of anything thrown: its own when it has one, else a general word. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && /^[A-Za-z0-9_]{2,64}$/.test(code) ? code : 'internal_error';
}
