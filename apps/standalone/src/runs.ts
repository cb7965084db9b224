import { type Database, getRun, isFinished, listFusions, type Run, requestRun } from '@slowwave/db';
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
 * @throws HeldBack when the user is in quarantine, when a preview is wanted of what is switched off, or when a run and a preview would
 *   stand in each other's way
 */
export async function askForRun(
  parts: { database: Database; queues: Queues },
  target: RunTarget & { tier: Tier; preview?: boolean },
  at: number,
): Promise<{ runId: string; existing: boolean } | null> {
  const { tenant, user, tier, preview = false } = target;
  const result = await parts.database.withTenant(tenant, (tx) =>
    requestRun(tx, { tenant, user, tier, preview, at }),
  );
  if (result.status === 'unknown_user') return null;
  if (result.status === 'quarantined') {
    const { since, code } = result;
    throw new HeldBack(
      `${user} is in quarantine since ${when(since)} (${code}) and nothing runs; when the cause is mended: slowwave release --user ${user}`,
    );
  }
  if (result.status === 'mode_off') {
    throw new HeldBack(`nothing is fused for ${user}: slowwave mode auto --user ${user} changes that`);
  }
  // A command on the database is an operator's, and asks for no distance between runs: the type alone demands this case.
  if (result.status === 'too_soon') throw new HeldBack(`a run of ${tier} has just begun; try again later`);
  if (result.status === 'busy') {
    throw new HeldBack(
      `${preview ? 'a run' : 'a preview'} of ${tier} was asked for and has not begun; try again when it has ended`,
    );
  }
  await parts.queues.addAdhoc({ v: 1, tenant, user, tier, why: 'adhoc', runId: result.runId });
  return result;
}

/** An abandoned run is not over: somebody else goes on with it. */
export const isOver = (run: Pick<Run, 'status'>): boolean => isFinished(run);

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
