import type { FastifyRequest } from 'fastify';

export const SESSION_COOKIE = 'slowwave_session';

/** The value of one cookie, or null. The first one counts when it is there more than once. */
export function cookieOf(request: Pick<FastifyRequest, 'headers'>, name: string): string | null {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [key, ...value] = part.split('=');
    if (key?.trim() === name) return value.join('=').trim();
  }
  return null;
}

/** A Set-Cookie header for the session; an empty id ends it. */
export function sessionCookie(id: string, options: { maxAgeMs: number; secure: boolean }): string {
  const seconds = id === '' ? 0 : Math.floor(options.maxAgeMs / 1000);
  const attributes = [`Max-Age=${seconds}`, 'Path=/', 'HttpOnly', 'SameSite=Strict'];
  if (options.secure) attributes.push('Secure');
  return [`${SESSION_COOKIE}=${id}`, ...attributes].join('; ');
}

/** Whether the browser speaks https, to us or to a proxy in front. A client that lies here only harms its own cookie. */
export function isHttps(request: Pick<FastifyRequest, 'headers' | 'protocol'>): boolean {
  const forwarded = request.headers['x-forwarded-proto'];
  return (
    request.protocol === 'https' ||
    String(forwarded ?? '')
      .split(',')[0]
      ?.trim() === 'https'
  );
}
