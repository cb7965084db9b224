import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

interface HostName {
  name: string;
  port: string | null;
}

function hostOf(header: string | undefined): HostName | null {
  const match = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,252}[a-z0-9])?)(?::(\d{1,5}))?$/i.exec(
    header ?? '',
  );
  return match ? { name: match[1]!.toLowerCase(), port: match[2] ?? null } : null;
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/**
 * Whether a Host header names this service. A web page whose name was made to point at this machine (DNS rebinding) sends its
 * own name; loopback names and those in the list are ours. The port is not compared for loopback, since it may be forwarded.
 * @param allowed names, each with or without a port
 */
export function isOwnHost(header: string | undefined, allowed: readonly string[]): boolean {
  const host = hostOf(header);
  if (host === null) return false;
  if (isLoopback(host.name)) return true;
  const withPort = `${host.name}:${host.port}`;
  return allowed.some((entry) => entry.toLowerCase() === host.name || entry.toLowerCase() === withPort);
}

/** Whether an Origin header, when there is one, names the same host as the Host header. */
export function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, host: from } = new URL(origin);
  return /^https?:$/.test(protocol) && from === (host ?? '').toLowerCase();
}

type Headers = Pick<FastifyRequest, 'headers' | 'method'>;

/**
 * Whether a request may act on an operator's behalf: from our own pages, or from no page at all. Opening a page from a link
 * elsewhere is allowed; the browser then withholds the session.
 */
export function isSameOrigin(request: Headers): boolean {
  const { origin, host } = request.headers;
  if (!isOwnOrigin(origin, host)) return false;
  const site = request.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return request.method === 'GET' && request.headers['sec-fetch-mode'] === 'navigate';
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The check that every request passes first. @returns 421 `unknown_host`, 403 `foreign_origin`, or null */
export function sourceProblem(request: Headers, allowedHosts: readonly string[]): Problem | null {
  if (!isOwnHost(request.headers.host, allowedHosts)) {
    return new Problem(
      421,
      'unknown_host',
      'this service is not known under the Host that was asked for; use localhost, or add the name to SLOWWAVE_HTTP_ALLOWED_HOSTS',
    );
  }
  return READING.has(request.method) || isSameOrigin(request) ? null : foreignOrigin();
}

export function foreignOrigin(): Problem {
  return new Problem(403, 'foreign_origin', 'requests from pages of another origin are refused');
}
