import type { FusionFailure, ModelErrorCode, SkipReason } from './ports.ts';
import type { StatementsProblem } from './statements/answer.ts';
import type { DecidedStatement, GateCounts } from './statements/decide.ts';
import type { JudgePurpose } from './statements/verdicts.ts';

/** Why a cluster failed. 'unexpected_error' is anything thrown that is not the model's: the store, as a rule. */
export type FailureCode = FusionFailure | 'unexpected_error';

/** Why a cluster was not done now, through no fault of its own. */
export type DeferCode =
  | 'rate_limited'
  | 'auth'
  | 'budget'
  | 'batched'
  | 'unavailable'
  | 'aborted'
  | 'deadline'
  | 'lease_lost'
  | 'share_exceeded';

/** How one cluster ended. Ids, codes and numbers only. */
export type Ending =
  | {
      status: 'committed';
      key: string;
      derivedIds: string[];
      /** Memories superseded by this call; 0 when it was applied before. */
      superseded: number;
      already: boolean;
      /** Pairs that the model says disagree, by memory id. */
      conflicts: { a: string; b: string; kind: 'contradictory' | 'ambiguous' }[];
      counts: GateCounts;
      decided: DecidedStatement[];
    }
  | {
      /** proposed: waits for a person. previewed: nothing was written but the answer. */
      status: 'proposed' | 'previewed';
      key: string;
      derivedIds: string[];
      conflicts: { a: string; b: string; kind: 'contradictory' | 'ambiguous' }[];
      counts: GateCounts;
      decided: DecidedStatement[];
    }
  | {
      /** Asked and answered, and nothing of it stands: its sources stay as they are. */
      status: 'closed';
      key: string;
      conflicts: { a: string; b: string; kind: 'contradictory' | 'ambiguous' }[];
      counts: GateCounts;
      decided: DecidedStatement[];
    }
  | { status: 'skipped'; key: string; reason: SkipReason }
  | { status: 'stale'; key: string }
  | {
      status: 'failed';
      /** Null when the ledger row could not be made. */
      key: string | null;
      code: FailureCode;
      /** Whether trying again without anyone's help makes sense. */
      retryable: boolean;
      /** For 'provider_error' of a classified kind. */
      modelCode: ModelErrorCode | null;
      /** Name or code of what was thrown, never its message. */
      errorCode: string | null;
      problem: StatementsProblem | null;
    }
  | {
      status: 'deferred';
      /** Set when a ledger row exists: such a cluster belongs into the retry queue. Without one the next run plans it. */
      key: string | null;
      code: DeferCode;
      retryAfterMs: number | null;
    };

export interface Usage {
  calls: number;
  inputTokens: number;
  outputTokens: number;
}

export type ClusterOutcome = Ending & {
  memberIds: string[];
  usage: Usage;
  durationMs: number;
};

/** What happens while a step runs, for logs and progress. Ids and counts only. */
export type FusionEvent =
  | { type: 'planned'; clusters: number; members: number; considered: number }
  | { type: 'cluster_started'; index: number; members: number }
  | { type: 'answer_reused'; key: string; attempt: number }
  | {
      type: 'model_answered';
      key: string;
      attempt: number;
      inputTokens: number;
      outputTokens: number;
      durationMs: number;
    }
  /** A vote of the judge, or what the writer says to it. */
  | {
      type: 'judge_answered';
      key: string;
      purpose: JudgePurpose;
      inputTokens: number;
      outputTokens: number;
      durationMs: number;
    }
  /** What the checks say of an answer; `code` null: it may be committed. `durationMs` without the time that the judge took. */
  | {
      type: 'judged';
      key: string;
      code: FusionFailure | null;
      durationMs: number;
      judgeMs: number;
    }
  | { type: 'repair'; key: string; code: FusionFailure }
  | { type: 'cluster_ended'; index: number; outcome: ClusterOutcome };

/** A safe word for a thrown value: its code or name when they look like one. */
export function errorCodeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const { code, name } = error as { code?: unknown; name?: unknown };
  for (const word of [code, name]) {
    if (typeof word === 'string' && /^[A-Za-z0-9_.-]{1,40}$/.test(word)) return word;
  }
  return null;
}

/** Whether a thrown value says that trying again is useless. Whoever says nothing may be tried again. */
export function isRetryable(error: unknown): boolean {
  return !(
    typeof error === 'object' &&
    error !== null &&
    (error as { retryable?: unknown }).retryable === false
  );
}

/** The word for the ledger and the failed list: a provider's error says of which kind it was. */
export function failureWord(code: FailureCode, modelCode: ModelErrorCode | null): string {
  return code === 'provider_error' && modelCode ? `${code}_${modelCode}` : code;
}

/** A failed ending with nothing known but its code. */
export function failure(
  key: string | null,
  code: FailureCode,
  retryable: boolean,
): Extract<Ending, { status: 'failed' }> {
  return {
    status: 'failed',
    key,
    code,
    retryable,
    modelCode: null,
    errorCode: null,
    problem: null,
  };
}

/** A listener that throws is its own problem. */
export function notify(options: { onEvent?: (event: FusionEvent) => void }, event: FusionEvent): void {
  try {
    options.onEvent?.(event);
  } catch {
    // Nothing to do: the step goes on.
  }
}
