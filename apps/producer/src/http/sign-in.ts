import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Access, signedIn } from './access.ts';
import { cookieOf, isHttps, SESSION_COOKIE, sessionCookie } from './cookies.ts';
import { pagePolicy } from './headers.ts';
import type { LoginLimit } from './login-limit.ts';
import { loginPage, STYLE } from './pages.ts';
import { SESSION_MS } from './sessions.ts';

const FORM_MAX_BYTES = 8 * 1024;
const HOME = '/dashboard';
const NEXT_MAX = 1_000;

/**
 * Where to go after signing in: a path of ours, whatever was asked for. A browser reads "//host" and "/\host" as other hosts
 * and drops tabs and line breaks, so the address is put together from what the URL parser makes of it.
 */
export function ownPath(next: unknown): string {
  if (typeof next !== 'string' || next.length > NEXT_MAX || !next.startsWith('/')) return HOME;
  const base = 'http://own.invalid';
  if (!URL.canParse(next, base)) return HOME;
  const { origin, pathname, search } = new URL(next, base);
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}` : HOME;
}

/** Signing in and out: a token, the operator's or one of a tenant, opens a session, which a cookie carries. */
export function registerSignIn(app: FastifyInstance, access: Access, limit: LoginLimit): void {
  const policy = pagePolicy(STYLE);
  const show = (reply: FastifyReply, status: number, next: string, failure: string | null) =>
    reply
      .code(status)
      .header('content-security-policy', policy)
      .type('text/html; charset=utf-8')
      .send(loginPage(next, failure));

  app.get('/login', async (request, reply) => {
    const next = ownPath((request.query as { next?: unknown }).next ?? HOME);
    if ((await signedIn(access, request)) !== null) return reply.redirect(next, 302);
    return show(reply, 200, next, null);
  });

  app.register(async (forms) => {
    forms.removeAllContentTypeParsers();
    forms.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_MAX_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    );

    function refuse(request: FastifyRequest, reply: FastifyReply, next: string): FastifyReply {
      const blockedMs = limit.blockedFor(request.ip);
      if (blockedMs === 0) {
        limit.failed(request.ip);
        return show(reply, 401, next, 'That token is not valid here.');
      }
      const seconds = Math.ceil(blockedMs / 1000);
      reply.header('retry-after', String(seconds));
      return show(reply, 429, next, `Too many failed attempts. Try again in ${seconds} s.`);
    }

    forms.post('/login', async (request, reply) => {
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      const next = ownPath(form.get('next') ?? HOME);
      // The token comes first: callers who share an address, or the whole service, with one who guesses are still let in.
      const principal = await access.authenticate((form.get('token') ?? '').trim());
      if (principal === null) return refuse(request, reply, next);
      access.sessions.end(cookieOf(request, SESSION_COOKIE));
      const cookie = sessionCookie(access.sessions.open(principal), {
        maxAgeMs: SESSION_MS,
        secure: isHttps(request),
      });
      return reply.header('set-cookie', cookie).redirect(next, 303);
    });

    forms.post('/logout', async (request, reply) => {
      access.sessions.end(cookieOf(request, SESSION_COOKIE));
      const cookie = sessionCookie('', { maxAgeMs: 0, secure: isHttps(request) });
      return reply.header('set-cookie', cookie).redirect('/login', 303);
    });
  });
}
