import { recallMemories } from '@slowwave/api';
import { RecallError, type RecallResult, recall } from '@slowwave/db';
import { CHARS_PER_TOKEN, ModelError } from '@slowwave/fusion';
import type { FastifyInstance } from 'fastify';
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
    const { maxTokens, maxChars, explain, tenant: _tenant, ...asked } = body;
    const chars = [maxChars, maxTokens && maxTokens * CHARS_PER_TOKEN].filter(
      (budget) => budget !== undefined,
    );
    const budget = chars.length > 0 ? { maxChars: Math.min(...chars) } : {};
    try {
      const found = await whileConnected(request, stopping, (signal) =>
        recall(database, embedder, { ...asked, ...budget, tenant, at: now(), signal }),
      );
      return { tenant, user: body.user, memories: found.map((memory) => viewOf(memory, explain)) };
    } catch (error) {
      throw problemOf(error, stopping);
    }
  });
}

function viewOf({ counts, inSources, size, parts, ...memory }: RecallResult, explain: boolean) {
  return explain ? { ...memory, parts } : memory;
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
