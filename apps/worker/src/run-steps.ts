import { DatabaseError, heldBy, LeaseLost, requireLease } from '@slowwave/db';
import { ModelError } from '@slowwave/fusion';
import { errorFacts, QueueUnavailable } from '@slowwave/queue';
import { idsOf, type Step, type StepContext, type StepResult } from './context.ts';
import { codeOf } from './errors.ts';

export type StepReport = StepResult & { step: string; durationMs: number };

export interface StepsEnd {
  reports: StepReport[];
  /** Every failure is one that passes by itself, such as an outage: it says nothing against this user. */
  transient: boolean;
}

/** What all steps of a run share; each step gets a signal and a way to write of its own. */
export type RunContext = Omit<StepContext, 'write' | 'writeOne'>;

/** Thrown values that end the whole job, not just a step: the user is somebody else's now. */
function endsTheJob(error: unknown, context: RunContext): boolean {
  return context.signal.aborted || codeOf(error) === 'lease_lost';
}

/** The sentence of an error of our own, which says what to do and holds no memory; strangers' sentences may. */
function detailOf(error: unknown): string | undefined {
  const isOurs =
    error instanceof DatabaseError || error instanceof ModelError || error instanceof QueueUnavailable;
  return isOurs ? error.message : undefined;
}

/** Whether a failure passes without anybody's help. What a model's border or a server reports is nobody's fault here. */
function isTransient(error: unknown): boolean {
  if (error instanceof QueueUnavailable) return true;
  if (error instanceof ModelError) return error.code !== 'invalid_request' && error.code !== 'too_large';
  return (error as { retryable?: unknown } | null)?.retryable === true;
}

/** A step that did not end in its time. Its signal is aborted; deaf to it, it may go on, but it can write nothing more. */
class StepTimeout extends Error {
  readonly code = 'step_timeout';
  readonly retryable = false;

  constructor() {
    super('the step did not end in its time');
    this.name = 'StepTimeout';
  }
}

function withSignal(context: RunContext, signal: AbortSignal): StepContext {
  const { database, tenant } = context;
  return {
    ...context,
    signal,
    write: (work, changes) =>
      database
        .withTenant(tenant, async (tx) => {
          signal.throwIfAborted();
          await requireLease(tx, context); // guard: write-lease
          const result = await work(tx);
          // Whatever took so long that the step is over must not be kept.
          signal.throwIfAborted(); // guard: write-late
          return result;
        })
        .finally(() => context.look.changed(changes)),
    writeOne: (statement, changes) =>
      database
        .withTenant(tenant, async (tx) => {
          signal.throwIfAborted();
          const held = await statement(tx, heldBy(context));
          if (!held) throw new LeaseLost(); // guard: write-one-lease
          signal.throwIfAborted();
        })
        .finally(() => context.look.changed(changes)),
  };
}

/** Runs a step until it ends or its time is over, whichever comes first. */
async function runWithin(step: Step, context: RunContext): Promise<StepResult> {
  const over = new AbortController();
  const signal = AbortSignal.any([context.signal, over.signal]);
  let timer: NodeJS.Timeout | undefined;
  let abandon = (): void => {};
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      over.abort(new StepTimeout());
      reject(new StepTimeout()); // guard: step-timeout
    }, context.limits.stepMs);
    // A step may be deaf to its signal: the job is over nevertheless.
    abandon = () => reject(context.signal.reason); // guard: steps-abandoned
    context.signal.addEventListener('abort', abandon, { once: true });
  });
  limit.catch(() => {});
  try {
    return await Promise.race([step.run(withSignal(context, signal)), limit]);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', abandon);
  }
}

/**
 * Runs the steps in order, each isolated: one that throws or does not end is in the report with its code, and the next one runs. Only
 * losing the user, or the end of the process's time, ends them all. None begins once the process is stopping or the run cancelled.
 */
export async function runSteps(steps: readonly Step[], context: RunContext): Promise<StepsEnd> {
  const end: StepsEnd = { reports: [], transient: true };
  for (const [index, step] of steps.entries()) {
    context.signal.throwIfAborted();
    if (index > 0) await context.cancel?.look();
    context.look.reach(index);
    const place = { ...idsOf(context), step: step.name, index, steps: steps.length };
    context.onEvent?.({ ...place, type: 'step_started' });
    const startedMs = context.nowMs();
    let result: StepResult;
    if (context.preview && !step.previews) {
      result = { status: 'skipped', reason: 'preview' };
    } else if (context.stopping.aborted) {
      result = { status: 'skipped', reason: context.cancel?.signal.aborted ? 'cancelled' : 'stopping' };
    } else {
      try {
        // A failure that a step reports itself is about our own work, such as a formula that disagrees: nothing against this user.
        result = await runWithin(step, context);
      } catch (error) {
        if (endsTheJob(error, context)) throw error;
        result = { status: 'failed', code: codeOf(error) };
        end.transient &&= isTransient(error);
        const facts = { ...errorFacts(error), detail: detailOf(error) };
        context.logger.warn({ ...idsOf(context), step: step.name, ...facts }, 'step failed');
      }
    }
    context.onEvent?.({ ...place, type: 'step_ended' });
    end.reports.push({ step: step.name, ...result, durationMs: Math.round(context.nowMs() - startedMs) });
  }
  context.look.reach(steps.length);
  return end;
}
