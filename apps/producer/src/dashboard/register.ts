import { errorFacts } from '@slowwave/queue';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Access, signedIn } from '../http/access.ts';
import { foreignOrigin, isOwnOrigin, isSameOrigin } from '../http/gate.ts';
import { DASHBOARD_POLICY } from '../http/headers.ts';
import type { Observation } from '../http/observe.ts';
import type { AppOptions } from '../http/options.ts';
import { requireRole } from '../http/principal.ts';
import { Problem, problemOf } from '../http/problem.ts';
import { readAssets, registerAssets } from './assets.ts';
import { createDesk } from './desk.ts';
import { createFormTokens } from './form-token.ts';
import { registerConflictPages } from './pages/conflicts.ts';
import { registerEvaluationPage } from './pages/evaluation.ts';
import { registerFailedPage } from './pages/failed.ts';
import { registerForgetPage } from './pages/forget.ts';
import { registerFusionPage } from './pages/fusion.ts';
import { registerMemoryPage } from './pages/memory.ts';
import { registerOverviewPage } from './pages/overview.ts';
import { problemPage } from './pages/problem.ts';
import { registerRecallPage } from './pages/recall.ts';
import { registerReviewsPage } from './pages/reviews.ts';
import { registerRunPage } from './pages/run.ts';
import { registerTakeBackPage } from './pages/take-back.ts';
import { registerUserPage } from './pages/user.ts';
import { registerUsersPage } from './pages/users.ts';

const FORM_MAX_BYTES = 64 * 1024;
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M2 15c2.2 0 2.2-7 5-7s2.4 9 5 9 2.3-11 5-11 2.4 9 5 9" fill="none" stroke="#5566d6" stroke-width="2.4" stroke-linecap="round"/></svg>`;

/**
 * The dashboard: pages made on the server, for whoever is signed in. It needs no script; the one it has makes it more comfortable.
 * @param app a scope of its own
 */
export function registerDashboard(
  app: FastifyInstance,
  options: AppOptions,
  access: Access,
  observe: () => Promise<Observation>,
): void {
  const assets = readAssets();
  registerAssets(app, assets);
  app.get('/dashboard/icon.svg', async (_request, reply) => reply.type('image/svg+xml').send(ICON));
  app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => letIn(access, request, reply));
    pages.setErrorHandler((error, request, reply) => {
      const problem = problemOf(error);
      if (problem.status >= 500) {
        const route = request.routeOptions.url ?? 'unknown';
        options.logger.error({ method: request.method, route, ...errorFacts(error) }, 'a page failed');
      }
      return reply
        .code(problem.status)
        .type('text/html; charset=utf-8')
        .send(problemPage(assets, problem, request));
    });
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_MAX_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    );
    const desk = createDesk(pages, { options, assets, tokens: createFormTokens() });
    registerOverviewPage(desk, options, observe);
    registerUsersPage(desk, options);
    registerUserPage(desk, options);
    registerRecallPage(desk, options);
    registerRunPage(desk, options);
    registerFusionPage(desk, options);
    registerMemoryPage(desk, options);
    registerForgetPage(desk, options);
    registerTakeBackPage(desk, options);
    registerReviewsPage(desk);
    registerConflictPages(desk, options);
    registerFailedPage(desk);
    registerEvaluationPage(desk);
  });
}

/** @throws Problem 403 `foreign_origin`, `role_too_low`; 401 for a form without a session */
async function letIn(access: Access, request: FastifyRequest, reply: FastifyReply) {
  reply.header('content-security-policy', DASHBOARD_POLICY);
  const { origin, host } = request.headers;
  if (!isOwnOrigin(origin, host) || !isSameOrigin(request)) throw foreignOrigin();
  const principal = await signedIn(access, request);
  if (principal !== null) return requireRole(principal, 'read');
  if (request.method !== 'GET')
    throw new Problem(401, 'not_signed_in', 'your session has ended; sign in again');
  return reply.redirect(`/login?next=${encodeURIComponent(request.url)}`, 302);
}
