import { markLightDue, requestRun } from '@slowwave/db';
import { errorFacts } from '@slowwave/queue';
import { refusalOf } from './consolidations.ts';
import type { AppOptions } from './options.ts';

/**
 * A run of the light tier, which looks after what is due; the row stands before anything is queued. Where the last one that called a model
 * began a moment ago, the tier is due by its schedule once one may begin.
 * @returns null when the schedule brings it
 */
export async function askForLight(
  { database, queues, logger, now }: AppOptions,
  { tenant, user }: { tenant: string; user: string },
): Promise<string | null> {
  const tier = 'light';
  const at = now();
  const asked = await database.withTenant(tenant, async (tx) => {
    const result = await requestRun(tx, { tenant, user, tier, at, isSpaced: true });
    if (result.status === 'too_soon') await markLightDue(tx, tenant, [user], result.againAt);
    return result;
  });
  if (asked.status === 'too_soon') return null;
  if (asked.status !== 'requested') throw refusalOf(asked, { preview: false, at });
  const { runId } = asked;
  try {
    await queues.addAdhoc({ v: 1, tenant, user, tier, why: 'adhoc', runId });
  } catch (error) {
    logger.warn({ runId, tier, ...errorFacts(error) }, 'a requested run waits for the next tick');
  }
  return runId;
}
