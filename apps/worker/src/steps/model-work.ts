import type { LLMProvider } from '@slowwave/fusion';
import type { StepContext, StepLimits, StepResult } from '../context.ts';
import type { ModelStep } from '../model-roles.ts';
import { limitTokens, providerOf, type StepUsage } from '../step-models.ts';

/** Why a step's model work ended before its time. */
export type StopReason =
  | 'deadline'
  | 'tokens'
  | 'budget'
  | 'rate_limited'
  | 'auth'
  | 'unavailable'
  | 'stopping';

/** What a provider that does not answer now says of it. */
type Unanswered = Extract<StopReason, 'budget' | 'rate_limited' | 'auth' | 'unavailable'>;

/** The model of one step of one run, and what is left of what it may spend. */
export interface ModelWork {
  provider: LLMProvider;
  /** The model asked, as it stands in keys. */
  model: string;
  limits: StepLimits;
  /** The instant of `nowMs` from which no call is begun. */
  deadlineMs: number;
  usage(): StepUsage;
  /** Another model that the step asks besides, within the same limits. */
  also(provider: LLMProvider): LLMProvider;
  /** Says in a step's own words why a provider no longer answers. */
  reasonOf(code: Unanswered): StopReason;
  /** Why no further call may be begun, or null. @throws what the signal aborts with */
  stopped(): StopReason | null;
}

/** Why a step that asks a model cannot begin. */
type Skipped = Extract<StepResult, { status: 'skipped' }>;

const skipped = (reason: string): Skipped => ({ status: 'skipped', reason });

/**
 * Opens the model work of a step, or says why there is none: no model, a mode that forbids it, a budget that is used up, a
 * provider that is paused.
 * @param modes the modes of a user in which the step works
 */
export function openModelWork(
  context: StepContext,
  step: ModelStep,
  modes: readonly StepContext['mode'][],
): ModelWork | Skipped {
  const provider = providerOf(context, step);
  if (provider === null) return skipped('no_model_provider');
  if (!modes.includes(context.mode)) return skipped(`mode_${context.mode}`);
  if (context.spending?.isUsedUp(step)) return skipped('budget');
  if (!provider.isAvailable()) return skipped('model_paused');
  const limits = context.limits.steps[step];
  const limited = limitTokens(provider, limits.tokens);
  const deadlineMs = context.nowMs() + limits.ms;

  const overBudget = (): boolean => context.spending?.isUsedUp(step) ?? false;

  // A provider that says no may be paused, or out of tokens, or about to stop with the process: the last two are for us to know.
  function reasonOf(code: Unanswered): StopReason {
    if (code === 'rate_limited') return code;
    if (overBudget()) return 'budget';
    if (limited.exhausted()) return 'tokens';
    return context.stopping.aborted ? 'stopping' : code;
  }

  return {
    provider: limited.provider,
    model: provider.model ?? provider.name,
    limits,
    deadlineMs,
    usage: limited.used,
    also: limited.also,
    reasonOf,
    stopped() {
      context.signal.throwIfAborted();
      if (context.stopping.aborted) return 'stopping';
      if (overBudget()) return 'budget';
      if (limited.exhausted()) return 'tokens';
      if (context.nowMs() >= deadlineMs) return 'deadline';
      return limited.provider.isAvailable() ? null : 'unavailable';
    },
  };
}

/** Whether model work was opened. */
export function isOpen(work: ModelWork | Skipped): work is ModelWork {
  return 'provider' in work;
}
