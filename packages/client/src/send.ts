import { type CallOptions, type Operation, requestOf } from './call.ts';
import { problemIn, SlowwaveProblem } from './problem.ts';

export interface ClientOptions {
  /** Of the service, such as http://localhost:8787. */
  url: string;
  token: string;
  /** Default: the runtime's own. */
  fetch?: typeof globalThis.fetch;
  /** How often a call is tried again that may be; default 3. Reads, and writes that carry an Idempotency-Key. */
  retries?: number;
  /** Waits, ms; default: a timer. */
  pause?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** What a service asks for beyond this is told to the caller instead. */
const ASKED_PAUSE_MAX_MS = 60_000;

/** Makes calls, again where that does no harm. */
export function createSender(options: ClientOptions) {
  const { url, token, fetch = globalThis.fetch, retries = 3, pause = pauseFor } = options;
  if (!URL.canParse(url))
    throw new TypeError('url: expected the address of the service, such as http://localhost:8787');
  const base = url.replace(/\/+$/, '');

  return async function send(
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
    { signal, idempotencyKey }: CallOptions = {},
  ): Promise<unknown> {
    const { method, keyed } = operation;
    const { path, headers, body } = requestOf(operation, input);
    const key = idempotencyKey ?? (keyed && retries > 0 ? crypto.randomUUID() : undefined);
    const isRepeatable = operation.body !== 'raw' && (method === 'GET' || !keyed || key !== undefined);
    const request: RequestInit & { duplex?: 'half' } = {
      method,
      body: body as RequestInit['body'],
      // A stream is sent while nothing is answered yet.
      ...(operation.body === 'raw' ? { duplex: 'half' } : {}),
      headers: {
        authorization: `Bearer ${token}`,
        ...headers,
        ...(keyed && key !== undefined ? { 'idempotency-key': key } : {}),
      },
      ...(signal === undefined ? {} : { signal }),
    };
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptOf(() => fetch(`${base}${path}`, request), operation);
      if (outcome.response) return answerIn(outcome.response, operation);
      const waitMs = outcome.waitMs ?? backoffMs(attempt);
      const isOver = attempt > retries || waitMs > ASKED_PAUSE_MAX_MS || signal?.aborted === true;
      if (!isRepeatable || isOver || !outcome.problem.retryable) throw outcome.problem;
      await pause(waitMs, signal);
    }
  };
}

type Outcome =
  | { response: Response; problem?: never; waitMs?: never }
  | { response?: never; problem: SlowwaveProblem; waitMs: number | null };

async function attemptOf(ask: () => Promise<Response>, { statuses }: Operation): Promise<Outcome> {
  let response: Response;
  try {
    response = await ask();
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'AbortError') throw cause;
    const problem = new SlowwaveProblem(0, 'unreachable', 'the service cannot be reached', {
      retryable: true,
      cause,
    });
    return { problem, waitMs: null };
  }
  const isProblem = /^application\/problem\+json\b/.test(response.headers.get('content-type') ?? '');
  if (!isProblem && statuses.includes(response.status)) return { response };
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return { problem: await problemIn(response), waitMs: seconds >= 0 ? seconds * 1_000 : null };
}

/** Doubles, with full jitter, so that clients that failed together do not come back together. */
function backoffMs(attempt: number): number {
  return Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
}

async function answerIn(response: Response, { answer }: Operation): Promise<unknown> {
  if (answer === 'stream') return response.body;
  if (answer === 'text') return response.text();
  return response.status === 204 ? undefined : response.json();
}

function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
