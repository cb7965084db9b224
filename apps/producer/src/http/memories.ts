import { explainMemory } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { changeMemory, type MemoryChange } from '../memory-change.ts';
import { idSchema, parseInput, tenantSchema } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';

const pathSchema = z.object({ id: idSchema });
const ownerFields = { tenant: tenantSchema, user: idSchema.optional() };
const ownerSchema = z.strictObject(ownerFields);
const FACTOR = 'expected a number above 0 and below 1';
const demoteSchema = z.strictObject({
  ...ownerFields,
  factor: z.number({ error: FACTOR }).gt(0, FACTOR).lt(1, FACTOR),
});
const VALUE = 'expected a number from 0 to 1';
const prominenceSchema = z.strictObject({
  ...ownerFields,
  value: z.number({ error: VALUE }).min(0, VALUE).max(1, VALUE),
});

export function unknownMemory(): Problem {
  return new Problem(
    404,
    'unknown_memory',
    'there is no such memory, under this id or name, of this user or tenant',
  );
}

/** One memory: how its prominence came about, and what people may do about it. An id is ours or the writer's own. */
export function registerMemories(app: FastifyInstance, options: AppOptions): void {
  const { database, now } = options;
  app.get('/v1/memories/:id/explain', async (request) => {
    const { id } = parseInput(pathSchema, request.params, 'path');
    const { tenant, user } = parseInput(ownerSchema, request.query, 'query');
    const found = await database.withTenant(tenant, (tx) =>
      explainMemory(tx, { tenant, user, id, at: now() }),
    );
    if (found === null) throw unknownMemory();
    return found;
  });

  registerChange(app, options, 'confirm', ownerSchema, () => ({ kind: 'confirm' }));
  registerChange(app, options, 'demote', demoteSchema, ({ factor }) => ({ kind: 'demote', factor }));
  registerChange(app, options, 'prominence', prominenceSchema, ({ value }) => ({
    kind: 'prominence',
    value,
  }));
}

/** Answers with the prominence before and after, and when the memory crosses next. */
function registerChange<Body extends z.infer<typeof ownerSchema>>(
  app: FastifyInstance,
  { database, now, logger }: AppOptions,
  action: MemoryChange['kind'],
  schema: z.ZodType<Body>,
  changeOf: (body: Body) => MemoryChange,
): void {
  app.post(`/v1/memories/:id/${action}`, async (request) => {
    const { id } = parseInput(pathSchema, request.params, 'path');
    const body = parseInput(schema, request.body ?? {}, 'body');
    const { tenant, user } = body;
    const changed = await database.withTenant(tenant, (tx) =>
      changeMemory(tx, { tenant, user, id, at: now() }, changeOf(body)),
    );
    if (changed === null) throw unknownMemory();
    logger.info({ action, tenant, user: changed.user, memory: changed.id }, 'an operator changed a memory');
    return { tenant, ...changed };
  });
}
