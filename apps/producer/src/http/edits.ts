import { editMemory, traceMemory } from '@slowwave/api';
import { EditRefused, editMemory as edit, lineageOf } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { unknownMemory } from './memories-problem.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

/** A person's own words in place of what stands there, and where a memory comes from. */
export function registerEdits(app: FastifyInstance, options: AppOptions): void {
  const { database, logger, now, maxMemoryChars: maxContentChars } = options;
  serve(app, editMemory, async ({ tenant, params: { id }, body, principal }) => {
    const { tenant: _asked, user, by, ...wanted } = body;
    const actor = by ?? principal.name;
    const result = await database
      .withTenant(tenant, (tx) =>
        edit(tx, { tenant, user, id, at: now(), actor, maxContentChars, ...wanted }),
      )
      .catch((error: unknown) => {
        throw error instanceof EditRefused ? problemOfEdit(error) : error;
      });
    if (result === null) throw unknownMemory();
    const { version, before, undoneFusion, reopened } = result;
    logger.info(
      { tenant, user, memory: result.id, before, version, undoneFusion, reopened: reopened.length },
      'an operator edited a memory',
    );
    return { tenant, user, ...result };
  });

  serve(app, traceMemory, async ({ tenant, params: { id }, query: { user, depth } }) => {
    const found = await database.withTenant(tenant, (tx) => lineageOf(tx, { tenant, user, id, depth }));
    if (found === null) throw unknownMemory();
    return { tenant, user, ...found };
  });
}

/** Its sentences say what to do, in ids. */
function problemOfEdit({ code, message, memory, why, dependents }: EditRefused): Problem {
  return new Problem(409, code, message, { memory, why, dependents });
}
