import { DatabaseError } from '@slowwave/db';
import { ModelError } from '@slowwave/fusion';
import { errorFacts } from '@slowwave/queue';
import { idsOf, type Step, type StepContext, type StepResult } from './context.ts';
import { codeOf } from './errors.ts';

export type StepReport = StepResult & { step: string; durationMs: number };

/** Thrown values that end the whole job, not just a step: the user is somebody else's now. */
function endsTheJob(error: unknown, context: StepContext): boolean {
  return context.signal.aborted || codeOf(error) === 'lease_lost';
}

/** The sentence of an error of our own, which says what to do and holds no memory; strangers' sentences may. */
function detailOf(error: unknown): string | undefined {
  return error instanceof DatabaseError || error instanceof ModelError ? error.message : undefined;
}

/**
 * Runs the steps in order, each isolated: one that throws is in the report with its code, and the next one runs. Only losing the user,
 * or the end of the process's time, ends them all.
 */
export async function runSteps(steps: readonly Step[], context: StepContext): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  for (const [index, step] of steps.entries()) {
    context.signal.throwIfAborted();
    const place = { ...idsOf(context), step: step.name, index, steps: steps.length };
    context.onEvent?.({ ...place, type: 'step_started' });
    const startedMs = context.nowMs();
    let result: StepResult;
    if (context.stopping.aborted) {
      result = { status: 'skipped', reason: 'stopping' };
    } else {
      try {
        result = await step.run(context);
      } catch (error) {
        if (endsTheJob(error, context)) throw error;
        result = { status: 'failed', code: codeOf(error) };
        const facts = { ...errorFacts(error), detail: detailOf(error) };
        context.logger.warn({ ...idsOf(context), step: step.name, ...facts }, 'step failed');
      }
    }
    context.onEvent?.({ ...place, type: 'step_ended' });
    reports.push({ step: step.name, ...result, durationMs: Math.round(context.nowMs() - startedMs) });
  }
  return reports;
}
