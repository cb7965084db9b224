import { errorFacts } from '@slowwave/queue';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { registerDashboard } from '../dashboard/register.ts';
import { createAccess, identify, requireAccess } from './access.ts';
import { registerBoard } from './board.ts';
import { charsetProblem, readJsonBodies } from './body.ts';
import { allowLongBody, BODY_MS, LONG_BODY_MS, limitBodies } from './body-time.ts';
import { registerConflicts } from './conflicts.ts';
import { registerConsolidations } from './consolidations.ts';
import { registerEdits } from './edits.ts';
import { registerEstimate } from './estimate.ts';
import { registerEvaluations } from './evaluations.ts';
import { registerExport } from './export.ts';
import { registerForgetting } from './forgetting.ts';
import { registerFusions } from './fusions.ts';
import { sourceProblem } from './gate.ts';
import { setSecurityHeaders } from './headers.ts';
import { registerHealth } from './health.ts';
import { registerHolds } from './holds.ts';
import { createIdempotency } from './idempotency.ts';
import { registerImports } from './imports.ts';
import { registerJournal } from './journal.ts';
import { createLoginLimit } from './login-limit.ts';
import { registerMcp } from './mcp.ts';
import { registerMemories } from './memories.ts';
import { measureRequests, registerMetrics } from './metrics.ts';
import { createObserver } from './observe.ts';
import { registerOpenApi } from './openapi.ts';
import type { AppOptions } from './options.ts';
import { Problem, problemOf, sendProblem } from './problem.ts';
import { createRateLimit } from './rate-limit.ts';
import { registerReviews } from './reviews.ts';
import { registerRuns } from './runs.ts';
import { registerSignIn } from './sign-in.ts';
import { registerStart } from './start.ts';
import { registerTenantSettings } from './tenant-settings.ts';
import { registerTokens } from './tokens.ts';
import { registerUndo } from './undo.ts';
import { registerUsage } from './usage.ts';
import { registerUsers } from './users.ts';
import { registerWebhooks } from './webhooks.ts';
import { registerWorkspaces } from './workspaces.ts';

/** A user's id of the greatest length, each of its code points escaped. */
const PATH_PART_MAX = 200 * '%F0%9F%90%95'.length;

/** A number of proxies: so many of the addresses before the caller's are theirs. */
function proxiesOf(trusted: NonNullable<AppOptions['trustProxy']>) {
  return typeof trusted === 'number' ? (_address: string, hop: number) => hop < trusted : trusted;
}

/** The operator's HTTP service. Nothing of a request is logged but its method, its route and its outcome. */
export function createApp(options: AppOptions): FastifyInstance {
  const access = createAccess(options);
  const app = Fastify({
    logger: false,
    bodyLimit: options.bodyMaxBytes,
    requestTimeout: LONG_BODY_MS,
    trustProxy: proxiesOf(options.trustProxy ?? false),
    routerOptions: { maxParamLength: PATH_PART_MAX },
    // Such a URL reached no route and no hook.
    frameworkErrors: (_error, _request, reply) => {
      setSecurityHeaders(reply);
      sendProblem(reply, new Problem(400, 'invalid_request', 'the address cannot be read'));
    },
  });
  limitBodies(app, options.bodyMs ?? BODY_MS);
  app.addHook('onRequest', async (request, reply) => {
    setSecurityHeaders(reply);
    // Answered here and not thrown: a part of the service may have an error handler of its own.
    const problem = sourceProblem(request, options.allowedHosts) ?? charsetProblem(request);
    if (problem !== null) return sendProblem(reply, problem);
  });
  readJsonBodies(app);
  app.decorate('idempotency', createIdempotency(options));
  logRequests(app, options.logger);
  measureRequests(app, options);
  handleErrors(app, options.logger);

  const observe = createObserver(options);
  registerHealth(app, options, observe);
  registerStart(app, options, access);
  registerSignIn(app, access, createLoginLimit(options.now));
  app.register(async (api) => {
    const limit = await createRateLimit(api, options.ratePerMinute);
    api.addHook('onRequest', async (request, reply) => {
      const principal = await identify(access, request);
      await limit(request, reply);
      requireAccess(principal, request, reply);
      if (request.routeOptions.config.longBody) allowLongBody(request);
    });
    registerConsolidations(api, options);
    registerUsers(api, options);
    registerRuns(api, options);
    registerUsage(api, options);
    registerEstimate(api, options);
    registerFusions(api, options);
    registerReviews(api, options);
    registerImports(api, options);
    registerExport(api, options);
    registerHolds(api, options);
    registerTenantSettings(api, options);
    registerEvaluations(api, options);
    registerMemories(api, options);
    registerForgetting(api, options);
    registerConflicts(api, options);
    registerUndo(api, options);
    registerJournal(api, options);
    registerEdits(api, options);
    registerWorkspaces(api, options);
    registerTokens(api, options);
    registerOpenApi(api, options.version);
    registerWebhooks(api, options);
    registerMcp(api, options);
    registerMetrics(api, options, observe);
  });
  app.register(async (dashboard) => registerDashboard(dashboard, options, access, observe));
  app.register(async (board) => registerBoard(board, options, access));
  return app;
}

function logRequests(app: FastifyInstance, logger: Logger): void {
  app.addHook('onResponse', async (request, reply) => {
    const facts = {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
    };
    // Health checks and metrics come every few seconds, and open pages ask for their files and fresh counts all the time.
    const quiet =
      reply.statusCode < 400 &&
      /^\/(?:health|metrics|board|dashboard|openapi\.json)/.test(facts.route) &&
      request.method === 'GET';
    logger[quiet ? 'debug' : 'info'](facts, 'request');
  });
}

function handleErrors(app: FastifyInstance, logger: Logger): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error);
    if (problem.status >= 500) {
      const route = request.routeOptions.url ?? 'unknown';
      logger.error({ method: request.method, route, ...errorFacts(error) }, 'a request failed');
    }
    return sendProblem(reply, problem);
  });
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(reply, new Problem(404, 'unknown_route', 'there is nothing at this address')),
  );
}
