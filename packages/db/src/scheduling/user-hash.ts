import { createHash } from 'node:crypto';

/**
 * A user's own place among all users, 0 (inclusive) to 1 (exclusive): spreads due times evenly and is the same in every process
 * and after every restart.
 */
export function userHashOf(tenant: string, user: string): number {
  const digest = createHash('sha256')
    .update(`${Buffer.byteLength(tenant)}:`)
    .update(tenant)
    .update(user)
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}
