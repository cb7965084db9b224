import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { InputError, requireName, requireTime, requireWord } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { type CursorShape, decodeCursor, type ListPage, pageOf } from '../paging.ts';
import { TOKEN_ROLES } from '../schema/access.ts';
import { newSecret } from './secret.ts';

export { TOKEN_ROLES };
export type TokenRole = (typeof TOKEN_ROLES)[number];

/** Tokens of one tenant that are neither revoked nor expired. */
export const TOKENS_MAX = 1_000;
const HOUR_MS = 3_600_000;

/** What may be said of a token. Instants in epoch ms. */
export interface ApiToken {
  id: string;
  name: string;
  role: TokenRole;
  /** Whether what it writes may pass for the user's own word where an assistant holds it. */
  speaksForUser: boolean;
  createdAt: number;
  createdBy: string;
  /** Null: until it is revoked. */
  expiresAt: number | null;
  revokedAt: number | null;
  /** To the hour. */
  lastUsedAt: number | null;
}

export interface NewToken {
  tenant: string;
  /** What people call it, 1 to 200 characters. */
  name: string;
  role: TokenRole;
  /** Absent: it may not. */
  speaksForUser?: boolean | undefined;
  expiresAt?: number | null | undefined;
  createdBy: string;
  at: number;
}

const VIEW = sql`id, name, role, speaks_for_user as "speaksForUser", ${msOf('created_at')} as "createdAt", created_by as "createdBy",
  ${msOf('expires_at')} as "expiresAt", ${msOf('revoked_at')} as "revokedAt", ${msOf('last_used_at')} as "lastUsedAt"`;

/**
 * Makes a token. Its secret is in this answer and nowhere else.
 * @throws InputError `out_of_range` when it would be expired at once, `too_many` beyond TOKENS_MAX, and for names that cannot be any
 */
export async function createToken(
  tx: Transaction,
  input: NewToken,
): Promise<{ secret: string; token: ApiToken }> {
  const { tenant, name, role, createdBy, at, speaksForUser = false, expiresAt = null } = input;
  requireName(name, 'name');
  requireName(createdBy, 'createdBy');
  requireWord(role, 'role', TOKEN_ROLES);
  requireTime(expiresAt, 'expiresAt');
  if (expiresAt !== null && expiresAt <= at) {
    throw new InputError('out_of_range', 'expiresAt', 'expiresAt must lie in the future');
  }
  const id = newId(at);
  const { secret, digest } = newSecret(id);
  const [token] = await tx.rows<ApiToken>(sql`
    insert into slowwave.api_tokens (tenant, id, name, role, speaks_for_user, digest, created_at, created_by, expires_at)
    select ${tenant}, ${id}::uuid, ${name}, ${role}, ${speaksForUser}, ${digest}, ${instantOf(at)}, ${createdBy}, ${instantOf(expiresAt)}
    where (select count(*) from slowwave.api_tokens where tenant = ${tenant} and revoked_at is null
      and (expires_at is null or expires_at > ${instantOf(at)})) < ${TOKENS_MAX}
    returning ${VIEW}`);
  if (!token) {
    throw new InputError('too_many', 'tokens', `a tenant has at most ${TOKENS_MAX} tokens: revoke some`);
  }
  return { secret, token };
}

const PAGE = { list: 'tokens', key: { id: 'uuid' } } as const satisfies CursorShape;

/**
 * Tokens of a tenant, revoked and expired ones too, the newest first.
 * @throws InputError for a cursor of something else
 */
export async function listTokens(
  tx: Transaction,
  of: { tenant: string; limit: number; cursor?: string | undefined },
): Promise<ListPage<ApiToken>> {
  const before = decodeCursor(PAGE, of.cursor)?.id ?? null;
  const rows = await tx.rows<ApiToken>(sql`
    select ${VIEW} from slowwave.api_tokens
    where tenant = ${of.tenant} and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc
    limit ${of.limit + 1}`);
  return pageOf(PAGE, rows, of.limit, ({ id }) => ({ id }));
}

/** Ends a token for good; one that was revoked before stays revoked since then. @returns null when there is none */
export async function revokeToken(
  tx: Transaction,
  of: { tenant: string; id: string; at: number },
): Promise<ApiToken | null> {
  const [token] = await tx.rows<ApiToken>(sql`
    update slowwave.api_tokens set revoked_at = coalesce(revoked_at, ${instantOf(of.at)})
    where tenant = ${of.tenant} and id = ${of.id}::uuid
    returning ${VIEW}`);
  return token ?? null;
}

/** What is needed to let somebody in. */
export interface TokenRecord {
  tenant: string;
  id: string;
  name: string;
  role: TokenRole;
  speaksForUser: boolean;
  /** SHA-256 of the whole token, hex. */
  digest: string;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
}

/** Finds a token before its tenant is known. For the dispatcher's role. @returns null when there is none */
export async function findToken(tx: Transaction, id: string): Promise<TokenRecord | null> {
  const [found] = await tx.rows<TokenRecord>(sql`
    select tenant, id, name, role, speaks_for_user as "speaksForUser", digest, ${msOf('expires_at')} as "expiresAt", ${msOf('revoked_at')} as "revokedAt",
      ${msOf('last_used_at')} as "lastUsedAt"
    from slowwave.api_tokens where id = ${id}::uuid`);
  return found ?? null;
}

/** Notes that a token was used in this hour; later in the same hour nothing is written. For the dispatcher's role. */
export async function markTokenUsed(tx: Transaction, of: { id: string; at: number }): Promise<void> {
  const hour = instantOf(of.at - (of.at % HOUR_MS));
  await tx.rows(sql`
    update slowwave.api_tokens set last_used_at = ${hour}
    where id = ${of.id}::uuid and (last_used_at is null or last_used_at < ${hour})`);
}
