import { sql } from 'drizzle-orm';
import { requireUuid } from '../conflicts/require-uuid.ts';
import type { Transaction } from '../database.ts';
import { requireName, requireText, requireTime } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { uuidOrNull } from '../memories/addressed.ts';
import { dropOldVersions, versionIdOf } from './documents.ts';
import { inWorkspace, lockWorkspace, requireKey, requirePath, type WorkspaceKey, wholeText } from './key.ts';

/** What stood in a document before a run first changed it. */
export interface DocumentBefore {
  /** Null: there was none. */
  content: string | null;
  /** Of what the run left there, '' when it removed it; null when what stood there was forgotten: it cannot be brought back. */
  sha256After: string | null;
}

/** Null when the run did not change the document. */
export async function documentBefore(
  tx: Transaction,
  key: WorkspaceKey,
  of: { runId: string; path: string },
): Promise<DocumentBefore | null> {
  const [row] = await tx.rows<DocumentBefore>(sql`
    select ${wholeText('v.content')} as content, v.sha256_after as "sha256After" from slowwave.document_versions v
    where ${inWorkspace(key, 'v')} and v.path = ${of.path} and v.run_id = ${uuidOrNull(of.runId)}::uuid`);
  return row ?? null;
}

/** What a run replaces in a file that is not ours. */
export interface KeptFile {
  path: string;
  runId: string;
  /** What stands there before; null when there is no file. */
  content: string | null;
  /** Of what the run writes; '' when it removes the file. */
  sha256After: string | null;
  by: string;
  /** Epoch ms. */
  at: number;
}

/**
 * Keeps what a run replaces in a file of a folder. To be called before each write: the content before the first one stays, with the hash of
 * the last one. What a text column cannot hold is not kept.
 * @returns false when it could not be kept
 * @throws WorkspaceRefused `unknown_workspace`; InputError
 */
export async function keepVersion(tx: Transaction, key: WorkspaceKey, kept: KeptFile): Promise<boolean> {
  requireKey(key);
  requirePath(kept.path);
  requireUuid(kept.runId, 'runId');
  requireName(kept.by, 'by');
  requireTime(kept.at, 'at');
  if (kept.sha256After) requireText(kept.sha256After, 'sha256After', 64);
  if (kept.content !== null && (kept.content.includes('\0') || /\p{Surrogate}/u.test(kept.content)))
    return false;
  await lockWorkspace(tx, key);
  await tx.rows(sql`
    insert into slowwave.document_versions (tenant, user_id, workspace, path, id, run_id, version, content, sha256_after, replaced_at,
      replaced_by)
    values (${key.tenant}, ${key.user}, ${key.workspace}, ${kept.path}, ${versionIdOf(kept.runId)}::uuid, ${kept.runId}::uuid, null,
      ${kept.content}, ${kept.sha256After}, ${instantOf(kept.at)}, ${kept.by})
    on conflict (tenant, user_id, workspace, path, id) do update set sha256_after = excluded.sha256_after`);
  await dropOldVersions(tx, key, [kept.path]);
  return true;
}

/** One earlier content of a document, without its text. Instants in epoch ms. */
export interface DocumentVersion {
  id: string;
  path: string;
  runId: string | null;
  /** Of the content itself; null for a file of a folder, and where there was none. */
  version: number | null;
  /** Characters; null: there was none. */
  size: number | null;
  sha256After: string | null;
  replacedAt: number;
  replacedBy: string;
}

const VERSION = sql`v.id, v.path, v.run_id as "runId", v.version, length(v.content) as size, v.sha256_after as "sha256After",
  ${msOf('v.replaced_at')} as "replacedAt", v.replaced_by as "replacedBy"`;

/** What a document held before, newest first. */
export function listDocumentVersions(
  tx: Transaction,
  key: WorkspaceKey,
  path: string,
): Promise<DocumentVersion[]> {
  return tx.rows<DocumentVersion>(sql`
    select ${VERSION} from slowwave.document_versions v where ${inWorkspace(key, 'v')} and v.path = ${path}
    order by v.replaced_at desc, v.version desc nulls last, v.id desc`);
}

/** Null when there is none of that id. */
export async function readDocumentVersion(
  tx: Transaction,
  key: WorkspaceKey,
  of: { path: string; id: string },
): Promise<(DocumentVersion & { content: string | null }) | null> {
  const [row] = await tx.rows<DocumentVersion & { content: string | null }>(sql`
    select ${VERSION}, ${wholeText('v.content')} as content from slowwave.document_versions v
    where ${inWorkspace(key, 'v')} and v.path = ${of.path} and v.id = ${uuidOrNull(of.id)}::uuid`);
  return row ?? null;
}
