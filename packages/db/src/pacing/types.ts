/** A model as it is asked for. */
export interface RateKey {
  provider: string;
  model: string;
}

/** What a process has seen of a model since it last told. Numbers of calls. */
export interface RateReport {
  /** Made without a permit, while nobody had objected. */
  calls?: number;
  answered?: number;
  /** Failed in a way that another try may heal: an overloaded, broken or unreachable endpoint. */
  failed?: number;
  /** Retries that have ended, however they ended. */
  retried?: number;
  /** The endpoint objected to a call: 429, 529. */
  refusal?: {
    /** How long ago the call was begun, ms. */
    begunMsAgo: number;
    /** What the endpoint asked for, ms; null: nothing. */
    retryAfterMs: number | null;
  };
}

/** A permit for one call, a token for one retry (given back by `retried`), or only a look. */
export type RateWish = 'look' | 'permit' | 'retry';

/** How a model may be asked now. */
export interface RateAnswer {
  /** Calls a minute, of all workers together; null: not limited. */
  perMinute: number | null;
  /** No call before, ms from now; 0: none is held back. */
  pausedMs: number;
  /** When the next permit is there, ms from now; 0: at once. */
  permitInMs: number;
  /** Of RETRY_TOKENS. At half of them or below the endpoint fails for everybody. */
  retryTokens: number;
  /** Whether what was wished for is granted. A permit that is granted may be used after `waitMs`. */
  granted: boolean;
  /** Until the wish may be carried out, or made again, ms. */
  waitMs: number;
}

/** A look at a rate is believed for so long, ms; refusals of calls begun within it after a lowering belong to the same episode. */
export const RATE_LOOK_MS = 5_000;
/** A permit is granted when it is there within this, ms. */
export const PERMIT_WAIT_MS = 5_000;
/** How long permits that nobody takes are kept, ms. */
export const PERMIT_KEPT_MS = 2_000;
/** Fewer refusals than this share of the calls are nothing that calling less would change. */
export const REFUSED_SHARE = 0.01;
/** How long nobody calls after a lowering by a refusal that does not say, and after one that says more, at most, ms. */
export const REFUSED_PAUSE_MS = 5_000;
export const REFUSED_PAUSE_MAX_MS = 5 * 60_000;
/** Of what was really used, a refusal leaves so much, but never less than these calls a minute: one refusal while little was asked says little. */
export const LOWERED_SHARE = 0.5;
export const LEAST_PER_MINUTE = 5;
/** A minute of answers adds this share of what was used when it was lowered, and these calls at least. */
export const RAISED_SHARE = 0.1;
export const LEAST_RAISE = 2;
/** What is added doubles with each such time without a refusal, ms. */
export const RAISE_DOUBLES_MS = 5 * 60_000;
/** After such a time without a refusal there is no limit any more, ms. */
export const RATE_FORGOTTEN_MS = 60 * 60_000;

export const RETRY_TOKENS = 20;
/** No retry leaves fewer than this. */
export const RETRY_TOKENS_KEPT = RETRY_TOKENS / 2;
/** What an answer gives back. */
export const RETRY_TOKENS_BACK = 0.1;
/** One comes back by itself in this time, so that somebody asks again how the endpoint is, ms. */
export const RETRY_TOKEN_MS = 10_000;
