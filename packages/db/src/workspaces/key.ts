import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { requireName, requireText } from '../input-error.ts';
import { WorkspaceRefused } from './errors.ts';

/** Whose workspaces. */
export interface Owner {
  tenant: string;
  user: string;
}

/** One workspace of one user. */
export interface WorkspaceKey extends Owner {
  /** The name that its user gave it; two users may use the same one. */
  workspace: string;
}

export const DOCUMENT_PATH_CHARS_MAX = 255;

/** `tenant = … and user_id = … and workspace = …`, of the key. */
export function inWorkspace(key: WorkspaceKey, alias?: string): SQL {
  const prefix = sql.raw(alias ? `${alias}.` : '');
  return sql`${prefix}tenant = ${key.tenant} and ${prefix}user_id = ${key.user} and ${prefix}workspace = ${key.workspace}`;
}

/** @throws InputError */
export function requireKey(key: WorkspaceKey): void {
  requireName(key.tenant, 'tenant');
  requireName(key.user, 'user');
  requireName(key.workspace, 'workspace');
}

/** @throws InputError */
export function requirePath(path: string): void {
  requireText(path, 'path', DOCUMENT_PATH_CHARS_MAX);
}

/** Nothing of this user is forgotten until the transaction ends. @returns whether there is such a user */
export async function holdMemories(tx: Transaction, of: Owner): Promise<boolean> {
  const rows = await tx.rows(
    sql`select 1 from slowwave.users where tenant = ${of.tenant} and id = ${of.user} for share`,
  );
  return rows.length === 1;
}

/**
 * Keeps other writers of the workspace, and whoever forgets something of its user, waiting until the transaction ends. In the order of
 * everybody who locks both: the user, the workspace, then memories.
 * @throws WorkspaceRefused `unknown_workspace`
 */
export async function lockWorkspace(tx: Transaction, key: WorkspaceKey): Promise<{ quotaBytes: number }> {
  await holdMemories(tx, key);
  const [row] = await tx.rows<{ quotaBytes: number }>(sql`
    select quota_bytes::float8 as "quotaBytes" from slowwave.workspaces
    where tenant = ${key.tenant} and user_id = ${key.user} and id = ${key.workspace}
    for no key update`);
  if (!row) throw unknownWorkspace(key);
  return row;
}

export function unknownWorkspace(key: WorkspaceKey): WorkspaceRefused {
  return new WorkspaceRefused('unknown_workspace', key.workspace, 'there is no such workspace of this user');
}

/** A text column byte for byte: as a plain value the embedded driver would take a byte order mark off its beginning. */
export function wholeText(column: string): SQL {
  return sql`to_json(${sql.raw(column)})`;
}
