import { listRunsRoute, previewRunRoute, readRunRoute } from '@slowwave/api';
import {
  countRunChanges,
  getRun,
  isFinished,
  listFusions,
  pageRuns,
  previewOf,
  type Run,
  totalsOf,
} from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

/** Fusions that are shown with their run. */
export const FUSIONS_SHOWN = 200;

/** What an operator does about a run that is not there. */
export function unknownRun(): Problem {
  return new Problem(404, 'unknown_run', 'this user has no such run');
}

/** A run as it is told, without its report. */
export function runView(run: Run) {
  const { id, fence: _fence, report: _report, ...told } = run;
  return { runId: id, ...told, finished: isFinished(run) };
}

/** What ran, what came of it, and what would come of it. */
export function registerRuns(app: FastifyInstance, { database }: AppOptions): void {
  serve(app, listRunsRoute, async ({ tenant, query }) => {
    const { rows, nextCursor } = await database.withTenant(tenant, (tx) =>
      pageRuns(tx, { ...query, tenant }),
    );
    const runs = rows.map((run) => ({ ...runView(run), totals: totalsOf(run.report) }));
    return { tenant, runs, nextCursor };
  });

  serve(app, readRunRoute, async ({ tenant, params, query: { user } }) => {
    const of = { tenant, user, runId: params.id };
    return database.withTenant(tenant, async (tx) => {
      const run = await getRun(tx, of);
      if (run === null) throw unknownRun();
      const { report } = run;
      const changes = await countRunChanges(tx, of);
      const fusions = await listFusions(tx, { ...of, limit: FUSIONS_SHOWN });
      return { ...runView(run), report, totals: totalsOf(report), changes, fusions };
    });
  });

  serve(app, previewRunRoute, async ({ tenant, params, query: { user } }) => {
    const preview = await database.withTenant(tenant, (tx) =>
      previewOf(tx, { tenant, user, runId: params.id }),
    );
    if (preview === null) throw new Problem(404, 'unknown_preview', 'this user has no such preview');
    return preview;
  });
}
