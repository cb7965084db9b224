import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANYBODY, principalOf } from './principal.ts';
import { Problem } from './problem.ts';

const WINDOW_MS = 60_000;
/** Callers that are counted at the same time; the one counted longest ago is forgotten first. */
const CALLERS_MAX = 10_000;
/** Asked for every few seconds by systems that watch. */
const FREE = new Set(['/metrics']);

/** Counts a request. @throws Problem 429 `rate_limited` */
export type RateLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * The limit of requests in a minute, for each token, and for each address of callers without a valid one. Counted in this process.
 * @param perMinute 0: no limit
 */
export async function createRateLimit(app: FastifyInstance, perMinute: number): Promise<RateLimit> {
  if (perMinute === 0) return async () => {};
  await app.register(rateLimit, { global: false, cache: CALLERS_MAX });
  const count = app.createRateLimit({
    max: perMinute,
    timeWindow: WINDOW_MS,
    keyGenerator: callerOf,
  });
  return async (request, reply) => {
    if (FREE.has(request.routeOptions.url ?? '')) return;
    const counted = await count(request);
    if (counted.isAllowed) return;
    const { max, remaining, ttlInSeconds, isExceeded } = counted;
    reply.headers({
      'ratelimit-limit': String(max),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(ttlInSeconds),
    });
    if (!isExceeded) return;
    reply.header('retry-after', String(ttlInSeconds));
    throw new Problem(
      429,
      'rate_limited',
      `more than ${max} requests in a minute; try again in ${ttlInSeconds} s`,
    );
  };
}

function callerOf(request: FastifyRequest): string {
  const principal = principalOf(request);
  if (principal === ANYBODY) return `address ${request.ip}`;
  return principal.tokenId === null ? 'operator' : `token ${principal.tokenId}`;
}
