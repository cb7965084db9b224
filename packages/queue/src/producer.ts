import type { Tier } from '@slowwave/fusion';
import type { Job, Queue } from 'bullmq';
import { adhocDedupId, dedupId, fusionJobId } from './ids.ts';
import type { QueueName } from './names.ts';
import { type FusionJob, PayloadError, parseFusionJob, parseTierJob, type TierJob } from './payload.ts';
import { withStallsForgiven } from './stalls.ts';

/** What became of a fusion job that was added. */
export type FusionAdded = 'added' | 'merged' | 'retried';

/** Adding jobs. Every method throws PayloadError for a payload that a worker would refuse. */
export interface Producer {
  /** One wake-up; merges with a waiting one of the same user and tier, and follows one that is running. */
  add(job: TierJob): Promise<void>;
  /** Many wake-ups, in the order given within a tier, at most 1,000 a round trip. */
  addBulk(jobs: readonly TierJob[]): Promise<void>;
  /** A run that a person asked for; asking again for the same run is the same job. Needs `runId`. */
  addAdhoc(job: TierJob): Promise<void>;
  /** A failed cluster. A job of the same key in the failed list runs again, with this payload and fresh attempts. */
  addFusion(job: FusionJob): Promise<FusionAdded>;
}

const BULK_SIZE = 1_000;

export function createProducer(queues: Record<QueueName, Queue>): Producer {
  return {
    async add(job) {
      const { name, data, opts } = wakeUp(job);
      await queues[data.tier].add(name, data, opts);
    },
    async addBulk(jobs) {
      const byTier = new Map<Tier, ReturnType<typeof wakeUp>[]>();
      for (const entry of jobs.map(wakeUp)) {
        const entries = byTier.get(entry.data.tier);
        if (entries === undefined) byTier.set(entry.data.tier, [entry]);
        else entries.push(entry);
      }
      for (const [tier, entries] of byTier) {
        for (let start = 0; start < entries.length; start += BULK_SIZE) {
          await queues[tier].addBulk(entries.slice(start, start + BULK_SIZE));
        }
      }
    },
    async addAdhoc(job) {
      const data = parseTierJob(job);
      if (data.runId === undefined) throw new PayloadError('missing', 'runId');
      const id = adhocDedupId(data.tenant, data.user, data.tier, data.runId);
      await queues.adhoc.add(data.tier, data, {
        deduplication: { id }, // guard: adhoc-merged
      });
    },
    addFusion: (job) => addFusion(queues.fusions, parseFusionJob(job)),
  };
}

/**
 * Wake-ups carry no job id: an id whose failed job is still kept would silently swallow every later one. The
 * deduplication id is free again as soon as its job is finished, in whatever way.
 */
function wakeUp(job: TierJob) {
  const data = parseTierJob(job);
  const deduplication = {
    id: dedupId(data.tenant, data.user, data.tier),
    keepLastIfActive: true, // guard: wake-up-follows
  };
  const opts = {
    deduplication, // guard: wake-up-merged
  };
  return { name: data.tier, data, opts };
}

/** BullMQ's codes for a job that is gone, and for one that is not in the state named. */
const GONE = -1;
const NOT_IN_STATE = -3;
const MAX_ROUNDS = 3;

/**
 * Fusion jobs have their key as id, so that a cluster stands in the failed list once. Adding an id that exists does
 * nothing in BullMQ, even when its job failed days ago: such a job is started again here. Whoever changes the job between
 * the look and the step makes the step fail, and we look again.
 */
async function addFusion(queue: Queue, data: FusionJob): Promise<FusionAdded> {
  const jobId = fusionJobId(data.key);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const existing: Job | undefined = await queue.getJob(jobId);
    if (existing === undefined) {
      await queue.add('fusion', data, {
        jobId, // guard: fusion-merged
      });
      return 'added';
    }
    const state = await existing.getState();
    // guard: fusion-restarted
    if (state !== 'failed' && state !== 'completed') {
      if (state !== 'unknown') return 'merged';
      continue;
    }
    if (await restart(existing, state, data)) return 'retried';
  }
  return 'merged';
}

async function restart(job: Job, state: 'failed' | 'completed', data: FusionJob): Promise<boolean> {
  try {
    await job.updateData(withStallsForgiven(data, job));
    await job.retry(state, { resetAttemptsMade: true, resetAttemptsStarted: true });
    return true;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === GONE || code === NOT_IN_STATE) return false;
    throw error;
  }
}
