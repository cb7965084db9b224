import type { RunEnd } from '@slowwave/db';
import type { WakeReason } from '@slowwave/queue';
import { idsOf, type StepContext } from './context.ts';
import type { StepReport } from './run-steps.ts';
import { traceId } from './spans.ts';

/** What a run did until it ended. */
export interface RunSummary {
  why: WakeReason;
  steps: readonly StepReport[];
  durationMs: number;
}

/** The one line that a log has of a run: ids, how it ended, what it cost. What each step counted is in the run's report. */
export function runLine(
  run: Pick<StepContext, 'tenant' | 'user' | 'tier' | 'runId' | 'preview'>,
  how: RunEnd,
  { why, steps, durationMs }: RunSummary,
): Record<string, unknown> {
  const ended = { done: 0, skipped: 0, failed: 0 };
  const usage = { modelCalls: 0, inputTokens: 0, outputTokens: 0 };
  let superseded = 0;
  for (const step of steps) {
    ended[step.status] += 1;
    if (step.status !== 'done') continue;
    const used = (step.counts.usage ?? {}) as Partial<
      Record<'calls' | 'inputTokens' | 'outputTokens', number>
    >;
    usage.modelCalls += used.calls ?? 0;
    usage.inputTokens += used.inputTokens ?? 0;
    usage.outputTokens += used.outputTokens ?? 0;
    if (typeof step.counts.superseded === 'number') superseded += step.counts.superseded;
  }
  const trace = traceId();
  return {
    ...idsOf(run),
    why,
    outcome: how.status,
    ...(how.status === 'failed' ? { errorCode: how.errorCode } : {}),
    ...(run.preview ? { preview: true } : {}),
    durationMs,
    steps: ended,
    superseded,
    ...usage,
    ...(trace === undefined ? {} : { traceId: trace }),
  };
}
