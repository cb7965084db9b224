import { redo, UndoRefused, type UndoTarget, undo } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { idSchema, parseInput, tenantSchema } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';

const DRY_RUN = 'expected true or false';
const bodySchema = z.strictObject({
  tenant: tenantSchema,
  user: idSchema,
  dryRun: z.boolean({ error: DRY_RUN }).default(false),
  /** Who asks for it, for whoever reads the journal later. */
  by: idSchema.default('operator'),
});

/** Addresses of what can be undone, and what each means. */
const TARGETS: { path: string; targetOf: (id: string) => UndoTarget }[] = [
  { path: '/v1/fusions/:id', targetOf: (id) => ({ fusion: id }) },
  { path: '/v1/runs/:id', targetOf: (id) => ({ run: id }) },
  { path: '/v1/change-sets/:id', targetOf: (id) => ({ changeSet: id }) },
];
const pathSchema = z.object({ id: idSchema });

/** Taking back a fusion, a run or one change set, and making that good again; with dryRun only telling what would happen. */
export function registerUndo(app: FastifyInstance, { database, logger, now }: AppOptions): void {
  for (const [action, act] of [
    ['undo', undo],
    ['redo', redo],
  ] as const) {
    for (const { path, targetOf } of TARGETS) {
      app.post(`${path}/${action}`, async (request) => {
        const { id } = parseInput(pathSchema, request.params, 'path');
        const { tenant, user, dryRun, by } = parseInput(bodySchema, request.body ?? {}, 'body');
        const input = { tenant, user, target: targetOf(id), at: now(), actor: by, checkOnly: dryRun };
        const result = await act(database, input).catch((error: unknown) => {
          throw error instanceof UndoRefused ? problemOfUndo(error) : error;
        });
        const { status, direction, changeSetIds, restored, removed } = result;
        logger.info(
          {
            action,
            tenant,
            user,
            target: id,
            status,
            direction,
            changeSetIds,
            restored: restored.length,
            removed: removed.length,
          },
          'an operator took changes back',
        );
        return { tenant, user, ...result };
      });
    }
  }
}

/** Its sentences say what to do, in kinds and ids. */
export function problemOfUndo({ code, message, dependents, memoryIds }: UndoRefused): Problem {
  if (code === 'unknown') return new Problem(404, 'unknown_change', message);
  return new Problem(409, code, message, { dependents, memoryIds });
}
