import { type AnswerProblem, parseFusionAnswer } from './answer.ts';
import { deriveMemory, type FusionTier } from './derive.ts';
import { checkGate, type GateContext, type GateCounts, type GateMissing } from './gate.ts';
import type { Cluster } from './memory.ts';
import type { DerivedMemory, FusionFailure, StoredAnswer } from './ports.ts';

export interface JudgeContext extends GateContext {
  tier: FusionTier;
  /** The instant of the job, epoch milliseconds. */
  at: number;
}

/** A pair of memories that the model says disagree. `slot` is the model's text: it is never logged. */
export interface ConflictReport {
  a: string;
  b: string;
  kind: 'contradictory' | 'ambiguous';
  slot: string;
}

export type FusionVerdict =
  | { ok: true; derived: DerivedMemory; conflicts: ConflictReport[]; counts: GateCounts }
  | {
      ok: false;
      reason: FusionFailure;
      /** Why an answer could not be read. */
      problem?: AnswerProblem;
      /** Text for the repair request only: the summary that failed and what it lacks. */
      summary?: string;
      missing?: GateMissing;
      counts?: GateCounts;
    };

/**
 * Judges a stored answer for a cluster: how it ended, its shape, the loss gate. Pure and repeatable. Sources in a reported conflict
 * are not covered: they wait for someone to settle it.
 */
export function judgeFusion(cluster: Cluster, stored: StoredAnswer, context: JudgeContext): FusionVerdict {
  if (stored.stopReason === 'refusal') return { ok: false, reason: 'refused' };
  if (stored.stopReason === 'max_tokens') return { ok: false, reason: 'truncated' };
  const reading = parseFusionAnswer(stored.text, cluster.members.length);
  if (!reading.ok) return { ok: false, reason: reading.reason, problem: reading.problem };
  const { summary, covered, conflicts, hints } = reading.answer;
  const disputed = new Set(conflicts.flatMap(({ a, b }) => [a, b]));
  const settled = covered.filter((number) => !disputed.has(number));
  const gate = checkGate(cluster, summary, settled, context);
  if (!gate.ok)
    return { ok: false, reason: gate.reason, summary, missing: gate.missing, counts: gate.counts };
  return {
    ok: true,
    derived: deriveMemory(cluster, { summary, coveredIds: gate.coveredIds, hints }, context),
    conflicts: conflicts.map(({ a, b, kind, slot }) => ({
      a: cluster.members[a - 1]!.id,
      b: cluster.members[b - 1]!.id,
      kind,
      slot,
    })),
    counts: gate.counts,
  };
}
