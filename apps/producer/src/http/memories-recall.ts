import { recallMemories } from '@slowwave/api';
import { RecallError } from '@slowwave/db';
import { ModelError } from '@slowwave/fusion';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { answerRecall, type RecallAnswer, type RecallQuestion } from '../memory-recall.ts';
import { whileConnected } from './connected.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';
import { unknownUser } from './users.ts';

export function registerRecall(app: FastifyInstance, options: AppOptions): void {
  serve(app, recallMemories, ({ tenant, body, request }) => recallFor(options, request, { ...body, tenant }));
}

/**
 * What a user's memories have to say to a question, for as long as the caller is connected. The question is in no log and no error.
 * @throws Problem 404 `unknown_user`; 503 `no_embedder`, `stopping`
 */
export async function recallFor(
  { database, embedder, budget, logger, now, stopping }: AppOptions,
  request: FastifyRequest,
  question: RecallQuestion,
): Promise<RecallAnswer> {
  if (!embedder) throw noEmbedder();
  try {
    const answer = await whileConnected(request, stopping, (signal) =>
      answerRecall({ database, embedder, budget, at: now(), signal }, question),
    );
    if (answer.degraded && answer.reason !== 'budget') {
      const { method, routeOptions } = request;
      logger.error({ method, route: routeOptions.url, code: answer.reason }, 'the embedder gave no answer');
    }
    return answer;
  } catch (error) {
    throw problemOf(error);
  }
}

/** What an operator does about a service that embeds nothing. */
export function noEmbedder(): Problem {
  return new Problem(
    503,
    'no_embedder',
    'this service has nobody who embeds questions: set SLOWWAVE_EMBEDDER, and what belongs to it, for the producer as for the workers',
  );
}

function problemOf(error: unknown): unknown {
  if (error instanceof RecallError) return unknownUser();
  if (!(error instanceof ModelError)) return error;
  return new Problem(503, 'stopping', 'the service is stopping; ask again later');
}
