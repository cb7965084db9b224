/** What a user has said about things that an agent did on its own. */
export interface TrustSignals {
  accepted: number;
  dismissed: number;
  /** How many explicit ratings, and their sum; each is 0 (bad) to 1 (good). */
  explicit: number;
  explicitSum: number;
  /** Sessions of the user so far. */
  sessions: number;
}

/** How much an agent may do unasked. */
export type Stance = 'conservative' | 'balanced' | 'eager';

export type TrustUpdate =
  /** `now` is what the new signals alone say, 0 to 1. */
  | { status: 'updated'; trust: number; stance: Stance; now: number }
  | { status: 'too_few_sessions' | 'no_signals' };

/** Fewer sessions say too little about anybody. */
export const TRUST_MIN_SESSIONS = 5;
/** Trust of whoever has none yet. */
export const INITIAL_TRUST = 0.5;
const SHARE_OF_NOW = 0.3;
const CONSERVATIVE_BELOW = 0.3;
const EAGER_FROM = 0.7;

/**
 * Trust after new feedback: 0.3 of what it says and 0.7 of what was. Each accepted or dismissed thing and each explicit rating is one
 * voice.
 *
 * @param before 0 to 1; null counts as 0.5
 * @param signals what has come in since; `sessions` counts all of them
 */
export function updateTrust(before: number | null, signals: TrustSignals): TrustUpdate {
  if (!(signals.sessions >= TRUST_MIN_SESSIONS)) return { status: 'too_few_sessions' };
  const voices = signals.accepted + signals.dismissed + signals.explicit;
  if (!(voices > 0)) return { status: 'no_signals' };
  const now = toShare((signals.accepted + signals.explicitSum) / voices);
  const trust = toShare(SHARE_OF_NOW * now + (1 - SHARE_OF_NOW) * (before ?? INITIAL_TRUST));
  return { status: 'updated', trust, stance: stanceOf(trust), now };
}

/** Conservative below 0.3, eager from 0.7. */
export function stanceOf(trust: number): Stance {
  if (trust < CONSERVATIVE_BELOW) return 'conservative';
  return trust >= EAGER_FROM ? 'eager' : 'balanced';
}

function toShare(value: number): number {
  return Math.min(1, Math.max(0, value));
}
