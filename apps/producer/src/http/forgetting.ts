import { type ForgetResult, type ForgetTarget, forget } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { idSchema, parseInput, tenantSchema } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';

const idPath = z.object({ id: idSchema });
const userPath = z.object({ user: idSchema });
const commonFields = {
  tenant: tenantSchema,
  /** Tells what would go, and writes nothing. */
  dryRun: z.boolean({ error: 'expected true or false' }).default(false),
  /** Who asks for it, for whoever looks at the journal later. */
  by: idSchema.default('operator'),
};
const partBody = z.strictObject({ ...commonFields, user: idSchema });
const userBody = z.strictObject({ ...commonFields, confirm: idSchema.optional() });

interface Asked {
  tenant: string;
  user: string;
  target: ForgetTarget;
  dryRun: boolean;
  by: string;
}

/** Forgetting a memory, a session or a user for good. Answers with what went, or would go, and what stands for itself again. */
export function registerForgetting(app: FastifyInstance, options: AppOptions): void {
  app.post('/v1/memories/:id/forget', async (request) => {
    const { id } = parseInput(idPath, request.params, 'path');
    const body = parseInput(partBody, request.body ?? {}, 'body');
    return carryOut(options, { ...body, target: { memory: id } });
  });

  app.post('/v1/sessions/:id/forget', async (request) => {
    const { id } = parseInput(idPath, request.params, 'path');
    const body = parseInput(partBody, request.body ?? {}, 'body');
    return carryOut(options, { ...body, target: { session: id } });
  });

  app.post('/v1/users/:user/forget', async (request) => {
    const { user } = parseInput(userPath, request.params, 'path');
    const { confirm, ...body } = parseInput(userBody, request.body ?? {}, 'body');
    if (confirm !== user && !body.dryRun) {
      throw new Problem(
        409,
        'not_confirmed',
        'this forgets the user and everything about them for good: name the user once more as "confirm"',
      );
    }
    return carryOut(options, { ...body, user, target: { user: true } });
  });
}

async function carryOut(
  { database, now, logger }: AppOptions,
  { tenant, user, target, dryRun, by }: Asked,
): Promise<{ tenant: string; user: string } & ForgetResult> {
  const result = await forget(database, {
    tenant,
    user,
    target,
    at: now(),
    actor: by,
    checkOnly: dryRun,
  });
  if (!dryRun) {
    // Not which one: its id stands in one place only from now on.
    const facts = { what: Object.keys(target)[0], memories: result.removed.memories.length };
    logger.info({ tenant, ...facts, changeSetId: result.changeSetId }, 'an operator had something forgotten');
  }
  return { tenant, user, ...result };
}
