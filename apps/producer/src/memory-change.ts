import {
  confirmMemory,
  demoteMemory,
  explainMemory,
  type ProminenceChange,
  setProminence,
  type Transaction,
} from '@slowwave/db';

/** What people may do to the prominence of one memory. */
export type MemoryChange =
  | { kind: 'confirm' }
  /** Above 0 and below 1: prominence is multiplied by it, until the memory is confirmed or set. */
  | { kind: 'demote'; factor: number }
  /** 0 to 1, as of now. */
  | { kind: 'prominence'; value: number };

export interface ChangedMemory extends ProminenceChange {
  user: string;
}

/**
 * Changes the prominence of the memory that is meant, by our id or the writer's own.
 * @param of.user whose memory it is; absent: whoever's of the tenant
 * @param of.at epoch ms
 * @returns null when there is no such memory
 * @throws MemoryRefused, InputError as the operations of @slowwave/db
 */
export async function changeMemory(
  tx: Transaction,
  of: { tenant: string; user?: string | undefined; id: string; at: number },
  change: MemoryChange,
): Promise<ChangedMemory | null> {
  // Without a user the reading way finds out who it is.
  const owner = of.user === undefined ? await explainMemory(tx, of) : { user: of.user, id: of.id };
  if (owner === null) return null;
  const address = { tenant: of.tenant, user: owner.user, id: owner.id, at: of.at };
  const changed = await apply(tx, address, change);
  return changed && { user: owner.user, ...changed };
}

function apply(
  tx: Transaction,
  address: { tenant: string; user: string; id: string; at: number },
  change: MemoryChange,
): Promise<ProminenceChange | null> {
  switch (change.kind) {
    case 'confirm':
      return confirmMemory(tx, address);
    case 'demote':
      return demoteMemory(tx, { ...address, factor: change.factor });
    case 'prominence':
      return setProminence(tx, { ...address, value: change.value });
  }
}
