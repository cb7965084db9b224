import type { Environment } from '@slowwave/config';
import { UsageError } from './usage-error.ts';

/** A service somewhere else. */
export interface Remote {
  /** Scheme, host and port. */
  url: string;
  /** Of a tenant or of the operator. */
  token: string;
}

/**
 * Stands for a tenant that nobody named: what is asked of a service without a tenant is about the one of the token, or about "default"
 * where the token is the operator's.
 */
export const OWN_TENANT = '(own)';

/** The settings that say where to ask; they are no part of a service's own configuration. */
const SETTINGS = ['SLOWWAVE_URL', 'SLOWWAVE_TOKEN'] as const;

/** The environment of a service: what says where commands ask is not for it. */
export function withoutRemote(environment: Environment): Environment {
  const rest = { ...environment };
  for (const name of SETTINGS) delete (rest as Record<string, unknown>)[name];
  return rest;
}

/**
 * The service that was named on the command line or in the environment; null where none was.
 * @throws UsageError for an address that is none, or without a token
 */
export function remoteOf(
  given: { url?: string | undefined; token?: string | undefined },
  environment: Environment,
): Remote | null {
  const url = given.url ?? environment.SLOWWAVE_URL?.trim();
  const token = given.token ?? environment.SLOWWAVE_TOKEN?.trim();
  if (!url) {
    if (given.token === undefined) return null;
    throw new UsageError('--token goes with --url, or with SLOWWAVE_URL: which service is it for?');
  }
  if (!token)
    throw new UsageError(`a token is needed to ask ${shown(url)}: set SLOWWAVE_TOKEN, or say --token`);
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isPlain =
    parsed !== null &&
    ['http:', 'https:'].includes(parsed.protocol) &&
    parsed.username === '' &&
    parsed.password === '' &&
    parsed.search === '' &&
    parsed.pathname === '/';
  if (!isPlain) throw new UsageError('the address of a service is expected as https://slowwave.example:8787');
  return { url: parsed.origin, token };
}

/** An address may carry a password. */
const shown = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'the service');

/** Takes the tenant that nobody named out of an address and a body. */
export function withoutOwnTenant(path: string, body: unknown): { path: string; body: unknown } {
  const address = new URL(path, 'http://service');
  if (address.pathname.includes(encodeURIComponent(OWN_TENANT))) {
    throw new UsageError('which tenant? Say so with --tenant');
  }
  if (address.searchParams.get('tenant') === OWN_TENANT) address.searchParams.delete('tenant');
  return { path: `${address.pathname}${address.search}`, body: bodyWithout(body) };
}

function bodyWithout(body: unknown): unknown {
  // Only what we wrote ourselves is text; imports are streams.
  if (typeof body !== 'string') return body;
  const { tenant, ...rest } = JSON.parse(body) as Record<string, unknown>;
  return tenant === OWN_TENANT ? JSON.stringify(rest) : body;
}
