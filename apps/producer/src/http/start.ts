import { TIERS } from '@slowwave/fusion';
import type { FastifyInstance } from 'fastify';
import { type Access, signedIn } from './access.ts';
import { isHttps } from './cookies.ts';
import { pagePolicy } from './headers.ts';
import type { AppOptions } from './options.ts';
import { STYLE, startPage } from './pages.ts';

const DATABASES = { embedded: 'embedded', server: 'PostgreSQL' } as const;
const QUEUES = { embedded: 'embedded', postgres: 'PostgreSQL', redis: 'Redis' } as const;

/** The page that says what runs and where to go. */
export function registerStart(app: FastifyInstance, options: AppOptions, access: Access): void {
  const policy = pagePolicy(STYLE);
  app.get('/', async (request, reply) => {
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8');
    return startPage({
      version: options.version,
      database: DATABASES[options.database.kind],
      queue: QUEUES[options.queues.kind],
      tickSeconds: options.tickMs / 1000,
      queueCap: options.queueCap,
      tiers: TIERS,
      origin: `${isHttps(request) ? 'https' : 'http'}://${request.headers.host}`,
      signedIn: (await signedIn(access, request)) !== null,
    });
  });
}
