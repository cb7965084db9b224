import { errorFacts } from '@slowwave/queue';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { registerBoard } from './board.ts';
import { registerConflicts } from './conflicts.ts';
import { registerConsolidations } from './consolidations.ts';
import { registerEdits } from './edits.ts';
import { registerExport } from './export.ts';
import { registerForgetting } from './forgetting.ts';
import { sourceProblem } from './gate.ts';
import { setSecurityHeaders } from './headers.ts';
import { registerHealth } from './health.ts';
import { registerHolds } from './holds.ts';
import { registerImports } from './imports.ts';
import { registerJournal } from './journal.ts';
import { createLoginLimit } from './login-limit.ts';
import { registerMemories } from './memories.ts';
import { registerMetrics } from './metrics.ts';
import { createObserver } from './observe.ts';
import { createOperator, requireOperator } from './operator.ts';
import type { AppOptions } from './options.ts';
import { Problem, problemOf, sendProblem } from './problem.ts';
import { registerReviews } from './reviews.ts';
import { createSessions } from './sessions.ts';
import { registerSignIn } from './sign-in.ts';
import { registerStart } from './start.ts';
import { registerUndo } from './undo.ts';
import { registerUsers } from './users.ts';
import { registerWorkspaces } from './workspaces.ts';

const BODY_MAX_BYTES = 1024 * 1024;
/** A user's id of the greatest length, each of its code points escaped. */
const PATH_PART_MAX = 200 * '%F0%9F%90%95'.length;
/** A large import over a slow line may take hours; without any limit a silent client would stay forever. */
const REQUEST_TIMEOUT_MS = 6 * 60 * 60_000;

/** The operator's HTTP service. Nothing of a request is logged but its method, its route and its outcome. */
export function createApp(options: AppOptions): FastifyInstance {
  const operator = createOperator(options.operatorToken, createSessions(options.now));
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: PATH_PART_MAX },
    // Such a URL reached no route and no hook.
    frameworkErrors: (_error, _request, reply) => {
      setSecurityHeaders(reply);
      sendProblem(reply, new Problem(400, 'invalid_request', 'the address cannot be read'));
    },
  });
  app.addHook('onRequest', async (request, reply) => {
    setSecurityHeaders(reply);
    // Answered here and not thrown: a part of the service may have an error handler of its own.
    const problem = sourceProblem(request, options.allowedHosts);
    if (problem !== null) return sendProblem(reply, problem);
  });
  logRequests(app, options.logger);
  handleErrors(app, options.logger);

  const observe = createObserver(options);
  registerHealth(app, options, observe);
  registerStart(app, options, operator);
  registerSignIn(app, operator, createLoginLimit(options.now));
  app.register(async (api) => {
    api.addHook('onRequest', async (request, reply) => requireOperator(operator, request, reply));
    registerConsolidations(api, options);
    registerUsers(api, options);
    registerReviews(api, options);
    registerImports(api, options);
    registerExport(api, options);
    registerHolds(api, options);
    registerMemories(api, options);
    registerForgetting(api, options);
    registerConflicts(api, options);
    registerUndo(api, options);
    registerJournal(api, options);
    registerEdits(api, options);
    registerWorkspaces(api, options);
    registerMetrics(api, observe);
  });
  app.register(async (board) => registerBoard(board, options, operator));
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
    // Health checks and metrics come every few seconds, and the board asks for its own files and counts all the time.
    const quiet =
      reply.statusCode < 400 && /^\/(?:health|metrics|board)/.test(facts.route) && request.method === 'GET';
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
