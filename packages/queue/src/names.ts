import { TIERS, type Tier } from '@slowwave/fusion';

/**
 * The queues. `light`, `deep` and `sleep` carry wake-ups of one tier; `fusions` carries clusters that failed inside a
 * user's job; `adhoc` carries runs that a person asked for (a queue of its own is what keeps a worker's slot free for
 * them: a worker cannot choose among the jobs of one queue); `ticks` carries the beats of the job schedulers.
 */
export const QUEUE_NAMES = ['light', 'deep', 'sleep', 'fusions', 'adhoc', 'ticks'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** Keyspace of the queues on Redis and Valkey. */
export const DEFAULT_PREFIX = 'slowwave';

/** Schema of the queues on PostgreSQL and in the embedded database. */
export const DEFAULT_SCHEMA = 'bullmq';

export function isTier(value: unknown): value is Tier {
  return TIERS.some((tier) => tier === value);
}
