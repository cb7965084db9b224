import { UnrecoverableError } from 'bullmq';

/**
 * What BullMQ may know of a failure. Whatever is thrown into BullMQ becomes `failedReason` and `stacktrace`, stands in the
 * datastore for days and is shown on the operator's screen: so no error of a handler goes there, only one built here from
 * a code, ids and stack frames. Messages are dropped, because a message may quote a memory.
 */
export interface SafeFailure {
  /** Our own error's code, or `internal_error`. */
  code: string;
  retryable: boolean;
  /** How long the other side asked to be left alone, in milliseconds. */
  retryAfterMs: number | null;
  /** `code: name=id name=id` */
  reason: string;
  /** Stack frames only, one per line. */
  frames: string;
}

/** An error whose message is a reason as above; BullMQ tries the job again. */
export class SafeJobError extends Error {
  readonly code: string;
  readonly retryAfterMs: number | null;

  constructor(failure: SafeFailure) {
    super(failure.reason);
    this.name = 'SafeJobError';
    this.code = failure.code;
    this.retryAfterMs = failure.retryAfterMs;
    this.stack = stackOf('SafeJobError', failure);
  }
}

const MAX_FRAMES = 12;
const MAX_REASON_LENGTH = 1_000;
const OWN_CODE = /^[a-z][a-z0-9_]{1,63}$/;
// Codes of the operating system (ECONNRESET), of Node (ERR_...) and of SQL (40001): short, made of no words of a memory.
const FOREIGN_CODE = /^(?:E[A-Z]{3,20}|ERR_[A-Z0-9_]{2,60}|(?=(?:.*\d){2})[0-9A-Z]{5})$/;
const CLASS_NAME = /^[A-Za-z_$][A-Za-z0-9_$]{0,63}$/;
// A frame is a place in a file. Anything looser could be a line of a message that begins with "at".
const FRAME =
  /^ {4}at (?:(?:async )?(?:new )?[\w$.<>#]+(?: \[as [\w$.<>#]+\])? \((?:node:|file:\/\/\/|\/|[A-Z]:\\)[^()\n]{1,300}:\d+:\d+\)|(?:async )?(?:node:|file:\/\/\/|\/|[A-Z]:\\)[^()\n]{1,300}:\d+:\d+)$/;

/** Classifies anything thrown. `ids` are the job's own ids, never those of the error. */
export function safeFailure(error: unknown, ids: Record<string, string>): SafeFailure {
  const thrown = asRecord(error);
  const known = typeof thrown.code === 'string' && OWN_CODE.test(thrown.code);
  const own = known && typeof thrown.retryable === 'boolean';
  const code = own ? (thrown.code as string) : 'internal_error';
  const label = own ? code : `${code} (${describe(error, thrown)})`;
  const list = Object.entries(ids).map(([name, id]) => `${name}=${id}`);
  return {
    code,
    retryable: thrown.retryable !== false && thrown.name !== 'UnrecoverableError',
    retryAfterMs: positive(thrown.retryAfterMs),
    reason: `${label}: ${list.join(' ')}`.slice(0, MAX_REASON_LENGTH),
    frames: framesOf(error),
  };
}

/** The error to throw into BullMQ. */
export function toThrowable(failure: SafeFailure): Error {
  if (failure.retryable) return new SafeJobError(failure);
  const error = new UnrecoverableError(failure.reason);
  error.stack = stackOf('UnrecoverableError', failure);
  return error;
}

/** Class and foreign code of an error that is not ours, for logs: no message. */
export function errorLabel(error: unknown): string {
  const thrown = asRecord(error);
  return typeof thrown.code === 'string' && OWN_CODE.test(thrown.code)
    ? thrown.code
    : describe(error, thrown);
}

function describe(error: unknown, thrown: Record<string, unknown>): string {
  if (!(error instanceof Error)) return `thrown ${error === null ? 'null' : typeof error}`;
  const name = classNameOf(error);
  const code = typeof thrown.code === 'string' && FOREIGN_CODE.test(thrown.code) ? ` ${thrown.code}` : '';
  return `${name}${code}`; // guard: error-message
}

/** The name of an error's class, when it looks like one. */
export function classNameOf(error: Error): string {
  return CLASS_NAME.test(error.constructor.name) ? error.constructor.name : 'Error';
}

/** The stack frames of an error, one per line, without its message. */
export function framesOf(error: unknown): string {
  const stack = asRecord(error).stack;
  if (typeof stack !== 'string') return '';
  const message = String(asRecord(error).message ?? '');
  // The message stands at the head of the stack and may itself contain lines that look like frames.
  const end = message === '' ? -1 : stack.lastIndexOf(message);
  const rest = end < 0 ? stack : stack.slice(end + message.length); // guard: error-frames
  return rest
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .join('\n');
}

function stackOf(name: string, failure: SafeFailure): string {
  return failure.frames === ''
    ? `${name}: ${failure.reason}`
    : `${name}: ${failure.reason}\n${failure.frames}`;
}

function asRecord(error: unknown): Record<string, unknown> {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
}

function positive(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
}
