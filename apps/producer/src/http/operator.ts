import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf, SESSION_COOKIE } from './cookies.ts';
import { foreignOrigin, isSameOrigin } from './gate.ts';
import { OPERATOR, setPrincipal } from './principal.ts';
import { Problem } from './problem.ts';
import type { Sessions } from './sessions.ts';

/** Who may operate this service: whoever has the token, or a session that was opened with it. */
export interface Operator {
  isToken(given: string): boolean;
  sessions: Sessions;
}

export function createOperator(token: string, sessions: Sessions): Operator {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(token);
  // Digests have one length, and comparing them takes one time.
  return { sessions, isToken: (given) => timingSafeEqual(digest(given), expected) };
}

export function hasSession(operator: Operator, request: FastifyRequest): boolean {
  return operator.sessions.has(cookieOf(request, SESSION_COOKIE));
}

/** Lets an operator through to the API. @throws Problem 401 `not_signed_in`, 403 `foreign_origin` */
export function requireOperator(operator: Operator, request: FastifyRequest, reply: FastifyReply): void {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (given !== undefined && operator.isToken(given)) {
      setPrincipal(request, OPERATOR);
      return;
    }
  } else if (hasSession(operator, request)) {
    // The browser sends the cookie with requests of any page on this host, whatever its port.
    if (!isSameOrigin(request)) throw foreignOrigin();
    setPrincipal(request, OPERATOR);
    return;
  }
  reply.header('www-authenticate', 'Bearer');
  throw new Problem(401, 'not_signed_in', 'send "Authorization: Bearer <operator token>"');
}
