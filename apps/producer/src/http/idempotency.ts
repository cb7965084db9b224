import { createHash } from 'node:crypto';
import { type Route, takesKey } from '@slowwave/api';
import { type Database, keepAnswer, type RepeatKey, releaseRepeat, reserveRepeat } from '@slowwave/db';
import { errorFacts } from '@slowwave/queue';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Principal } from './principal.ts';
import { Problem } from './problem.ts';

/** Larger answers are not kept. */
const ANSWER_MAX_CHARS = 1_000_000;
const KEY = /^[\x21-\x7e]{1,255}$/;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A request that may be made again, with what it concerns. */
export interface Repeatable {
  declared: Route;
  tenant: string;
  /** Null: it names no single user. */
  user: string | null;
  principal: Principal;
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface Idempotency {
  /**
   * Carries a request out, or answers it as it was answered when its key came before.
   * @throws Problem 400 `invalid_request`, 409 `idempotency_in_progress` and `answer_forgotten`, 422 `idempotency_key_reused`
   */
  once<T>(of: Repeatable, handle: () => Promise<T> | T): Promise<T>;
}

declare module 'fastify' {
  interface FastifyInstance {
    idempotency: Idempotency;
  }
}

/** Writes that carry an Idempotency-Key are done once, however often they come. Only answers of success are kept. */
export function createIdempotency(deps: {
  database: Database;
  logger: Logger;
  now: () => number;
}): Idempotency {
  const { database, logger, now } = deps;

  /** What cannot be recorded now is not worth failing a request that was carried out. */
  async function record(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      logger.warn(errorFacts(error), 'what became of a repeatable request could not be recorded');
    }
  }

  async function carryOut<T>(of: Repeatable, key: RepeatKey, at: number, handle: () => Promise<T> | T) {
    const { declared, reply, tenant } = of;
    const release = () =>
      record(() => database.withTenant(tenant, (tx) => releaseRepeat(tx, { ...key, at })));
    let body: T;
    try {
      body = await handle();
    } catch (error) {
      await release();
      throw error;
    }
    const status = reply.statusCode;
    if (status >= 300 || reply.sent || (body as unknown) === reply) {
      await release();
      return body;
    }
    const isKept = declared.secretAnswer !== true && (JSON.stringify(body) ?? '').length <= ANSWER_MAX_CHARS;
    const answer = isKept ? { body } : null;
    await record(() => database.withTenant(tenant, (tx) => keepAnswer(tx, { ...key, at, status, answer })));
    return body;
  }

  return {
    async once<T>(of: Repeatable, handle: () => Promise<T> | T): Promise<T> {
      const { declared, tenant, user, principal, request, reply } = of;
      const given = request.headers['idempotency-key'];
      if (given === undefined || !takesKey(declared)) return handle();
      const key = { tenant, caller: principal.tokenId ?? principal.name, key: sha256(keyOf(given)) };
      const requestHash = sha256(JSON.stringify([request.method, request.url, request.body ?? null]));
      const at = now();
      const found = await database.withTenant(tenant, (tx) =>
        reserveRepeat(tx, { ...key, requestHash, user, at }),
      );
      if (found.state === 'reserved') return carryOut(of, key, at, handle);
      if (found.state !== 'answered') throw refusalOf(found.state);
      if (found.answer === null) throw forgotten();
      reply.code(found.status).header('idempotent-replayed', 'true');
      return found.answer.body as T;
    },
  };
}

function keyOf(given: string | string[]): string {
  if (typeof given === 'string' && KEY.test(given)) return given;
  throw new Problem(
    400,
    'invalid_request',
    'the header Idempotency-Key is not as expected: expected 1 to 255 visible ASCII characters',
  );
}

function refusalOf(state: 'under_way' | 'other_request'): Problem {
  return state === 'under_way'
    ? new Problem(
        409,
        'idempotency_in_progress',
        'the first request with this Idempotency-Key is still under way; try again later',
        { retryable: true },
      )
    : new Problem(
        422,
        'idempotency_key_reused',
        'this Idempotency-Key was used for another request; use a new one for each request',
      );
}

function forgotten(): Problem {
  return new Problem(
    409,
    'answer_forgotten',
    'this request was carried out before; its answer is not kept: it held a secret, was very large, or something it was about was forgotten',
  );
}
