import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, sendProblem } from './problem.ts';

/** How long a body may take from the head of its request on. */
export const BODY_MS = 30_000;
/** For imports and documents: over a slow line they may take hours; without any limit a silent client would stay forever. */
export const LONG_BODY_MS = 6 * 60 * 60_000;
/** More connections than these are closed at once. */
export const CONNECTIONS_MAX = 1_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body may take LONG_BODY_MS, once the caller was let in. */
    longBody?: boolean;
  }
}

const limits = new WeakMap<FastifyRequest, NodeJS.Timeout>();

/**
 * Ends the connection of a request whose body does not arrive in time, whether it was answered before or not. A caller who was not let in
 * cannot keep a connection by announcing a large body: it is closed with the answer.
 */
export function limitBodies(app: FastifyInstance, bodyMs: number): void {
  app.server.maxConnections = CONNECTIONS_MAX;
  app.addHook('onRequest', async (request, reply) => {
    if (!announcesBody(request)) return;
    const timer = setTimeout(() => endSlow(request, reply), bodyMs).unref();
    limits.set(request, timer);
    // The end of a body that a handler reads, and of a connection.
    for (const event of ['end', 'close']) request.raw.once(event, () => clearTimeout(timer));
  });
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode === 401) reply.header('connection', 'close');
  });
}

/** Lets the body of a caller who was let in take LONG_BODY_MS. */
export function allowLongBody(request: FastifyRequest): void {
  clearTimeout(limits.get(request));
}

function announcesBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function endSlow(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent) {
    request.raw.destroy();
    return;
  }
  reply.header('connection', 'close');
  sendProblem(reply, new Problem(408, 'body_too_slow', 'the body did not arrive in its time; send it again'));
}
