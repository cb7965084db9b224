import { applyPolicy, countConflicts, countLatest, settleGone } from '@slowwave/db';
import { runLimit } from '@slowwave/fusion';
import type { Step, StepContext, StepResult } from '../context.ts';
import { CONFLICTS } from '../questions.ts';
import { type LabelCounts, labelAll, noLabels } from './conflict-labels.ts';
import { isOpen, type ModelWork, openModelWork } from './model-work.ts';

interface ConflictCounts extends LabelCounts {
  /** Settled since one of the two is no longer what it was; and taken up again, since that was undone. */
  gone: number;
  revived: number;
  /** Settled by the user's policy. */
  byPolicy: number;
  /** Why nothing was labelled, or null. */
  unlabelled: string | null;
  /** What waits afterwards: for a label, and for a person. */
  reported: number;
  open: number;
}

/**
 * Contradictions, before anything of the night is fused: what has become moot is settled, what is new is labelled by the model and decided
 * by the code, and what is open is settled by the user's policy where that is safe. The rest waits for a person.
 */
export const conflicts: Step = {
  name: 'conflicts',
  asks: [CONFLICTS],
  async run(context) {
    const { tenant, user, at, mode, database } = context;
    if (mode === 'off') return { status: 'skipped', reason: 'mode_off' };
    const of = { tenant, user, at };
    const work = openModelWork(context, 'conflicts', ['auto', 'review']);
    const counts = noCounts();
    const { moot, ...waiting } = await context.look.seen(CONFLICTS);
    Object.assign(counts, moot ? await settleMoot(context) : waiting);
    if (counts.reported + counts.open > 0) {
      const latest = await database.withTenant(tenant, (tx) => countLatest(tx, of));
      if (isOpen(work)) await labelAll(context, work, counts, runLimit(latest));
      Object.assign(counts, await settleByPolicy(context, counts, runLimit(latest) - counts.superseded));
    }
    if (!isOpen(work)) counts.unlabelled = work.reason;
    return resultOf(counts, isOpen(work) ? work : null);
  },
};

function settleMoot(
  context: StepContext,
): Promise<Pick<ConflictCounts, 'gone' | 'revived' | 'reported' | 'open'>> {
  const { tenant, user, at } = context;
  const of = { tenant, user, at };
  return context.write(async (tx) => ({ ...(await settleGone(tx, of)), ...(await countConflicts(tx, of)) }));
}

/** @param limit how many memories may still be superseded */
function settleByPolicy(
  context: StepContext,
  counts: ConflictCounts,
  limit: number,
): Promise<Pick<ConflictCounts, 'byPolicy' | 'gone' | 'reported' | 'open'>> {
  const { tenant, user, at, runId } = context;
  const of = { tenant, user, at };
  return context.write(async (tx) => {
    const byPolicy = await applyPolicy(tx, { ...of, runId, limit });
    // What lost took its other questions with it.
    const { gone } = byPolicy + counts.superseded > 0 ? await settleGone(tx, of) : { gone: 0 };
    return { byPolicy, gone: counts.gone + gone, ...(await countConflicts(tx, of)) };
  });
}

function noCounts(): ConflictCounts {
  return {
    ...noLabels(),
    gone: 0,
    revived: 0,
    byPolicy: 0,
    unlabelled: null,
    reported: 0,
    open: 0,
  };
}

/** Where nothing was there to be done, and where only a model was missing, the step says so. */
function resultOf(counts: ConflictCounts, work: ModelWork | null): StepResult {
  const { gone, revived, byPolicy, pairs, unlabelled, reported, open } = counts;
  const asked = work?.usage().calls ?? 0;
  if (gone + revived + byPolicy + pairs + asked === 0) {
    if (unlabelled !== null) return { status: 'skipped', reason: unlabelled };
    if (reported + open === 0) return { status: 'skipped', reason: 'no_conflicts' };
  }
  return { status: 'done', counts: { ...counts, ...(work ? { usage: work.usage() } : {}) } };
}
