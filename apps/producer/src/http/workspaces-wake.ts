import { requestRun } from '@slowwave/db';
import { errorFacts } from '@slowwave/queue';
import { refusalOf } from './consolidations.ts';
import type { AppOptions } from './options.ts';

/** A run of the light tier, which looks after what is due; the row stands before anything is queued. */
export async function askForLight(
  { database, queues, logger, now }: AppOptions,
  { tenant, user }: { tenant: string; user: string },
): Promise<string> {
  const tier = 'light';
  const asked = await database.withTenant(tenant, (tx) =>
    requestRun(tx, { tenant, user, tier, preview: false, at: now() }),
  );
  if (asked.status !== 'requested') throw refusalOf(asked, false);
  const { runId } = asked;
  try {
    await queues.addAdhoc({ v: 1, tenant, user, tier, why: 'adhoc', runId });
  } catch (error) {
    logger.warn({ runId, tier, ...errorFacts(error) }, 'a requested run waits for the next tick');
  }
  return runId;
}
