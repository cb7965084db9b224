import { createMemories, createMemory } from '@slowwave/api';
import { type GivenMemory, type GivenResult, writeGiven } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

/** 500 memories of 4,000 characters that JSON writes as four bytes each. */
export const BULK_MAX_BYTES = 8 * 1024 * 1024;

/** Reasons that lie with what is stored, not with what was given. */
const AS_THINGS_STAND = new Set(['id_taken', 'forgotten']);

/** Writing memories, one or many in one transaction, as an import writes its lines. */
export function registerMemoryWrites(app: FastifyInstance, options: AppOptions): void {
  serve(app, createMemory, async ({ tenant, body, reply }) => {
    const { tenant: _asked, ...memory } = body;
    const {
      outcomes,
      usersCreated: _made,
      ...relations
    } = await write(options, { tenant, memories: [memory] });
    const outcome = outcomes[0]!;
    if (outcome.status === 'refused') {
      const { code, message } = outcome;
      if (AS_THINGS_STAND.has(code)) throw new Problem(409, code, message);
      throw new Problem(400, 'invalid_request', `the body is not as expected: ${message}`);
    }
    reply.code(outcome.status === 'written' ? 201 : 200);
    return { tenant, ...outcome, ...relations };
  });

  serve(
    app,
    createMemories,
    async ({ tenant, body: { user, memories } }) => {
      const { outcomes, ...rest } = await write(options, { tenant, user, memories });
      return { tenant, ...countsOf(outcomes), ...rest, memories: outcomes.map(shown) };
    },
    { bodyLimit: BULK_MAX_BYTES },
  );
}

async function write(
  { database, now, logger, maxMemoryChars }: AppOptions,
  input: { tenant: string; user?: string | undefined; memories: readonly GivenMemory[] },
): Promise<GivenResult> {
  const result = await database.withTenant(input.tenant, (tx) =>
    writeGiven(tx, { ...input, at: now(), maxContentChars: maxMemoryChars }),
  );
  const { outcomes, usersCreated } = result;
  logger.info({ tenant: input.tenant, ...countsOf(outcomes), usersCreated }, 'memories written');
  return result;
}

function countsOf(outcomes: GivenResult['outcomes']) {
  const counts = { written: 0, known: 0, refused: 0 };
  for (const { status } of outcomes) counts[status]++;
  return counts;
}

function shown(outcome: GivenResult['outcomes'][number]) {
  const { status, user, externalId } = outcome;
  if (outcome.status !== 'refused') return { status, user, id: outcome.id, externalId, problem: null };
  const { code, field, message: detail } = outcome;
  return { status, user, id: null, externalId, problem: { code, field, detail } };
}
