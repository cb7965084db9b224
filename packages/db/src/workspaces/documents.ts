import { sql } from 'drizzle-orm';
import { nameArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { contentHashOf, newId, stableId } from '../ids.ts';
import { InputError, requireName, requireNumber, requireTime } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { DocumentConflict, QuotaExceeded } from './errors.ts';
import { inWorkspace, lockWorkspace, requireKey, requirePath, type WorkspaceKey, wholeText } from './key.ts';
import { listForgottenLines } from './managed-lines.ts';

/** A document without its text. Instants in epoch ms. */
export interface DocumentEntry {
  path: string;
  /** SHA-256 of the content in UTF-8, hex. */
  sha256: string;
  /** Of the content in UTF-8. */
  bytes: number;
  /** From 1; every write that changes something is a new one. */
  version: number;
  updatedAt: number;
  updatedBy: string;
}

export interface StoredDocument extends DocumentEntry {
  content: string;
}

export interface DocumentWrite {
  path: string;
  /** Any text that the database can hold, the empty one included. */
  content: string;
  /** A person, an agent, or the step of a run. */
  by: string;
  /** Epoch ms. */
  at: number;
  /** The run that writes: what stood before its first write is kept under it. */
  runId?: string | null | undefined;
  /** Of what a writer without a run replaces; drawn without one. */
  versionId?: string | undefined;
  /** SHA-256 of what is replaced, null when nothing may stand there yet; absent: whatever stands there. */
  expectedSha256?: string | null | undefined;
  /** The version that is replaced, 0 when nothing may stand there yet; absent: whatever stands there. */
  expectedVersion?: number | undefined;
}

/** Versions kept of one document; the oldest go first. */
export const DOCUMENT_VERSIONS_MAX = 100;
/** As the hash of what took the place of a document that was removed. Null says that what stood there was forgotten. */
export const NOTHING_STANDS = '';

const ENTRY = sql`d.path, d.sha256, d.bytes::float8 as bytes, d.version, ${msOf('d.updated_at')} as "updatedAt",
  d.updated_by as "updatedBy"`;

/** Null when there is none. */
export async function readDocument(
  tx: Transaction,
  key: WorkspaceKey,
  path: string,
): Promise<StoredDocument | null> {
  const [row] = await tx.rows<StoredDocument>(sql`
    select ${ENTRY}, ${wholeText('d.content')} as content from slowwave.documents d where ${inWorkspace(key, 'd')} and d.path = ${path}`);
  return row ?? null;
}

/** All documents of a workspace, by path. */
export function listDocuments(tx: Transaction, key: WorkspaceKey): Promise<DocumentEntry[]> {
  return tx.rows<DocumentEntry>(sql`
    select ${ENTRY} from slowwave.documents d where ${inWorkspace(key, 'd')} order by d.path collate "C"`);
}

/** All documents of a workspace with their texts, by path. */
export function readDocuments(tx: Transaction, key: WorkspaceKey): Promise<StoredDocument[]> {
  return tx.rows<StoredDocument>(sql`
    select ${ENTRY}, ${wholeText('d.content')} as content from slowwave.documents d where ${inWorkspace(key, 'd')} order by d.path collate "C"`);
}

/**
 * Writes a document whole and keeps what stood there. Writers of one workspace wait for each other; the same content again changes nothing.
 * @throws DocumentConflict; QuotaExceeded; WorkspaceRefused `unknown_workspace`; InputError
 */
export async function writeDocument(
  tx: Transaction,
  key: WorkspaceKey,
  write: DocumentWrite,
): Promise<DocumentEntry> {
  requireWrite(key, write);
  const { quotaBytes } = await lockWorkspace(tx, key);
  const stands = await readDocument(tx, key, write.path);
  if (!isExpected(stands, write)) throw new DocumentConflict('changed', write.path, stands);
  const sha256 = contentHashOf(write.content);
  if (stands?.sha256 === sha256) return entryOf(stands);
  if (stands === null) await requirePlace(tx, key, write.path);
  if ((await listForgottenLines(tx, key, write.content)).length > 0) {
    throw new DocumentConflict('forgotten', write.path, stands);
  }
  const bytes = Buffer.byteLength(write.content, 'utf8');
  await requireQuota(tx, key, { path: write.path, bytes, quotaBytes });
  await keep(tx, key, { ...write, sha256After: sha256 });
  const [row] = await tx.rows<DocumentEntry>(sql`
    insert into slowwave.documents as d (tenant, user_id, workspace, path, content, sha256, bytes, version, updated_at, updated_by)
    values (${key.tenant}, ${key.user}, ${key.workspace}, ${write.path}, ${write.content}, ${sha256}, ${bytes}::bigint, 1,
      ${instantOf(write.at)}, ${write.by})
    on conflict (tenant, user_id, workspace, path) do update set content = excluded.content, sha256 = excluded.sha256,
      bytes = excluded.bytes, version = d.version + 1, updated_at = excluded.updated_at, updated_by = excluded.updated_by
    returning ${ENTRY}`);
  return row!;
}

/**
 * Removes a document and keeps what stood there.
 * @returns false when there was none
 * @throws DocumentConflict; WorkspaceRefused `unknown_workspace`; InputError
 */
export async function removeDocument(
  tx: Transaction,
  key: WorkspaceKey,
  removal: Omit<DocumentWrite, 'content'>,
): Promise<boolean> {
  requireWrite(key, { ...removal, content: '' });
  await lockWorkspace(tx, key);
  const stands = await readDocument(tx, key, removal.path);
  if (!isExpected(stands, removal)) throw new DocumentConflict('changed', removal.path, stands);
  if (!stands) return false;
  await keep(tx, key, { ...removal, sha256After: NOTHING_STANDS });
  await tx.rows(sql`delete from slowwave.documents where ${inWorkspace(key)} and path = ${removal.path}`);
  return true;
}

function requireWrite(key: WorkspaceKey, write: DocumentWrite): void {
  requireKey(key);
  requirePath(write.path);
  requireName(write.by, 'by');
  requireTime(write.at, 'at');
  if (write.content.includes('\0')) {
    throw new InputError('invalid_text', 'content', 'content holds a NUL character (U+0000)');
  }
  if (/\p{Surrogate}/u.test(write.content)) {
    throw new InputError('invalid_text', 'content', 'content holds half of a surrogate pair');
  }
  if (write.expectedVersion !== undefined) {
    requireNumber(write.expectedVersion, 'expectedVersion', { min: 0, max: 2 ** 31 - 1, whole: true });
  }
}

function isExpected(
  stands: DocumentEntry | null,
  { expectedSha256, expectedVersion }: Pick<DocumentWrite, 'expectedSha256' | 'expectedVersion'>,
): boolean {
  const sameHash = expectedSha256 === undefined || (stands?.sha256 ?? null) === expectedSha256;
  return sameHash && (expectedVersion === undefined || (stands?.version ?? 0) === expectedVersion);
}

function entryOf({ content: _, ...entry }: StoredDocument): DocumentEntry {
  return entry;
}

async function requireQuota(
  tx: Transaction,
  key: WorkspaceKey,
  { path, bytes, quotaBytes }: { path: string; bytes: number; quotaBytes: number },
): Promise<void> {
  const [row] = await tx.rows<{ bytes: number }>(sql`
    select coalesce(sum(bytes), 0)::float8 as bytes from slowwave.documents where ${inWorkspace(key)} and path <> ${path}`);
  const all = row!.bytes + bytes;
  if (all > quotaBytes) throw new QuotaExceeded(path, quotaBytes, all);
}

/** Puts what stands there among the versions. Of one run the content before its first write stays, with the hash of its last one. */
async function keep(
  tx: Transaction,
  key: WorkspaceKey,
  of: Omit<DocumentWrite, 'content'> & { sha256After: string },
): Promise<void> {
  const runId = of.runId ?? null;
  const id = runId === null ? (of.versionId ?? newId(of.at)) : versionIdOf(runId);
  await tx.rows(sql`
    insert into slowwave.document_versions (tenant, user_id, workspace, path, id, run_id, version, content, sha256_after, replaced_at,
      replaced_by)
    select ${key.tenant}, ${key.user}, ${key.workspace}, ${of.path}, ${id}::uuid, ${runId}::uuid, d.version, d.content,
      ${of.sha256After}, ${instantOf(of.at)}, ${of.by}
    from (select) one left join slowwave.documents d on ${inWorkspace(key, 'd')} and d.path = ${of.path}
    on conflict (tenant, user_id, workspace, path, id) do update set sha256_after = excluded.sha256_after`);
  await dropOldVersions(tx, key, [of.path]);
}

/** Versions of one run and path have one id. */
export function versionIdOf(runId: string): string {
  return stableId(0, 'document-version', runId);
}

export async function dropOldVersions(
  tx: Transaction,
  key: WorkspaceKey,
  paths: readonly string[],
): Promise<void> {
  await tx.rows(sql`
    delete from slowwave.document_versions v using (
      select o.path, o.id, row_number() over (partition by o.path order by o.replaced_at desc, o.id desc) as place
      from slowwave.document_versions o where ${inWorkspace(key, 'o')} and o.path = any(${nameArray(paths)})) old
    where ${inWorkspace(key, 'v')} and v.path = old.path and v.id = old.id and old.place > ${DOCUMENT_VERSIONS_MAX}`);
}

/** The folders above a path, each with a slash at its end: `a/` and `a/b/` of `a/b/c.md`. */
export function foldersAbove(path: string): string[] {
  const parts = path.replace(/\/$/, '').split('/').slice(0, -1);
  return parts.map((_, i) => `${parts.slice(0, i + 1).join('/')}/`);
}

/**
 * A path is that of a file or of a folder, which ends with a slash, and only folders have something below them.
 * @throws DocumentConflict
 */
export async function requirePlace(tx: Transaction, key: WorkspaceKey, path: string): Promise<void> {
  const isFolder = path.endsWith('/');
  const files = [...foldersAbove(path), ...(isFolder ? [path] : [])].map((folder) => folder.slice(0, -1));
  const rows = await tx.rows(sql`
    select 1 from slowwave.documents d where ${inWorkspace(key, 'd')}
      and (d.path = any(${nameArray(files)}) ${isFolder ? sql`` : sql`or starts_with(d.path, ${`${path}/`})`}) limit 1`);
  if (rows.length > 0) throw new DocumentConflict('changed', path, null);
}
