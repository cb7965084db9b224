import type { Tier } from '@slowwave/fusion';
import type { JobContext, JobResult, JobView, TierJob } from '@slowwave/queue';
import type { Step, StepResult } from './context.ts';
import { countAttributes, inSpan, markFailed } from './spans.ts';

type UserJob = (job: JobView<TierJob>, context: JobContext) => Promise<JobResult>;

/** One span for each turn of a user's job: from taking the user to giving them back. */
export function traceUserJob(job: UserJob): UserJob {
  return (view, jobContext) => {
    const { tier, why, runId } = view.data;
    const attributes = {
      'slowwave.tier': tier,
      'slowwave.why': why,
      'slowwave.attempt': view.attempt,
      ...(runId === undefined ? {} : { 'slowwave.run_id': runId }),
    };
    return inSpan(`run ${tier}`, { attributes }, async (span) => {
      const result = await job(view, jobContext);
      const { summary = {} } = result.outcome === 'completed' ? result : {};
      span.setAttribute('slowwave.outcome', String(summary.outcome ?? result.outcome));
      if (typeof summary.runId === 'string') span.setAttribute('slowwave.run_id', summary.runId);
      return result;
    });
  };
}

/** The same steps, each in a span of its own. */
export function traceSteps(tiers: Record<Tier, readonly Step[]>): Record<Tier, readonly Step[]> {
  const { light, deep, sleep } = tiers;
  return { light: light.map(traceStep), deep: deep.map(traceStep), sleep: sleep.map(traceStep) };
}

function traceStep(step: Step): Step {
  return {
    ...step,
    run: (stepContext) =>
      inSpan(`step ${step.name}`, { attributes: { 'slowwave.step': step.name } }, async (span) => {
        const result: StepResult = await step.run(stepContext);
        span.setAttribute('slowwave.outcome', result.status);
        if (result.status === 'done') span.setAttributes(countAttributes(result.counts));
        if (result.status === 'skipped') span.setAttribute('slowwave.reason', result.reason);
        if (result.status === 'failed') markFailed(span, result.code);
        return result;
      }),
  };
}
