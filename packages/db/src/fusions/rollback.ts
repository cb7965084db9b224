import type { CommitResult } from '@slowwave/fusion';
import { claimRefusal } from './claim.ts';

/** Thrown to roll a commit back; becomes its outcome. */
export class Rollback extends Error {
  readonly result: CommitResult;

  constructor(result: CommitResult) {
    super('rolled back');
    this.name = 'Rollback';
    this.result = result;
  }
}

/** The outcome of a commit that was rolled back, by us or by the schema, which is the last defence. @throws everything else */
export function outcomeOf(error: unknown): CommitResult {
  if (error instanceof Rollback) return error.result;
  const refusal = claimRefusal(error);
  if (refusal === 'stale') return { status: 'stale' };
  if (refusal === 'claimed') return { status: 'stopped', reason: 'claimed' };
  throw error;
}
