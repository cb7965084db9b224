import {
  redoChangeSetRoute,
  redoFusionRoute,
  redoRunRoute,
  undoChangeSetRoute,
  undoFusionRoute,
  undoRunRoute,
} from '@slowwave/api';
import { redo, UndoRefused, type UndoTarget, undo } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import type { Principal } from './principal.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

interface Asked {
  tenant: string;
  body: { user: string; dryRun: boolean; by?: string | undefined };
  principal: Principal;
}

/** Taking back a fusion, a run or one change set, and making that good again; with dryRun only telling what would happen. */
export function registerUndo(app: FastifyInstance, { database, logger, now }: AppOptions): void {
  async function take(action: 'undo' | 'redo', { tenant, body, principal }: Asked, target: UndoTarget) {
    const { user, dryRun, by = principal.name } = body;
    const act = action === 'undo' ? undo : redo;
    const input = { tenant, user, target, at: now(), actor: by, checkOnly: dryRun };
    const result = await act(database, input).catch((error: unknown) => {
      throw error instanceof UndoRefused ? problemOfUndo(error) : error;
    });
    const { status, direction, changeSetIds, restored, removed } = result;
    const counts = { restored: restored.length, removed: removed.length };
    logger.info(
      { action, tenant, user, target: Object.values(target)[0], status, direction, changeSetIds, ...counts },
      'an operator took changes back',
    );
    return { tenant, user, ...result };
  }

  serve(app, undoFusionRoute, (call) => take('undo', call, { fusion: call.params.key }));
  serve(app, redoFusionRoute, (call) => take('redo', call, { fusion: call.params.key }));
  serve(app, undoRunRoute, (call) => take('undo', call, { run: call.params.id }));
  serve(app, redoRunRoute, (call) => take('redo', call, { run: call.params.id }));
  serve(app, undoChangeSetRoute, (call) => take('undo', call, { changeSet: call.params.id }));
  serve(app, redoChangeSetRoute, (call) => take('redo', call, { changeSet: call.params.id }));
}

/** Its sentences say what to do, in kinds and ids. */
export function problemOfUndo({ code, message, dependents, memoryIds }: UndoRefused): Problem {
  if (code === 'unknown') return new Problem(404, 'unknown_change', message);
  return new Problem(409, code, message, { dependents, memoryIds });
}
