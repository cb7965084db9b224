import { recallMemories } from '@slowwave/api';
import { RecallError } from '@slowwave/db';
import { ModelError } from '@slowwave/fusion';
import type { FastifyInstance } from 'fastify';
import { answerRecall } from '../memory-recall.ts';
import { whileConnected } from './connected.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';
import { unknownUser } from './users.ts';

/** What a user's memories have to say to a question. The question is in no log and no error. */
export function registerRecall(
  app: FastifyInstance,
  { database, embedder, now, stopping }: AppOptions,
): void {
  serve(app, recallMemories, async ({ tenant, body, request }) => {
    if (!embedder) throw noEmbedder();
    try {
      return await whileConnected(request, stopping, (signal) =>
        answerRecall({ database, embedder, at: now(), signal }, { ...body, tenant }),
      );
    } catch (error) {
      throw problemOf(error, stopping);
    }
  });
}

/** What an operator does about a service that embeds nothing. */
export function noEmbedder(): Problem {
  return new Problem(
    503,
    'no_embedder',
    'this service has nobody who embeds questions: set SLOWWAVE_EMBEDDER, and what belongs to it, for the producer as for the workers',
  );
}

function problemOf(error: unknown, stopping: AbortSignal): unknown {
  if (error instanceof RecallError) return unknownUser();
  if (stopping.aborted) return new Problem(503, 'stopping', 'the service is stopping; ask again later');
  if (!(error instanceof ModelError)) return error;
  const what = error.retryable
    ? 'try again later'
    : 'look at the SLOWWAVE_EMBEDDING settings and the key of the embedder';
  return new Problem(503, 'embedder_unavailable', `the embedder gave no answer (${error.code}): ${what}`);
}
