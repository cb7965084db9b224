export type ReviewRefusedCode =
  /** There is no such fusion. */
  | 'unknown'
  /** It waits for nobody: decided, expired or never proposed. */
  | 'not_in_review'
  /** It waited for too long; the next run proposes it again. */
  | 'expired'
  /** A run holds the user. */
  | 'busy';

/** A decision about a fusion that cannot be carried out. Says what to do instead; carries keys and states only. */
export class ReviewRefused extends Error {
  readonly code: ReviewRefusedCode;
  readonly retryable: boolean;
  readonly key: string;
  /** Where the fusion stands in the ledger; null for one that is not there. */
  readonly status: string | null;

  constructor(code: ReviewRefusedCode, key: string, status: string | null = null) {
    super(sentenceOf(code, status));
    this.name = 'ReviewRefused';
    this.code = code;
    this.retryable = code === 'busy';
    this.key = key;
    this.status = status;
  }
}

function sentenceOf(code: ReviewRefusedCode, status: string | null): string {
  switch (code) {
    case 'unknown':
      return 'there is no such fusion of this user';
    case 'not_in_review':
      return status === 'applied'
        ? 'the fusion is applied already: to take it back, undo it'
        : `the fusion does not wait for a decision: it is ${status}`;
    case 'expired':
      return 'the proposal has waited too long and is taken back; a later run proposes it again';
    case 'busy':
      return 'a run is at work for this user; try again when it has ended';
  }
}
