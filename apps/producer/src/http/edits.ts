import { EditRefused, editMemory, LINEAGE_DEPTH_MAX, lineageOf } from '@slowwave/db';
import { CATEGORIES } from '@slowwave/fusion';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { idSchema, parseInput, tenantSchema } from './input.ts';
import { unknownMemory } from './memories.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';

const TIME = 'expected an instant in epoch milliseconds, or null';
const IMPORTANCE = 'expected a whole number from 1 to 10';
const DEPTH = `expected a whole number from 0 to ${LINEAGE_DEPTH_MAX}`;
const timeSchema = z.number({ error: TIME }).nullable().optional();
const pathSchema = z.object({ id: idSchema });
const editSchema = z
  .strictObject({
    tenant: tenantSchema,
    user: idSchema,
    content: z.string({ error: 'expected text' }).optional(),
    category: z.enum(CATEGORIES, { error: `expected one of ${CATEGORIES.join(', ')}` }).optional(),
    importance: z
      .number({ error: IMPORTANCE })
      .int(IMPORTANCE)
      .min(1, IMPORTANCE)
      .max(10, IMPORTANCE)
      .optional(),
    validFrom: timeSchema,
    validTo: timeSchema,
    eventDate: timeSchema,
    /** Who edits, for whoever reads the journal later. */
    by: idSchema.default('operator'),
  })
  .refine(({ tenant: _tenant, user: _user, by: _by, ...edit }) => Object.keys(edit).length > 0, {
    path: ['content'],
    error: 'expected something to change: content, category, importance, validFrom, validTo or eventDate',
  });
const lineageQuery = z.strictObject({
  tenant: tenantSchema,
  user: idSchema,
  depth: z.coerce
    .number({ error: DEPTH })
    .int(DEPTH)
    .min(0, DEPTH)
    .max(LINEAGE_DEPTH_MAX, DEPTH)
    .default(LINEAGE_DEPTH_MAX),
});

/** A person's own words in place of what stands there, and where a memory comes from. */
export function registerEdits(app: FastifyInstance, options: AppOptions): void {
  const { database, logger, now, maxMemoryChars } = options;
  app.patch('/v1/memories/:id', async (request) => {
    const { id } = parseInput(pathSchema, request.params, 'path');
    const { tenant, user, by, ...edit } = parseInput(editSchema, request.body ?? {}, 'body');
    const result = await database
      .withTenant(tenant, (tx) =>
        editMemory(tx, { tenant, user, id, at: now(), actor: by, maxContentChars: maxMemoryChars, ...edit }),
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

  app.get('/v1/memories/:id/lineage', async (request) => {
    const { id } = parseInput(pathSchema, request.params, 'path');
    const { tenant, user, depth } = parseInput(lineageQuery, request.query, 'query');
    const found = await database.withTenant(tenant, (tx) => lineageOf(tx, { tenant, user, id, depth }));
    if (found === null) throw unknownMemory();
    return { tenant, user, ...found };
  });
}

/** Its sentences say what to do, in ids. */
function problemOfEdit({ code, message, memory, why, dependents }: EditRefused): Problem {
  return new Problem(409, code, message, { memory, why, dependents });
}
