/** What the service refused, or why it could not be asked. */
export class SlowwaveProblem extends Error {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** For programs: as the service's document lists them; `unreachable` without an answer, `no_problem` for one of something else. */
  readonly code: string;
  /** For people. */
  readonly detail: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** Further members of the problem. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    detail: string,
    { retryable = false, more = {}, cause }: ProblemDetails = {},
  ) {
    super(`${code}: ${detail}`, { cause });
    this.name = 'SlowwaveProblem';
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.retryable = retryable;
    this.more = more;
  }
}

interface ProblemDetails {
  retryable?: boolean;
  more?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

const RETRYABLE = new Set([429, 503]);

/** Reads the problem of an answer. Whatever else stands between here and the service may have answered instead. */
export async function problemIn(response: Response): Promise<SlowwaveProblem> {
  const { status } = response;
  const told = await response.json().catch(() => null);
  const { code, detail, retryable, ...more } = (told ?? {}) as Record<string, unknown>;
  const isRetryable = retryable === true || RETRYABLE.has(status);
  if (typeof code !== 'string' || typeof detail !== 'string') {
    return new SlowwaveProblem(status, 'no_problem', `the answer has status ${status} and says no more`, {
      retryable: isRetryable,
    });
  }
  return new SlowwaveProblem(status, code, detail, { retryable: isRetryable, more });
}
