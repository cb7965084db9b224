import { ModelError, type ModelErrorCode, type RefusedPart } from '@slowwave/fusion';
import { readErrorBody } from './refusal.ts';
import { isRecord } from './request.ts';

/**
 * The one place where failures at a model's border become `ModelError`. Nothing of a request or an answer passes: endpoints echo
 * the prompt in their error bodies, and parsers quote the text they failed on. What passes is a status, a request id of a known
 * shape, an operating system's error code, and words written here.
 */

interface StatusClass {
  code: ModelErrorCode;
  retryable: boolean;
  hint?: string;
}

/** Account limits that arrive as 429 or 400 although waiting or another request cannot help: as final as a bad key. */
const ACCOUNT_ERROR_CODES: ReadonlySet<string> = new Set([
  'contract_spend_limit_reached',
  'enforced_spend_limit_reached',
  'insufficient_quota',
  'organization_on_hold',
]);

const REQUEST_ID = /^req_[A-Za-z0-9]{1,60}$/;
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{1,40}$/;
const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

function classOfStatus(status: number, about: RefusedPart | null): StatusClass {
  // Some local servers answer a text beyond their window with 500.
  if (status === 500 && about === 'length') return { code: 'too_large', retryable: false };
  if (status === 429) return { code: 'rate_limited', retryable: true };
  if (status === 529) return { code: 'overloaded', retryable: true };
  if (status === 408) return { code: 'timeout', retryable: true };
  // A conflict or an early request is about the moment, not about the request.
  if (status >= 500 || status === 409 || status === 425) return { code: 'server_error', retryable: true };
  if (status === 413) return { code: 'too_large', retryable: false };
  if (status === 401 || status === 402 || status === 403) return { code: 'auth', retryable: false };
  if (status === 404) {
    return { code: 'invalid_request', retryable: false, hint: 'check the model name and the base URL' };
  }
  if (status >= 300 && status < 400) {
    return { code: 'invalid_request', retryable: false, hint: 'redirected: check the base URL' };
  }
  return { code: 'invalid_request', retryable: false };
}

/**
 * Reads how long a server asked us to wait.
 * @param headers anything with `get`; `retry-after-ms` (milliseconds) wins over `retry-after` (seconds or an HTTP date).
 * @returns milliseconds, at least 0, or null when absent or unreadable. No upper bound: the caller caps it.
 */
export function parseRetryAfter(
  headers: { get(name: string): string | null } | undefined,
  nowMs: number,
): number | null {
  const exact = headers?.get('retry-after-ms')?.trim();
  if (exact && /^\d{1,12}(\.\d+)?$/.test(exact)) return Math.round(Number(exact));
  const value = headers?.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000);
  // An HTTP date begins with the name of its day; Date.parse alone would take a bare "-5" for a year.
  if (!/^[A-Za-z]{3,9},? /.test(value)) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

/**
 * Classifies an answer whose status is not 2xx.
 * @param details `errorCode` is the machine-readable code in the body, compared with a list and never repeated; `about` is the part of
 * the request that the body names
 */
export function fromStatus(
  status: number,
  details: {
    headers?: { get(name: string): string | null };
    errorCode?: string | null;
    about?: RefusedPart | null;
    nowMs?: number;
  } = {},
): ModelError {
  const account = details.errorCode != null && ACCOUNT_ERROR_CODES.has(details.errorCode);
  const found: StatusClass = account
    ? { code: 'auth', retryable: false, hint: 'the account has reached a limit or is on hold' }
    : classOfStatus(status, details.about ?? null);
  const requestId = details.headers?.get('request-id') ?? '';
  const parts = [`HTTP ${status}`, found.hint, REQUEST_ID.test(requestId) ? requestId : undefined];
  const retryAfterMs = found.retryable ? parseRetryAfter(details.headers, details.nowMs ?? Date.now()) : null;
  return new ModelError(found.code, {
    retryable: found.retryable,
    status,
    hint: parts.filter((part) => part !== undefined).join(', '),
    about: found.code === 'invalid_request' || found.code === 'too_large' ? (details.about ?? null) : null,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

/** The error code of the operating system or the HTTP client, from an error or what caused it. */
function systemCodeOf(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 4 && typeof current === 'object' && current !== null; depth += 1) {
    if ('code' in current && typeof current.code === 'string' && SYSTEM_CODE.test(current.code)) {
      return current.code;
    }
    current = 'cause' in current ? current.cause : undefined;
  }
  return undefined;
}

/** Nobody was reached: the request cannot have been read, nor paid for. */
const UNSENT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Classifies a connection that failed before or in the middle of an answer. The error given is read, never kept. */
export function fromConnection(error: unknown): ModelError {
  const systemCode = systemCodeOf(error);
  const timedOut = systemCode !== undefined && TIMEOUT_CODES.has(systemCode);
  return new ModelError(timedOut ? 'timeout' : 'network', {
    retryable: true,
    ...(systemCode === undefined ? {} : { hint: systemCode, unsent: UNSENT_CODES.has(systemCode) }),
  });
}

export function timedOut(timeoutMs: number): ModelError {
  return new ModelError('timeout', { retryable: true, hint: `no complete answer within ${timeoutMs} ms` });
}

/**
 * Insists that a key can stand in a header. One that was pasted with typographic quotation marks or bullets cannot: no request is made.
 * @throws ModelError `auth`, not retryable, without the key
 */
export function requireHeaderKey(key: string): void {
  if (/^[\x20-\x7e]*$/.test(key)) return;
  const hint = 'the key holds a character that no header can carry';
  throw new ModelError('auth', { retryable: false, unsent: true, hint });
}

/** The caller gave up; whether to try again is the caller's to know. */
export function aborted(): ModelError {
  return new ModelError('aborted', { retryable: false });
}

/** Codes of errors that come without a status of their own, and the status that others give with them. */
const STATUS_OF_CODE: ReadonlyMap<string, number> = new Map([
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['too_many_requests', 429],
  ['insufficient_quota', 429],
  ['overloaded_error', 529],
]);

/**
 * Classifies a body that is an error although its status is 200, as gateways send it.
 * @returns null when there is no error in it
 */
export function fromErrorBody(body: unknown): ModelError | null {
  if (!isRecord(body) || !body.error) return null;
  const { errorCode, about, ...read } = readErrorBody(body);
  const status = read.status ?? STATUS_OF_CODE.get(errorCode ?? '') ?? null;
  return status === null
    ? invalidResponse('the body is an error, although its status is 200')
    : fromStatus(status, { errorCode, about });
}

/**
 * An answer that came with status 200 and is not what the protocol promises.
 * @param retryable true for what a proxy or a restart may cause, false for what configuration causes.
 */
export function invalidResponse(hint: string, retryable = true): ModelError {
  return new ModelError('invalid_response', { retryable, hint });
}
