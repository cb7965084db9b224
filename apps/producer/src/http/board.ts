import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { errorFacts, QUEUE_NAMES, type QueueName, type Queues } from '@slowwave/queue';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { type Access, signedIn } from './access.ts';
import { jobLink } from './board-links.ts';
import { foreignOrigin, isOwnOrigin, isSameOrigin } from './gate.ts';
import { BOARD_POLICY, pagePolicy } from './headers.ts';
import type { AppOptions } from './options.ts';
import { refusalPage, STYLE } from './pages.ts';
import { requireAllTenants, requireRole } from './principal.ts';
import { Problem, problemOf, sendProblem } from './problem.ts';

const BASE = '/board';

/** What people read instead of the queues' own names. */
const QUEUE_TEXTS: Record<QueueName, { displayName: string; description: string }> = {
  light: {
    displayName: 'Light',
    description: 'Users whose light tier is due: expiries, crossings, embeddings.',
  },
  deep: { displayName: 'Deep', description: 'Users whose deep tier is due: decay and fusion.' },
  sleep: { displayName: 'Sleep', description: 'Users whose night has come.' },
  fusions: {
    displayName: 'Fusions',
    description:
      'Clusters whose fusion failed, each tried again on its own. Its failed list is the list of failed fusions.',
  },
  adhoc: { displayName: 'Requested runs', description: 'Runs that somebody asked for.' },
  ticks: {
    displayName: 'Ticks',
    description: 'The beats at which due users are looked up, one scheduler per tier.',
  },
};

/** Bull Board behind a session of the operator: it sees all tenants, and has no login of its own. */
export function registerBoard(app: FastifyInstance, options: AppOptions, access: Access): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('content-security-policy', BOARD_POLICY);
    const { origin, host } = request.headers;
    const isApi = request.routeOptions.url?.startsWith(`${BASE}/api/`) ?? true;
    // Answered here and not thrown: the board has an error handler of its own, for its own API.
    if (!isOwnOrigin(origin, host) || (isApi && !isSameOrigin(request))) {
      return sendProblem(reply, foreignOrigin());
    }
    const isPage = !isApi && request.method === 'GET';
    try {
      const principal = await signedIn(access, request);
      if (principal === null && isPage) {
        return reply.redirect(`/login?next=${encodeURIComponent(BASE)}`, 302);
      }
      if (principal === null) throw new Problem(401, 'not_signed_in', 'sign in at /login');
      requireRole(principal, 'admin');
      requireAllTenants(principal);
    } catch (error) {
      const problem = problemOf(error);
      return isPage ? sendRefusal(reply, problem) : sendProblem(reply, problem);
    }
  });
  // The page asks for web fonts of a third party, which the policy refuses; without the link nobody is asked.
  app.addHook('onSend', async (_request, reply, payload) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html');
    return isPage && typeof payload === 'string'
      ? payload.replace(/<link\b[^>]*\bhref="https?:[^>]*>/g, '')
      : payload;
  });
  app.register(boardPlugin(options), { prefix: BASE });
}

/** For people: their token lets them in, but not here. */
function sendRefusal(reply: FastifyReply, { status, message }: Problem): FastifyReply {
  return reply
    .code(status)
    .header('content-security-policy', pagePolicy(STYLE))
    .type('text/html; charset=utf-8')
    .send(refusalPage('Bull Board', message));
}

function boardPlugin({ queues, logger }: AppOptions) {
  const serverAdapter = new FastifyAdapter();
  serverAdapter.setBasePath(BASE);
  createBullBoard({
    queues: QUEUE_NAMES.map((name) => adapterOf(queues, name)),
    serverAdapter,
    options: {
      uiConfig: {
        boardTitle: 'Slowwave',
        hideDocsLink: true,
        miscLinks: [
          { text: 'Dashboard', url: '/dashboard' },
          { text: 'Start page', url: '/' },
        ],
        hideRedisDetails: queues.kind !== 'redis',
        // Workers inside this process have no connection of their own to be counted by.
        showWorkers: queues.kind !== 'embedded',
      },
      handlerHooks: {
        before: ({ method, route, request }) => {
          if (method !== 'get') audit(logger, `${method} ${route}`, request?.params);
          return { allow: true };
        },
      },
    },
  });
  // The board's own handler would show the message of whatever was thrown.
  serverAdapter.setErrorHandler((error) => {
    logger.error({ route: BASE, ...errorFacts(error) }, 'a request of the board failed');
    return { status: 500, body: { error: { key: 'ERRORS.INTERNAL_SERVER_ERROR' } } };
  });
  return serverAdapter.registerPlugin();
}

function adapterOf(queues: Queues, name: QueueName): BullMQAdapter {
  const queue = queues.queues[name];
  const adapter = new BullMQAdapter(queue, {
    ...QUEUE_TEXTS[name],
    externalJobUrl: ({ data }) => jobLink(name, data),
  });
  if (queues.kind === 'redis') return adapter;
  // What waits in a paused queue is counted apart on PostgreSQL, under a name that the board does not ask for.
  adapter.getJobCounts = async () => {
    const [counts, { waiting }] = await Promise.all([queue.getJobCounts(), queues.counts(name)]);
    return { ...counts, waiting: waiting - (counts.prioritized ?? 0) };
  };
  return adapter;
}

/** What an operator did, by route and ids. A job's data, which an operator may have typed, is not looked at. */
function audit(logger: Logger, action: string, params: unknown): void {
  const { queueName, jobId } = (params ?? {}) as { queueName?: unknown; jobId?: unknown };
  const queue = QUEUE_NAMES.find((name) => name === queueName) ?? null;
  const job = typeof jobId === 'string' && /^[\w:-]{1,100}$/.test(jobId) ? jobId : null;
  logger.info({ action, queue, job }, 'an operator acted on the board');
}
