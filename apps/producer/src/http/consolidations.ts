import { setTimeout as sleep } from 'node:timers/promises';
import { getRun, listFusions, type RequestResult, type Run, requestRun } from '@slowwave/db';
import { errorFacts } from '@slowwave/queue';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { quarantined } from './holds.ts';
import { idSchema, parseInput, tenantSchema, tierSchema } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { unknownUser } from './users.ts';

const bodySchema = z.strictObject({
  tenant: tenantSchema,
  user: idSchema,
  tier: tierSchema,
  /** Everything up to the commit, and nothing after it. */
  preview: z.boolean({ error: 'expected true or false' }).default(false),
});
const pathSchema = z.object({ runId: z.uuid('expected the runId that POST /v1/consolidations gave') });
const WAIT_MAX_SECONDS = 30;
const querySchema = z.strictObject({
  tenant: tenantSchema,
  user: idSchema,
  waitSeconds: z.coerce
    .number({ error: `expected 0 to ${WAIT_MAX_SECONDS}` })
    .min(0, `expected 0 to ${WAIT_MAX_SECONDS}`)
    .max(WAIT_MAX_SECONDS, `expected 0 to ${WAIT_MAX_SECONDS}`)
    .default(0),
});
const FUSIONS_SHOWN = 200;

/** Runs that people ask for, and how they went. */
export function registerConsolidations(app: FastifyInstance, options: AppOptions): void {
  app.post('/v1/consolidations', async (request, reply) => {
    const { tenant, user, tier, preview } = parseInput(bodySchema, request.body, 'body');
    // The row stands before anything is queued: should the queue fail now, the next tick finds it.
    const asked = await options.database.withTenant(tenant, (tx) =>
      requestRun(tx, { tenant, user, tier, preview, at: options.now() }),
    );
    if (asked.status !== 'requested') throw refusalOf(asked, preview);
    const { runId, existing } = asked;
    try {
      await options.queues.addAdhoc({ v: 1, tenant, user, tier, why: 'adhoc', runId });
    } catch (error) {
      options.logger.warn({ runId, tier, ...errorFacts(error) }, 'a requested run waits for the next tick');
    }
    const query = new URLSearchParams({ tenant, user });
    const statusUrl = `/v1/consolidations/${runId}?${query}`;
    return reply
      .code(202)
      .header('location', statusUrl)
      .send({
        runId,
        existing,
        tier,
        statusUrl,
        ...(preview ? { previewUrl: `/v1/runs/${runId}/preview?${query}` } : {}),
      });
  });

  app.get('/v1/consolidations/:runId', async (request, reply) => {
    const { runId } = parseInput(pathSchema, request.params, 'path');
    const { tenant, user, waitSeconds } = parseInput(querySchema, request.query, 'query');
    const read = () => options.database.withTenant(tenant, (tx) => getRun(tx, { tenant, user, runId }));
    const signal = AbortSignal.any([options.stopping, goneSignal(reply)]);
    const run = await follow(read, waitSeconds * 1_000, signal);
    if (run === null) throw new Problem(404, 'unknown_run', 'this user has no such run');
    if (!isFinished(run)) return viewOf(run);
    const fusions = await options.database.withTenant(tenant, (tx) =>
      listFusions(tx, { tenant, user, runId, limit: FUSIONS_SHOWN }),
    );
    return { ...viewOf(run), fusions };
  });
}

/** Why a run that was asked for does not begin. */
export function refusalOf(asked: Exclude<RequestResult, { status: 'requested' }>, preview: boolean): Problem {
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

/** An abandoned run is unfinished: somebody else goes on with it. */
function isFinished(run: Run): boolean {
  return run.status === 'completed' || run.status === 'failed';
}

function viewOf({ id, fence: _fence, ...run }: Run) {
  return { runId: id, ...run, finished: run.status === 'completed' || run.status === 'failed' };
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
