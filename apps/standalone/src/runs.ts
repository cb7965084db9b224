import { type Database, getRun, listFusions, type Run, requestRun } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import type { Queues } from '@slowwave/queue';
import type { RunAnswer } from './client.ts';
import { HeldBack } from './exit.ts';
import { when } from './print.ts';

const POLL_MS = 150;
const FUSIONS_SHOWN = 200;

export interface RunTarget {
  tenant: string;
  user: string;
}

/**
 * Asks for a run: the row first, so that it is not lost with the queue, then the wake-up. Null for an unknown user.
 * @throws HeldBack when the user is in quarantine
 */
export async function askForRun(
  parts: { database: Database; queues: Queues },
  target: RunTarget & { tier: Tier },
  at: number,
): Promise<{ runId: string; existing: boolean } | null> {
  const { tenant, user, tier } = target;
  const result = await parts.database.withTenant(tenant, (tx) => requestRun(tx, { tenant, user, tier, at }));
  if (result.status === 'unknown_user') return null;
  if (result.status === 'quarantined') {
    const { since, code } = result;
    throw new HeldBack(
      `${user} is in quarantine since ${when(since)} (${code}) and nothing runs; when the cause is mended: slowwave release --user ${user}`,
    );
  }
  await parts.queues.addAdhoc({ v: 1, tenant, user, tier, why: 'adhoc', runId: result.runId });
  return result;
}

/** An abandoned run is not over: somebody else goes on with it. */
export const isOver = (run: Pick<Run, 'status'>): boolean =>
  run.status === 'completed' || run.status === 'failed';

/** Waits for a run's end, within a limit, and reads what it fused. */
export async function waitForRun(
  database: Database,
  target: RunTarget & { runId: string },
  timeoutMs: number,
): Promise<RunAnswer> {
  const { tenant, user, runId } = target;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const run = await database.withTenant(tenant, (tx) => getRun(tx, { tenant, user, runId }));
    if (!run) throw new Error('the run is gone');
    if (isOver(run) || Date.now() > deadline) {
      const fusions = await database.withTenant(tenant, (tx) =>
        listFusions(tx, { tenant, user, runId, limit: FUSIONS_SHOWN }),
      );
      return { ...run, fusions };
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
