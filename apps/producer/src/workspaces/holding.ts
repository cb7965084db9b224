import { LeaseLost, requireLease, type Transaction, WorkspaceRefused, whileHolding } from '@slowwave/db';
import type { PlaceOptions } from './places.ts';
import type { WorkspaceKey } from './types.ts';

/** As long as people wait for an answer. */
const WAIT_MS = 10_000;

/** Somebody is at work on the user's memories, and was for as long as we waited. */
export class UserBusy extends Error {
  readonly code = 'busy';
  readonly retryable = true;

  constructor() {
    super('a run is at work for this user; try again when it has ended');
    this.name = 'UserBusy';
  }
}

/** A transaction that proves that the user is still held. */
export type Write = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/**
 * Does one short piece of work on a workspace while no run changes anything of its user.
 * @throws UserBusy; WorkspaceRefused `unknown_user`
 */
export async function holding<T extends object>(
  { database, now, waitMs = WAIT_MS }: Pick<PlaceOptions, 'database' | 'now'> & { waitMs?: number },
  { tenant, user, workspace }: WorkspaceKey,
  purpose: string,
  work: (write: Write) => Promise<T>,
): Promise<T> {
  const hold = { tenant, user, at: now(), purpose, waitMs };
  const result = await whileHolding(database, hold, (lease) =>
    work((act) =>
      database.withTenant(tenant, async (tx) => {
        await requireLease(tx, { tenant, user, lease });
        return act(tx);
      }),
    ),
  ).catch((error: unknown) => {
    throw error instanceof LeaseLost ? new UserBusy() : error;
  });
  if (result === 'busy') throw new UserBusy();
  if (result === 'unknown_user') {
    throw new WorkspaceRefused('unknown_user', workspace, 'there is no such user');
  }
  return result;
}
