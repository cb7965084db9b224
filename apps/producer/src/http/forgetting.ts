import { forgetMemory, forgetSession, forgetUser } from '@slowwave/api';
import { type ForgetResult, type ForgetTarget, forget } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

interface Asked {
  tenant: string;
  user: string;
  target: ForgetTarget;
  dryRun: boolean;
  actor: string;
}

/** Forgetting a memory, a session or a user for good. Answers with what went, or would go, and what stands for itself again. */
export function registerForgetting(app: FastifyInstance, options: AppOptions): void {
  serve(app, forgetMemory, ({ tenant, params: { id }, body: { user, dryRun, by }, principal }) =>
    carryOut(options, { tenant, user, target: { memory: id }, dryRun, actor: by ?? principal.name }),
  );

  serve(app, forgetSession, ({ tenant, params: { id }, body: { user, dryRun, by }, principal }) =>
    carryOut(options, { tenant, user, target: { session: id }, dryRun, actor: by ?? principal.name }),
  );

  serve(app, forgetUser, ({ tenant, params: { user }, body: { confirm, dryRun, by }, principal }) => {
    if (confirm !== user && !dryRun) {
      throw new Problem(
        409,
        'not_confirmed',
        'this forgets the user and everything about them for good: name the user once more as "confirm"',
      );
    }
    return carryOut(options, { tenant, user, target: { user: true }, dryRun, actor: by ?? principal.name });
  });
}

async function carryOut(
  { database, now, logger }: AppOptions,
  { tenant, user, target, dryRun, actor }: Asked,
): Promise<{ tenant: string; user: string } & ForgetResult> {
  const asked = { tenant, user, target, at: now(), actor, checkOnly: dryRun };
  const result = await forget(database, asked);
  if (!dryRun) {
    // Not which one: its id stands in one place only from now on.
    const facts = { what: Object.keys(target)[0], memories: result.removed.memories.length };
    logger.info({ tenant, ...facts, changeSetId: result.changeSetId }, 'an operator had something forgotten');
  }
  return { tenant, user, ...result };
}
