import { setTimeout as sleep } from 'node:timers/promises';
import { cancelConsolidationRoute, readConsolidationRoute, requestConsolidationRoute } from '@slowwave/api';
import {
  cancelRun,
  getRun,
  isFinished,
  listFusions,
  REQUEST_GAP_MS,
  type RequestResult,
  type Run,
  requestRun,
} from '@slowwave/db';
import { errorFacts } from '@slowwave/queue';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { quarantined } from './holds.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { FUSIONS_SHOWN, runView, unknownRun } from './runs.ts';
import { serve } from './serve.ts';
import { unknownUser } from './users.ts';

/** Runs that people ask for, how they went, and how they are called off. */
export function registerConsolidations(app: FastifyInstance, options: AppOptions): void {
  const { database, queues, logger, now } = options;
  serve(app, requestConsolidationRoute, async ({ tenant, body, principal, reply }) => {
    const { user, tier, preview } = body;
    const at = now();
    const isSpaced = principal.tokenId !== null; // guard: request-spaced
    // The row stands before anything is queued: should the queue fail now, the next tick finds it.
    const asked = await database.withTenant(tenant, (tx) =>
      requestRun(tx, { tenant, user, tier, preview, at, isSpaced }),
    );
    if (asked.status !== 'requested') throw refusalOf(asked, { preview, at });
    const { runId, existing } = asked;
    try {
      await queues.addAdhoc({ v: 1, tenant, user, tier, why: 'adhoc', runId });
    } catch (error) {
      logger.warn({ runId, tier, ...errorFacts(error) }, 'a requested run waits for the next tick');
    }
    const query = new URLSearchParams({ tenant, user });
    const statusUrl = `/v1/consolidations/${runId}?${query}`;
    reply.header('location', statusUrl);
    return {
      runId,
      existing,
      tier,
      statusUrl,
      ...(preview ? { previewUrl: `/v1/runs/${runId}/preview?${query}` } : {}),
    };
  });

  serve(app, readConsolidationRoute, async ({ tenant, params, query, reply }) => {
    const { runId } = params;
    const { user, waitSeconds } = query;
    const read = () => database.withTenant(tenant, (tx) => getRun(tx, { tenant, user, runId }));
    const signal = AbortSignal.any([options.stopping, goneSignal(reply)]);
    const run = await follow(read, waitSeconds * 1_000, signal);
    if (run === null) throw unknownRun();
    const view = { ...runView(run), report: run.report };
    if (!view.finished) return view;
    const fusions = await database.withTenant(tenant, (tx) =>
      listFusions(tx, { tenant, user, runId, limit: FUSIONS_SHOWN }),
    );
    return { ...view, fusions };
  });

  serve(app, cancelConsolidationRoute, async ({ tenant, params, body, principal, reply }) => {
    const { runId } = params;
    const { user, by = principal.name } = body;
    const result = await database.withTenant(tenant, (tx) =>
      cancelRun(tx, { tenant, user, runId, at: now() }),
    );
    if (result.status === 'unknown_run') throw unknownRun();
    if (result.status === 'finished') throw finished(result.runStatus);
    const { status, already } = result;
    logger.info({ tenant, user, runId, by, status, already }, 'an operator called a run off');
    reply.code(status === 'cancelled' ? 200 : 202);
    return { runId, status, already };
  });
}

function finished(runStatus: Run['status']): Problem {
  return new Problem(
    409,
    'finished',
    'the run has ended; what it changed can be taken back by POST /v1/runs/{id}/undo or "slowwave undo"',
    { runStatus },
  );
}

/** Why a run that was asked for does not begin. */
export function refusalOf(
  asked: Exclude<RequestResult, { status: 'requested' }>,
  { preview, at }: { preview: boolean; at: number },
): Problem {
  switch (asked.status) {
    case 'unknown_user':
      return unknownUser();
    case 'quarantined':
      return quarantined(asked);
    case 'mode_off':
      return new Problem(
        409,
        'mode_off',
        'nothing is fused for this user, so there is nothing to preview; POST /v1/users/{user}/mode or "slowwave mode" changes that',
      );
    case 'too_soon': {
      const retryAfter = Math.max(1, Math.ceil((asked.againAt - at) / 1_000));
      return new Problem(
        429,
        'run_too_soon',
        `a run of this tier that called a model began less than ${REQUEST_GAP_MS / 1_000} s ago; ask again in ${retryAfter} s`,
        { retryAfter },
      );
    }
    case 'busy':
      return new Problem(
        409,
        'busy',
        preview
          ? 'a run of this tier was asked for and has not begun; ask for the preview when it has ended'
          : 'a preview of this tier was asked for and has not begun; ask for the run when it has ended',
        { runId: asked.runId, retryable: true },
      );
  }
}

/** Aborted when the client goes away before it has its answer. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Reads the run again and again until it is finished, unknown, or the time is over. */
async function follow(
  read: () => Promise<Run | null>,
  waitMs: number,
  signal: AbortSignal,
): Promise<Run | null> {
  const ends = performance.now() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
    const run = await read();
    const leftMs = ends - performance.now();
    if (run === null || isFinished(run) || leftMs <= 0 || signal.aborted) return run;
    // Cut short, the run is read once more and told as it stands.
    await sleep(Math.min(pauseMs, leftMs), undefined, { signal }).catch(() => {});
  }
}
