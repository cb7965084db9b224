import type { FusionJob, Queues, TierJob } from '@slowwave/queue';

/** The part of the queues that the schedules and one user's job need. */
export type InboxQueues = Pick<Queues, 'counts' | 'addBulk' | 'addAdhoc' | 'addFusion' | 'rateLimit'>;

/** Wake-ups in memory, for a clock that does not wait. As with a real queue, one of the same user and tier is there once. */
export interface Inbox {
  queues: InboxQueues;
  /** Takes out everything that waits, in order. */
  takeTiers(): TierJob[];
  takeFusions(): FusionJob[];
  /** Loses everything, as a queue does that is wiped. */
  wipe(): void;
}

export function createInbox(): Inbox {
  const tiers = new Map<string, TierJob>();
  const fusions = new Map<string, FusionJob>();
  const put = (job: TierJob) => {
    const key = JSON.stringify([job.tenant, job.user, job.tier, job.runId ?? null]);
    if (!tiers.has(key)) tiers.set(key, job);
  };
  const takeAll = <T>(from: Map<string, T>): T[] => {
    const all = [...from.values()];
    from.clear();
    return all;
  };
  return {
    queues: {
      async counts(name) {
        const waiting = [...tiers.values()].filter((job) =>
          name === 'adhoc' ? job.why === 'adhoc' : job.why !== 'adhoc' && job.tier === name,
        ).length;
        return { waiting, active: 0, delayed: 0, failed: 0, completed: 0 };
      },
      async addBulk(jobs) {
        for (const job of jobs) put(job);
      },
      async addAdhoc(job) {
        put(job);
      },
      async addFusion(job) {
        const merged = fusions.has(job.key);
        fusions.set(job.key, job);
        return merged ? 'merged' : 'added';
      },
      async rateLimit() {},
    },
    takeTiers: () => takeAll(tiers),
    takeFusions: () => takeAll(fusions),
    wipe() {
      tiers.clear();
      fusions.clear();
    },
  };
}
