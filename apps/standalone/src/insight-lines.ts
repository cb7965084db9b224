import type { WorkspaceRun } from '@slowwave/db';
import type { RunAnswer } from './client.ts';
import { plural } from './print.ts';

/** What the light run says of its step of insights. */
export interface InsightStep {
  status: string;
  reason?: string;
  code?: string;
}

/** How an extraction ended that somebody asked for. */
export interface InsightOutcome {
  /** The run of the light tier. */
  runId: string;
  status: RunAnswer['status'];
  step: InsightStep | null;
  /** What it did to this workspace; null when it came to nothing. */
  run: WorkspaceRun | null;
}

/** The entry of the step in a run's report; null while there is none. */
export function insightStepOf(run: RunAnswer): InsightStep | null {
  const { steps = [] } = (run.report ?? {}) as { steps?: (InsightStep & { step: string })[] };
  return steps.find(({ step }) => step === 'insights') ?? null;
}

const WHY: Readonly<Record<string, string>> = {
  no_model_provider: 'there is no language model to ask: SLOWWAVE_MODEL_PROVIDER chooses one',
  budget: 'the budget for models is used up; extraction goes on when it is whole again',
  model_paused: 'the model does not answer at the moment; the next light run tries again',
  mode_off: 'nothing is asked for this user: slowwave mode auto, or review, changes that',
  no_folder: 'the workers cannot reach the folder: SLOWWAVE_WORKSPACE_ROOTS names those they may use',
  empty: 'there is nothing in MEMORY.md yet',
  too_soon: 'insights were extracted less than the least time ago; --force asks all the same',
  too_small: 'MEMORY.md has not grown enough since the last time; --force asks all the same',
  nothing_due: 'the run found nothing due; ask again',
};

export const isGood = ({ run }: InsightOutcome): boolean => run?.status === 'completed';

/** One sentence for people, with what to do where it came to nothing. */
export function insightSentence(outcome: InsightOutcome): string {
  const { run, step, runId } = outcome;
  if (run?.status === 'completed') return doneSentence(run);
  const code = run?.reason ?? step?.reason ?? step?.code ?? 'unknown';
  const why = WHY[code] ?? `${code}; every document stays as it was`;
  return `no insights: ${why} (run ${runId})`;
}

function doneSentence({ id, report }: WorkspaceRun): string {
  const { counts, pruning } = report as {
    counts?: { added?: number; duplicates?: number };
    pruning?: { status?: string; sizeDelta?: number };
  };
  const { added = 0, duplicates = 0 } = counts ?? {};
  const shorter = -(pruning?.sizeDelta ?? 0);
  return [
    plural(added, 'new insight'),
    ...(duplicates > 0 ? [`${duplicates} known already`] : []),
    ...(shorter > 0 ? [`MEMORY.md is ${shorter} characters shorter`] : []),
  ]
    .join(', ')
    .concat(` (run ${id})`);
}
