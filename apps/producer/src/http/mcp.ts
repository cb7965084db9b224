import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { idField, type Route, route } from '@slowwave/api';
import { createClient } from '@slowwave/client';
import { createMcpServer, watchNights } from '@slowwave/mcp';
import { errorFacts } from '@slowwave/queue';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseInput } from './input.ts';
import type { AppOptions } from './options.ts';
import { type Principal, principalOf } from './principal.ts';
import { Problem } from './problem.ts';

const params = z.object({ user: idField.optional() });
const query = z.strictObject({
  for: z.literal('chatgpt', { error: 'expected chatgpt, or nothing' }).optional(),
});

/** Not among the routes of the API: what it takes and answers is of the Model Context Protocol. */
const MCP_ROUTE: Route = route({
  operation: 'callMcp',
  method: 'POST',
  path: '/mcp',
  tag: 'service',
  summary: 'Call tools over MCP',
  role: 'read',
  scope: 'one',
  answers: {},
});

/** What one request brings along for the server that answers it. */
interface Caller {
  principal: Principal;
  token: string;
  user: string | null;
  forChatGpt: boolean;
}

/** Streams that one token may keep open. */
const MAX_SUBSCRIPTIONS = 100;

/** The tools, resources and prompts of MCP over HTTP: /mcp names the user in each call, /mcp/{user} is bound to one. */
export function registerMcp(app: FastifyInstance, options: AppOptions): void {
  const { version, logger, stopping, mcp: { createServer = createMcpServer, lookEveryMs } = {} } = options;
  const clientOf = (token: string) =>
    createClient({ url: 'http://localhost', token, fetch: within(app), retries: 0 });
  const newHandler = () =>
    createMcpHandler(
      ({ era, authInfo }) => {
        const { principal, token, user, forChatGpt } = authInfo!.extra as unknown as Caller;
        const { role, speaksForUser } = principal;
        // In the earlier revision a request ends with its answer.
        const tellsOfNights = era === 'modern' && user !== null;
        const client = clientOf(token);
        return createServer({
          client,
          user,
          role,
          speaksForUser,
          actor: null,
          forChatGpt,
          tellsOfNights,
          version,
        });
      },
      { onerror: (error) => logger.warn(errorFacts(error), 'a request over MCP was not understood') },
    );
  const handler = newHandler();
  const subscriptions = new Map<string, number>();

  /** A handler of its own for each stream: what is told to one caller never reaches another. */
  async function subscribed({ token, user }: Caller, leaves: AbortSignal): Promise<McpHttpHandler> {
    const open = subscriptions.get(token) ?? 0;
    if (open >= MAX_SUBSCRIPTIONS)
      throw new Problem(
        429,
        'rate_limited',
        `this token has ${open} subscriptions open; close one, or use webhooks`,
      );
    subscriptions.set(token, open + 1);
    const own = newHandler();
    const signal = AbortSignal.any([leaves, stopping]);
    const watch = await watchNights({
      client: clientOf(token),
      user: user!,
      signal,
      ...(lookEveryMs === undefined ? {} : { everyMs: lookEveryMs }),
      changed: (uri) => own.notify.resourceUpdated(uri),
    });
    void watch.over.then(() => {
      const left = subscriptions.get(token)! - 1;
      if (left > 0) subscriptions.set(token, left);
      else subscriptions.delete(token);
      return own.close();
    });
    return own;
  }

  app.addHook('onClose', () => handler.close());
  for (const url of ['/mcp', '/mcp/:user']) {
    app.route({
      method: ['POST', 'GET', 'DELETE'],
      url,
      config: { declared: MCP_ROUTE },
      async handler(request, reply) {
        const caller = callerOf(request, reply);
        const leaves = new AbortController();
        reply.raw.once('close', () => leaves.abort());
        const watches = caller.user !== null && isSubscription(request);
        const serving = watches ? await subscribed(caller, leaves.signal) : handler;
        return reply.send(await answer(serving, request, caller, leaves.signal));
      },
    });
  }
}

const isSubscription = ({ body }: FastifyRequest): boolean =>
  (body as { method?: unknown } | null | undefined)?.method === 'subscriptions/listen';

/** @throws Problem 401 `not_signed_in` without a token */
function callerOf(request: FastifyRequest, reply: FastifyReply): Caller {
  const { user = null } = parseInput(params, request.params, 'path');
  const forChatGpt = parseInput(query, request.query, 'query').for === 'chatgpt';
  const token = /^Bearer +(\S+)/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) {
    reply.header('www-authenticate', 'Bearer');
    throw new Problem(
      401,
      'not_signed_in',
      'send "Authorization: Bearer <token>"; a session is no login here',
    );
  }
  return { principal: principalOf(request), token, user, forChatGpt };
}

function answer(
  handler: McpHttpHandler,
  request: FastifyRequest,
  caller: Caller,
  signal: AbortSignal,
): Promise<Response> {
  const asked = new Request(new URL(request.url, 'http://localhost'), {
    method: request.method,
    headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && name !== 'content-length' ? [[name, value]] : [],
    ),
    signal,
  });
  const { token, principal } = caller;
  const authInfo = {
    token,
    clientId: principal.name,
    scopes: [`slowwave:${principal.role}`],
    extra: { ...caller },
  };
  // The body is read already, and is not written down once more to be read again.
  const given = request.method === 'POST' ? { authInfo, parsedBody: request.body } : { authInfo };
  return handler.fetch(asked, given);
}

/** Calls the routes of this service without a connection: with the limits, roles and refusals of any other caller. */
function within(app: FastifyInstance): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input));
    const headers = { ...Object.fromEntries(new Headers(init.headers)), host: 'localhost' };
    const answered = await app.inject({
      method: (init.method ?? 'GET') as 'GET',
      url: `${pathname}${search}`,
      headers,
      ...(typeof init.body === 'string' ? { payload: init.body } : {}),
    });
    const body = answered.statusCode === 204 ? null : answered.rawPayload;
    return new Response(body, {
      status: answered.statusCode,
      headers: Object.entries(answered.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
    });
  };
}
