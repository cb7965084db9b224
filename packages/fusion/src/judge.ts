import { type AnswerProblem, parseFusionAnswer } from './answer.ts';
import { deriveMemory, type FusionTier } from './derive.ts';
import { checkGate, type GateContext, type GateCounts, type GateMissing } from './gate/gate.ts';
import type { Cluster } from './memory.ts';
import type { DerivedMemory, FusionFailure, ReportedPair, StoredAnswer } from './ports.ts';

export interface JudgeContext extends GateContext {
  tier: FusionTier;
  /** The instant of the job, epoch milliseconds. */
  at: number;
}

export type FusionVerdict =
  | { ok: true; derived: DerivedMemory; conflicts: ReportedPair[]; counts: GateCounts }
  | {
      ok: false;
      reason: FusionFailure;
      /** Why an answer could not be read. */
      problem?: AnswerProblem;
      /** Text for the repair request only: the summary that failed and what it lacks. */
      summary?: string;
      missing?: GateMissing;
      counts?: GateCounts;
      /** Pairs that the model reported, whatever became of its summary. */
      conflicts?: ReportedPair[];
    };

/**
 * Judges a stored answer for a cluster: how it ended, its shape, the loss gate. Pure and repeatable. Sources in a reported conflict
 * are not covered: they wait for someone to settle it.
 */
export function judgeFusion(cluster: Cluster, stored: StoredAnswer, context: JudgeContext): FusionVerdict {
  if (stored.stopReason === 'refusal') return { ok: false, reason: 'refused' };
  if (stored.stopReason === 'max_tokens') return { ok: false, reason: 'truncated' }; // guard: truncated
  const reading = parseFusionAnswer(stored.text, cluster.members.length);
  if (!reading.ok) return { ok: false, reason: reading.reason, problem: reading.problem };
  const { summary, covered, conflicts, hints } = reading.answer;
  const disputed = new Set<number>();
  for (const { a, b } of conflicts) disputed.add(a).add(b); // guard: disputed
  const settled = covered.filter((number) => !disputed.has(number));
  const idOf = (number: number): string => cluster.members[number - 1]!.id;
  const reported: ReportedPair[] = conflicts.map(({ a, b, kind, slot }) => ({
    a: idOf(a),
    b: idOf(b),
    kind,
    slot,
  }));
  const gate = checkGate(cluster, summary, settled, context); // guard: gate
  if (!gate.ok) {
    const { reason, missing, counts } = gate;
    return { ok: false, reason, summary, missing, counts, conflicts: reported };
  }
  return {
    ok: true,
    derived: deriveMemory(cluster, { summary, coveredIds: gate.coveredIds, hints }, context),
    conflicts: reported,
    counts: gate.counts,
  };
}
