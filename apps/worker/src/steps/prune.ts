import { pruneMemories, pruneRuns } from '@slowwave/db';
import type { Step } from '../context.ts';

const MEMORIES_LIMIT = 500;
const RUNS_LIMIT = 1_000;

/**
 * Moves what was superseded or archived long ago to the cold table, where a retention is set, and removes old records of runs. Records
 * go in either case: they are no part of anybody's memory.
 */
export const prune: Step = {
  name: 'prune',
  async run({ write, tenant, user, at, runId, limits }) {
    const { retentionMs, runRetentionMs } = limits;
    const { memories, runs } = await write(async (tx) => ({
      memories:
        retentionMs === null
          ? null
          : await pruneMemories(tx, { tenant, user, at, runId, retentionMs, limit: MEMORIES_LIMIT }),
      runs: await pruneRuns(tx, { tenant, user, before: at - runRetentionMs, limit: RUNS_LIMIT }),
    }));
    if (memories === null && runs === 0) return { status: 'skipped', reason: 'retention_off' };
    return { status: 'done', counts: { ...(memories ?? { retention: 'off' }), runs } };
  },
};
