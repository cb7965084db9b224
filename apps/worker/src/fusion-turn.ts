import type { LoadedFusion } from '@slowwave/db';
import type { LLMProvider, ModelErrorCode } from '@slowwave/fusion';
import { isEndpointFailure, type Pacing, type Retry } from './pacing.ts';

/** Whether the model may be asked for a fusion that waits in the queue, and if not, why and for how long, ms. */
export type Turn = Retry | { rateLimitedMs: number } | { noRetryMs: number };

const FREE: Retry = { ended() {} };

const RETRY_FIRST_MS = 10_000;
const RETRY_LONGEST_MS = 5 * 60_000;

/** Looked at before the user is taken: most of those who have to wait for a model cost no more than this. */
export async function paceTurn(
  pacing: Pacing | undefined,
  provider: LLMProvider,
  of: { fusion: Pick<LoadedFusion, 'answer' | 'errorCode'>; attempt: number },
): Promise<Turn> {
  if (!pacing) return FREE;
  // What is paid for only has to be judged.
  if (of.fusion.answer) return FREE; // guard: turn-paid
  const rateLimitedMs = await pacing.waitMs(provider);
  if (rateLimitedMs > 0) return { rateLimitedMs };
  if (!isRetry(of)) return FREE; // guard: turn-retries
  const retry = await pacing.retry(provider);
  return 'waitMs' in retry ? { noRetryMs: retry.waitMs } : retry;
}

/** Its last call failed at the provider. A cluster that was only put off has not been asked about yet. */
function isRetry({ fusion, attempt }: { fusion: Pick<LoadedFusion, 'errorCode'>; attempt: number }): boolean {
  return attempt > 1 || (fusion.errorCode?.startsWith('provider_error') ?? false);
}

/** Time-outs of a call that was sent may have been paid for: a fusion whose calls alone time out uses attempts after so many postponements. */
const TIMEOUTS_POSTPONED = 12;

/**
 * Whether the endpoint is to blame and not the fusion, which then waits and uses no attempt: it fails for everybody, or one of the models
 * that were asked has answered nothing for several calls.
 * @param asked the models that the fusion asks
 * @param failed.postponed how often the fusion has waited already
 */
export function isBlameless(
  pacing: Pacing | undefined,
  asked: readonly LLMProvider[],
  failed: { retryable: boolean; modelCode: ModelErrorCode | null; postponed: number },
): boolean {
  if (!pacing || !failed.retryable || !isEndpointFailure(failed.modelCode)) return false;
  if (asked.some(pacing.isFailing)) return true;
  const isPatient = failed.modelCode !== 'timeout' || failed.postponed < TIMEOUTS_POSTPONED; // guard: timeouts-bounded
  return isPatient && asked.some(pacing.isUnanswered);
}

/**
 * When to look again whether a retry may be made: later and later, so that many who wait cost little, and not all at once.
 * @param waitMs until the next one may be, ms
 * @param postponed how often this one has waited already
 */
export function retryDelayMs(waitMs: number, postponed: number, random: () => number = Math.random): number {
  const growing = Math.min(
    RETRY_LONGEST_MS,
    RETRY_FIRST_MS * (postponed + 1), // guard: turn-growing
  );
  return Math.ceil(Math.max(waitMs, growing) * (0.75 + random() / 2));
}
