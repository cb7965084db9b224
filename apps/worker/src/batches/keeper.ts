import { listBatchesToLookAt, lookAgain, type ModelBatch, removeBatch, takeLook } from '@slowwave/db';
import { atMost, errorFacts } from '@slowwave/queue';
import { type BatchDeps, logOf } from './deps.ts';
import { fetchBatch } from './fetch-batch.ts';
import { reconcile, SENDING_MS, sendWhenRipe } from './send-batch.ts';

/** How often one looks for batches that want something. */
const BEAT_MS = 5_000;
/** Batches of one beat; the others wait for the next. */
const BATCHES_PER_BEAT = 100;
/** After a failure a batch is left alone for so long. */
const FAILED_LOOK_MS = 60_000;

/** Sends batches and fetches what came of them, for all tenants. Any number of processes may do so at once. */
export interface BatchKeeper {
  /** One look at every batch that wants one. @returns how many were looked at */
  beat(): Promise<number>;
  start(): void;
  /** Ends after the batch in hand, or after the time. */
  stop(graceMs: number): Promise<void>;
}

const LOOKS: Partial<Record<ModelBatch['state'], (deps: BatchDeps, batch: ModelBatch) => Promise<void>>> = {
  collecting: sendWhenRipe,
  sending: reconcile,
  submitted: fetchBatch,
  ended: ({ database }, { tenant, id }) =>
    database.withTenant(tenant, (tx) => removeBatch(tx, { tenant, id })),
};

export function createBatchKeeper(deps: BatchDeps): BatchKeeper {
  const { database, logger, now } = deps;
  let timer: NodeJS.Timeout | null = null;
  let working: Promise<unknown> = Promise.resolve();
  let stopped = false;

  /** @returns whether it was ours to look at */
  async function look(listed: ModelBatch): Promise<boolean> {
    const { tenant, id, state } = listed;
    const at = now();
    // Whoever comes meanwhile leaves it alone, for as long as the longest look takes.
    const until = at + SENDING_MS;
    const batch = await database.withTenant(tenant, (tx) => takeLook(tx, { tenant, id, state, at, until }));
    if (batch === null) return false;
    try {
      await LOOKS[state]?.(deps, batch);
    } catch (error) {
      logger.warn({ ...logOf(batch), state, ...errorFacts(error) }, 'a batch was not brought further');
      const lookAt = now() + FAILED_LOOK_MS;
      // One that was about to be sent keeps its time: nobody knows whether it was.
      if (state !== 'collecting')
        await database.withTenant(tenant, (tx) => lookAgain(tx, { tenant, id, lookAt }));
    }
    return true;
  }

  async function beat(): Promise<number> {
    const listed = await database.asDispatcher((tx) =>
      listBatchesToLookAt(tx, { at: now(), limit: BATCHES_PER_BEAT }),
    );
    let looked = 0;
    for (const batch of listed) {
      if (stopped) break;
      if (await look(batch)) looked += 1;
    }
    return looked;
  }

  function beatAgain(): void {
    timer = setTimeout(() => {
      working = beat()
        .catch((error: unknown) => logger.warn(errorFacts(error), 'batches could not be looked at'))
        .finally(() => {
          if (!stopped) beatAgain();
        });
    }, BEAT_MS);
    timer.unref();
  }

  return {
    beat,
    start: beatAgain,
    async stop(graceMs) {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await atMost(graceMs, working);
    },
  };
}
