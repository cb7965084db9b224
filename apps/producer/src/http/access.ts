import { createHash, timingSafeEqual } from 'node:crypto';
import { authenticateToken, type Database, isTokenLive } from '@slowwave/db';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf, SESSION_COOKIE } from './cookies.ts';
import { foreignOrigin, isSameOrigin } from './gate.ts';
import { OPERATOR, type Principal, requireAllTenants, requireRole, setPrincipal } from './principal.ts';
import { Problem } from './problem.ts';
import { createSessions, type Sessions } from './sessions.ts';

/** Who is let in: the operator by the operator token, others by the tokens of their tenants, both also by a session of theirs. */
export interface Access {
  /** @returns null for a token that lets nobody in: unknown, wrong, expired or revoked */
  authenticate(token: string): Promise<Principal | null>;
  sessions: Sessions;
}

export interface AccessOptions {
  database: Database;
  operatorToken: string;
  /** Epoch ms. */
  now: () => number;
}

export function createAccess({ database, operatorToken, now }: AccessOptions): Access {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(operatorToken);
  const sessions = createSessions({
    now,
    stillLetIn: async ({ tokenId }) => tokenId === null || isTokenLive(database, tokenId, now()),
  });
  return {
    sessions,
    async authenticate(token) {
      // Digests have one length, and comparing them takes one time.
      if (timingSafeEqual(digest(token), expected)) return OPERATOR;
      const owner = await authenticateToken(database, token, now());
      if (owner === null) return null;
      const { id: tokenId, ...principal } = owner;
      return { ...principal, tokenId };
    },
  };
}

/** Who signed in with this browser, or null. Notes it as the principal of the request. */
export async function signedIn(access: Access, request: FastifyRequest): Promise<Principal | null> {
  const principal = await access.sessions.find(cookieOf(request, SESSION_COOKIE));
  if (principal !== null) setPrincipal(request, principal);
  return principal;
}

/**
 * Finds out who makes a request, by its bearer token or else by its session.
 * @returns null when nobody who is known
 * @throws Problem 403 `foreign_origin` for a session that a page of another origin uses
 */
export async function identify(access: Access, request: FastifyRequest): Promise<Principal | null> {
  const { authorization } = request.headers;
  if (authorization === undefined) {
    const principal = await signedIn(access, request);
    // The browser sends the cookie with requests of any page on this host, whatever its port.
    if (principal !== null && !isSameOrigin(request)) throw foreignOrigin();
    return principal;
  }
  const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  const principal = given === undefined ? null : await access.authenticate(given);
  if (principal !== null) setPrincipal(request, principal);
  return principal;
}

/**
 * Lets a caller through to the endpoint that was asked for. One that is not declared is the operator's alone.
 * @throws Problem 401 `not_signed_in`, 403 `role_too_low`, `wrong_tenant`
 */
export function requireAccess(
  principal: Principal | null,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const declared = request.routeOptions.config.declared ?? { role: 'admin', scope: 'all' };
  if (declared.role === null) return;
  if (principal === null) {
    reply.header('www-authenticate', 'Bearer');
    throw new Problem(
      401,
      'not_signed_in',
      'send "Authorization: Bearer <token>" with a token that is valid',
    );
  }
  requireRole(principal, declared.role);
  if (declared.scope === 'all') requireAllTenants(principal);
}
