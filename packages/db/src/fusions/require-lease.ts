import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { leaseHeld } from './scope.ts';

/** The user is somebody else's now: whatever this job wanted to write is no longer its to write. */
export class LeaseLost extends Error {
  readonly code = 'lease_lost';
  readonly retryable = true;

  constructor() {
    super('the hold on the user was lost');
    this.name = 'LeaseLost';
  }
}

/** The proof that a job still holds its user, as a condition for the one statement of a transaction. */
export type HoldProof = SQL;

/** See requireLease. */
export function heldBy(held: {
  tenant: string;
  user: string;
  lease: { holder: string; fence: number };
}): HoldProof {
  return leaseHeld(held);
}

/**
 * Proves inside a transaction that this job still holds its user, and keeps it from being taken over until the transaction ends.
 * @throws LeaseLost
 */
export async function requireLease(
  tx: Transaction,
  held: { tenant: string; user: string; lease: { holder: string; fence: number } },
): Promise<void> {
  const [row] = await tx.rows<{ held: boolean }>(sql`select ${leaseHeld(held)} as held`);
  if (!row!.held) throw new LeaseLost(); // guard: require-lease
}
