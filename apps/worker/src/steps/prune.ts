import { dropImages, type PruneCounts, pruneCalls, pruneMemories, pruneRuns } from '@slowwave/db';
import type { Step, StepContext } from '../context.ts';
import { OLD_CALLS, OLD_IMAGES, OLD_RUNS, PRUNABLE, recordsBefore } from '../questions.ts';

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
  asks: [PRUNABLE, OLD_IMAGES, OLD_RUNS, OLD_CALLS],
  async run(context) {
    const { look, limits } = context;
    const found: Found = {
      memories: await look.seen(PRUNABLE),
      images: await look.seen(OLD_IMAGES),
      runs: await look.seen(OLD_RUNS),
      calls: await look.seen(OLD_CALLS),
    };
    const isAny = found.memories || found.images || found.runs || found.calls;
    if (!isAny && limits.retentionMs === null) return { status: 'skipped', reason: 'retention_off' };
    const { memories, imagesDropped, runs, calls } = isAny ? await remove(context, found) : NOTHING_REMOVED;
    const moved = limits.retentionMs === null ? { retention: 'off' } : memories;
    return { status: 'done', counts: { ...moved, imagesDropped, runs, ...(calls > 0 ? { calls } : {}) } };
  },
};

/** What there is to be removed. */
type Found = Record<'memories' | 'images' | 'runs' | 'calls', boolean>;

const NONE: PruneCounts = { eligible: 0, held: 0, pruned: 0 };
const NOTHING_REMOVED = { memories: NONE, imagesDropped: 0, runs: 0, calls: 0 };

function remove(context: StepContext, found: Found): Promise<typeof NOTHING_REMOVED> {
  const { write, tenant, user, at, runId } = context;
  const { retentionMs, journalRetentionMs } = context.limits;
  const of = { tenant, user, at };
  const before = recordsBefore(context);
  return write(async (tx) => ({
    memories:
      found.memories && retentionMs !== null
        ? await pruneMemories(tx, { ...of, runId, retentionMs, limit: MEMORIES_LIMIT })
        : NONE,
    imagesDropped:
      found.images && journalRetentionMs !== null
        ? await dropImages(tx, { ...of, retentionMs: journalRetentionMs, limit: IMAGES_LIMIT })
        : 0,
    runs: found.runs ? await pruneRuns(tx, { ...of, before, limit: RUNS_LIMIT }) : 0,
    calls: found.calls ? await pruneCalls(tx, { ...of, before, limit: CALLS_LIMIT }) : 0,
  }));
}
