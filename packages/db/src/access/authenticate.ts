import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../database.ts';
import { digestOf, idOfToken } from './secret.ts';
import { findToken, markTokenUsed, type TokenRecord } from './tokens.ts';

/** Whose token it is. */
export type TokenOwner = Pick<TokenRecord, 'tenant' | 'id' | 'name' | 'role' | 'speaksForUser'>;

/**
 * Whom a token lets in, and notes that it was used.
 * @param at epoch ms
 * @returns null for one that is unknown, wrong, expired or revoked: nobody is told which
 */
export async function authenticateToken(
  database: Database,
  token: string,
  at: number,
): Promise<TokenOwner | null> {
  const id = idOfToken(token);
  if (id === null) return null;
  // Computed for unknown ids as well, so that the time of an answer does not tell which ids there are.
  const digest = Buffer.from(digestOf(token), 'hex');
  return database.asDispatcher(async (tx) => {
    const found = await findToken(tx, id);
    const matches = timingSafeEqual(digest, found ? Buffer.from(found.digest, 'hex') : Buffer.alloc(32));
    if (!found || !matches || !isLive(found, at)) return null;
    if (found.lastUsedAt === null || found.lastUsedAt <= at - HOUR_MS) await markTokenUsed(tx, { id, at });
    const { tenant, name, role, speaksForUser } = found;
    return { tenant, id, name, role, speaksForUser };
  });
}

const HOUR_MS = 3_600_000;

/** Whether a token that let somebody in before still would. @param at epoch ms */
export async function isTokenLive(database: Database, id: string, at: number): Promise<boolean> {
  const found = await database.asDispatcher((tx) => findToken(tx, id));
  return found !== null && isLive(found, at);
}

function isLive({ revokedAt, expiresAt }: TokenRecord, at: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > at);
}
