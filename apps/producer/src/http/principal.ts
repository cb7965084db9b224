import { ROLES, type Role } from '@slowwave/api';
import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

/** Whoever makes a request. */
export interface Principal {
  /** For the journal and the log: "operator", or the name of a token. */
  name: string;
  /** Null: every tenant. */
  tenant: string | null;
  role: Role;
  /** Whether what it writes through an assistant may pass for the user's own word. */
  speaksForUser: boolean;
  /** Null: the operator's own token. */
  tokenId: string | null;
}

export const OPERATOR: Principal = {
  name: 'operator',
  tenant: null,
  role: 'admin',
  speaksForUser: false,
  tokenId: null,
};
/** Where no token is asked for. */
export const ANYBODY: Principal = {
  name: 'anybody',
  tenant: null,
  role: 'read',
  speaksForUser: false,
  tokenId: null,
};

const DEFAULT_TENANT = 'default';
const principals = new WeakMap<FastifyRequest, Principal>();

export function setPrincipal(request: FastifyRequest, principal: Principal): void {
  principals.set(request, principal);
}

/** @returns whoever was let in; ANYBODY on routes that let in everybody */
export function principalOf(request: FastifyRequest): Principal {
  return principals.get(request) ?? ANYBODY;
}

/** @throws Problem 403 `role_too_low` */
export function requireRole(principal: Principal, role: Role): void {
  if (ROLES.indexOf(principal.role) >= ROLES.indexOf(role)) return;
  throw new Problem(403, 'role_too_low', `this needs the role ${role}; the token has ${principal.role}`);
}

/** @throws Problem 403 `wrong_tenant`, for callers who are bound to one */
export function requireAllTenants(principal: Principal): void {
  if (principal.tenant === null) return;
  throw new Problem(
    403,
    'wrong_tenant',
    'this concerns all tenants, and the token is of one; use the operator token',
  );
}

/** The tenant that a request concerns. @throws Problem 403 `wrong_tenant` */
export function tenantFor(principal: Principal, asked: string | undefined): string {
  if (principal.tenant === null) return asked ?? DEFAULT_TENANT;
  if (asked === undefined || asked === principal.tenant) return principal.tenant;
  throw new Problem(403, 'wrong_tenant', 'the token is of another tenant');
}
