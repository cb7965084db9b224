import { dropImages, pruneCalls, pruneMemories, pruneRuns } from '@slowwave/db';
import type { Step } from '../context.ts';

const MEMORIES_LIMIT = 500;
const RUNS_LIMIT = 1_000;
const IMAGES_LIMIT = 1_000;
const CALLS_LIMIT = 10_000;

/**
 * Moves what was superseded or archived long ago to the cold table, where a retention is set, drops the journal's images of changes that
 * are too long ago to be undone, and removes old records of runs and
 * of what they cost. Records go in either case: they are no part of anybody's memory.
 */
export const prune: Step = {
  name: 'prune',
  async run({ write, tenant, user, at, runId, limits }) {
    const { retentionMs, journalRetentionMs, runRetentionMs } = limits;
    const { memories, imagesDropped, runs, calls } = await write(async (tx) => ({
      memories:
        retentionMs === null
          ? null
          : await pruneMemories(tx, { tenant, user, at, runId, retentionMs, limit: MEMORIES_LIMIT }),
      imagesDropped:
        journalRetentionMs === null
          ? 0
          : await dropImages(tx, { tenant, user, at, retentionMs: journalRetentionMs, limit: IMAGES_LIMIT }),
      runs: await pruneRuns(tx, { tenant, user, before: at - runRetentionMs, limit: RUNS_LIMIT }),
      calls: await pruneCalls(tx, { tenant, user, before: at - runRetentionMs, limit: CALLS_LIMIT }),
    }));
    if (memories === null && imagesDropped + runs + calls === 0) {
      return { status: 'skipped', reason: 'retention_off' };
    }
    return {
      status: 'done',
      counts: { ...(memories ?? { retention: 'off' }), imagesDropped, runs, ...(calls > 0 ? { calls } : {}) },
    };
  },
};
