import {
  type CompletionRequest,
  estimateTokens,
  type LLMProvider,
  ModelError,
  type Tier,
  type Usage,
} from '@slowwave/fusion';
import { inputTokensOf } from '@slowwave/models';
import { type Breaker, createBreaker } from './breaker.ts';
import type { UserJobDeps } from './context.ts';
import { MODEL_ROLES, type ModelRole } from './model-roles.ts';

type StepModels = Pick<UserJobDeps, 'provider' | 'providers'>;

/** Whom a step asks: its own model, else the one of all steps; null when there is none. */
export function providerOf({ provider, providers }: StepModels, step: ModelRole): LLMProvider | null {
  return providers?.[step] ?? provider;
}

/** Whom the judge of a tier's statements asks: its own model, else the one that writes them. */
export function judgeOf(models: StepModels, tier: Tier): LLMProvider | null {
  return models.providers?.judge ?? providerOf(models, tier === 'sleep' ? 'nrem' : 'fusion');
}

/** All models, each in the same wrapping. Steps that share a provider share it there too. */
export function wrapModels(models: StepModels, wrap: (inner: LLMProvider) => LLMProvider): StepModels {
  const wrapped = new Map<LLMProvider, LLMProvider>();
  const once = (inner: LLMProvider): LLMProvider => {
    const known = wrapped.get(inner) ?? wrap(inner);
    wrapped.set(inner, known);
    return known;
  };
  const providers: StepModels['providers'] = {};
  for (const step of MODEL_ROLES) {
    const own = models.providers?.[step];
    if (own) providers[step] = once(own);
  }
  return { provider: models.provider && once(models.provider), providers };
}

/**
 * All models behind one breaker: they are asked with one key, so a refusal of one is a refusal of all. The breaker is
 * null where no model is.
 */
export function guardModels(
  models: StepModels,
  nowMs: () => number,
): StepModels & { breaker: Breaker | null } {
  const given = MODEL_ROLES.map((step) => providerOf(models, step));
  if (given.every((provider) => provider === null)) return { ...models, breaker: null };
  const breaker = createBreaker(nowMs);
  return { ...wrapModels(models, breaker.guard), breaker };
}

/** What a step used, and how many of its questions wait in a batch (absent: none). */
export type StepUsage = Usage & { batched?: number };

/** A provider that may spend so much and no more. */
export interface LimitedProvider {
  provider: LLMProvider;
  /** Calls begun, and what their answers said they cost. */
  used(): StepUsage;
  /** Another provider on the same account. */
  also(inner: LLMProvider): LLMProvider;
  /** No further call is begun: the tokens are used up, or the next request was larger than what is left. */
  exhausted(): boolean;
}

function requestTokens({ system, messages }: CompletionRequest): number {
  return messages.reduce((sum, { content }) => sum + estimateTokens(content), estimateTokens(system ?? ''));
}

/**
 * Bounds what a step spends, read and written. A call is begun only when the estimate of its request fits beside what is used and
 * what calls under way have asked for; so the limit is passed by the length of one answer at most. A call that does not fit ends the
 * spending: it fails as a paused provider's does (ModelError `auth`), which every step takes as the end of its model work.
 *
 * @param tokens the limit. What an answer's usage says is counted: a provider that reports nothing is held by its requests only
 *   while they are under way.
 */
export function limitTokens(inner: LLMProvider, tokens: number): LimitedProvider {
  const usage: Usage = { calls: 0, inputTokens: 0, outputTokens: 0 };
  let underWay = 0;
  let refused = false;
  // Questions that wait in a batch, and what they asked for: it is this run that spends it.
  let batched = 0;
  let promised = 0;

  const spent = (): number =>
    usage.inputTokens +
    usage.outputTokens +
    underWay + // guard: tokens-under-way
    promised;
  const exhausted = (): boolean =>
    refused ||
    // guard: tokens-used
    spent() >= tokens;

  return {
    used: () => ({ ...usage, ...(batched > 0 ? { batched } : {}) }),
    exhausted,
    provider: bounded(inner),
    also: bounded,
  };

  function bounded(inner: LLMProvider): LLMProvider {
    return {
      ...inner,
      isAvailable: () => !exhausted() && inner.isAvailable(),
      async complete(request) {
        const estimate = requestTokens(request);
        if (exhausted() || spent() + estimate > tokens) {
          refused = true;
          throw new ModelError('auth', { retryable: false, hint: 'the tokens of this step are used up' });
        }
        usage.calls += 1;
        underWay += estimate;
        try {
          const response = await inner.complete(request);
          usage.inputTokens += response.usage ? inputTokensOf(response.usage) : 0;
          usage.outputTokens += response.usage?.outputTokens ?? 0;
          return response;
        } catch (error) {
          if (error instanceof ModelError && error.code === 'batched') {
            usage.calls -= 1;
            batched += 1;
            promised += estimate;
          }
          throw error;
        } finally {
          underWay -= estimate;
        }
      },
    };
  }
}
