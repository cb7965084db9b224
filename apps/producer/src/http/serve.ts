import { type AnswerOf, type BodyOf, isRaw, type ParamsOf, type QueryOf, type Route } from '@slowwave/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseInput } from './input.ts';
import { type Principal, principalOf, tenantFor } from './principal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The declared endpoint that this address serves. */
    declared?: Route;
  }
}

/** A request whose parts are what the route declares, of a caller who may make it. */
export interface Call<R extends Route> {
  /** The caller's own, or the one that was asked for. */
  tenant: string;
  params: ParamsOf<R>;
  query: QueryOf<R>;
  body: BodyOf<R>;
  principal: Principal;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** How a route is served beyond what it declares. */
export interface ServeOptions {
  /** Bytes; absent: the service's own. */
  bodyLimit?: number;
  /** Whether its body may take hours. */
  longBody?: boolean;
}

/**
 * Serves one declared route: the parts of the request are read by its schemas, and its tenant is one that the caller may act in.
 * A route with several successes sets the status of its answer itself.
 */
export function serve<R extends Route>(
  app: FastifyInstance,
  declared: R,
  handle: (call: Call<R>) => Promise<AnswerOf<R>> | AnswerOf<R>,
  options: ServeOptions = {},
): void {
  const statuses = Object.keys(declared.answers).map(Number);
  app.route({
    method: declared.method,
    url: declared.path,
    config: { declared, longBody: options.longBody ?? false },
    ...(options.bodyLimit === undefined ? {} : { bodyLimit: options.bodyLimit }),
    handler: async (request, reply) => {
      const principal = principalOf(request);
      const params = declared.params ? parseInput(declared.params, request.params, 'path') : {};
      const query = declared.query ? parseInput(declared.query, request.query, 'query') : {};
      const body =
        declared.body && !isRaw(declared.body)
          ? parseInput(declared.body, request.body ?? (declared.bodyOptional ? {} : undefined), 'body')
          : request.body;
      const tenant = tenantFor(principal, askedTenant(params) ?? askedTenant(query) ?? askedTenant(body));
      if (statuses.length === 1) reply.code(statuses[0]!);
      const call = { tenant, params, query, body, principal, request, reply } as Call<R>;
      const user = askedUser(params) ?? askedUser(query) ?? askedUser(body) ?? null;
      const repeatable = { declared, tenant, user, principal, request, reply };
      const answer = await app.idempotency.once(repeatable, () => handle(call));
      return reply.sent || answer === reply ? reply : reply.send(answer);
    },
  });
}

const askedTenant = (part: unknown) => textIn(part, 'tenant');
const askedUser = (part: unknown) => textIn(part, 'user');

function textIn(part: unknown, field: 'tenant' | 'user'): string | undefined {
  const value = (part as Record<string, unknown> | null | undefined)?.[field];
  return typeof value === 'string' ? value : undefined;
}
