import {
  ConflictRefused,
  DatabaseError,
  ForgetRefused,
  ImportError,
  InputError,
  MemoryRefused,
} from '@slowwave/db';
import { PayloadError, QueueUnavailable } from '@slowwave/queue';
import type { FastifyReply } from 'fastify';
import { workspaceProblem } from './workspaces-problem.ts';

/** What a client is told instead of an answer, as RFC 9457 has it. The detail never quotes a memory. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryable: boolean;
  /** Further members of the answer. */
  readonly more: Record<string, unknown>;

  constructor(status: number, code: string, detail: string, more: Record<string, unknown> = {}) {
    super(detail);
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.retryable = status === 429 || status === 503;
    this.more = more;
  }
}

const TITLES: Record<number, string> = {
  400: 'Bad request',
  401: 'Not signed in',
  403: 'Refused',
  404: 'Not found',
  408: 'Too slow',
  409: 'Refused as things stand',
  413: 'Too large',
  415: 'Unsupported media type',
  421: 'Misdirected request',
  422: 'Nothing usable',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Not available',
};

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, code, message, more } = problem;
  if (status === 503) reply.header('retry-after', '5');
  if (typeof more.retryAfter === 'number') reply.header('retry-after', String(more.retryAfter));
  return reply
    .code(status)
    .type('application/problem+json; charset=utf-8')
    .send({
      type: `urn:slowwave:problem:${code}`,
      title: TITLES[status] ?? 'Problem',
      status,
      code,
      detail: message,
      ...more,
    });
}

/** Classifies whatever a route threw. Messages of foreign errors are dropped: a JSON parser's own quotes the body. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ImportError) return new Problem(400, error.code, error.message);
  // Both say what to do, in ids and names of fields.
  if (error instanceof MemoryRefused) return new Problem(409, error.code, error.message);
  if (error instanceof ConflictRefused) {
    const status = error.code === 'unknown' || error.code === 'unknown_memory' ? 404 : 409;
    return new Problem(status, error.code === 'unknown' ? 'unknown_conflict' : error.code, error.message);
  }
  if (error instanceof ForgetRefused) {
    return new Problem(error.retryable ? 503 : 404, error.code, error.message);
  }
  const told = workspaceProblem(error);
  if (told !== null) return new Problem(told.status, told.code, told.detail, told.more);
  if (error instanceof InputError) return new Problem(400, 'invalid_request', error.message);
  if (error instanceof PayloadError) {
    return new Problem(
      400,
      'invalid_request',
      'an id is longer than a job can carry, or has characters it cannot',
    );
  }
  if (error instanceof QueueUnavailable) {
    return new Problem(503, 'queue_unavailable', 'the queue cannot be reached; try again later');
  }
  if (error instanceof DatabaseError) return databaseProblem(error);
  return frameworkProblem(error) ?? new Problem(500, 'internal_error', 'something went wrong; see the log');
}

function databaseProblem(error: DatabaseError): Problem {
  if (error.retryable) {
    return new Problem(503, 'database_unavailable', 'the database cannot be used now; try again later');
  }
  if (error.code === 'invalid_text') {
    return new Problem(400, 'invalid_request', 'a value cannot be stored or compared by the database');
  }
  return new Problem(500, 'internal_error', 'something went wrong; see the log');
}

/** Refusals of the HTTP framework before a route was reached. */
function frameworkProblem(error: unknown): Problem | null {
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Problem(413, 'body_too_large', 'the body is too large');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Problem(415, 'unsupported_media_type', 'this Content-Type is not accepted here');
  }
  if (typeof code === 'string' && code.startsWith('FST_ERR_CTP_')) {
    return new Problem(400, 'invalid_body', 'the body is not what its Content-Type says');
  }
  if (statusCode === 400) return new Problem(400, 'invalid_request', 'the request cannot be read');
  return null;
}
