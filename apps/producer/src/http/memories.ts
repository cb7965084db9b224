import { getMemory, listMemories } from '@slowwave/api';
import { getMemory as findMemory, getUser, pageMemories } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { unknownMemory } from './memories-problem.ts';
import { registerProminence } from './memories-prominence.ts';
import { registerRecall } from './memories-recall.ts';
import { registerMemoryWrites } from './memories-writes.ts';
import type { AppOptions } from './options.ts';
import { serve } from './serve.ts';
import { unknownUser } from './users.ts';

/** Memories: written, listed, read, asked, and what people may do about one. An id is ours or the writer's own. */
export function registerMemories(app: FastifyInstance, options: AppOptions): void {
  const { database, now } = options;
  serve(app, listMemories, ({ tenant, query }) => {
    const { user, tenant: _asked, ...filter } = query;
    const at = now();
    return database.withTenant(tenant, async (tx) => {
      const { rows, nextCursor } = await pageMemories(tx, { tenant, user, at, ...filter });
      // An empty list of somebody whose name was mistyped would pass for an answer.
      if (rows.length === 0 && (await getUser(tx, tenant, user)) === null) throw unknownUser();
      return { tenant, user, at, memories: rows, nextCursor };
    });
  });

  serve(app, getMemory, async ({ tenant, params: { id }, query: { user } }) => {
    const at = now();
    const found = await database.withTenant(tenant, (tx) => findMemory(tx, { tenant, user, id, at }));
    if (found === null) throw unknownMemory();
    return { tenant, ...found, at };
  });

  registerMemoryWrites(app, options);
  registerRecall(app, options);
  registerProminence(app, options);
}
