import { sql } from 'drizzle-orm';
import { nameArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { contentHashOf, newId } from '../ids.ts';
import { requireName, requireTime } from '../input-error.ts';
import { instantOf } from '../instants.ts';
import { uuidOrNull } from '../memories/addressed.ts';
import { dropOldVersions, foldersAbove, NOTHING_STANDS, requirePlace, versionIdOf } from './documents.ts';
import { DocumentConflict, QuotaExceeded } from './errors.ts';
import { inWorkspace, lockWorkspace, requireKey, requirePath, type WorkspaceKey, wholeText } from './key.ts';
import { endWorkspaceRun, startWorkspaceRun } from './runs.ts';

/** Files and folders of one workspace in the database. */
export const DOCUMENTS_MAX = 2_000;
/** Changes of files that can still be undone; the oldest go first. */
export const FILE_CHANGES_MAX = 1_000;

export type FileCommand = 'write' | 'delete' | 'rename';

/** Who changes files, by which run. */
export interface FileChange {
  runId: string;
  by: string;
  /** Epoch ms. */
  at: number;
}

const HASH_OF_A_FOLDER = contentHashOf('');

/** A path and everything below it. */
const isWithin = (path: string) =>
  sql`(d.path in (${path}, ${`${path}/`}) or starts_with(d.path, ${`${path}/`}))`;

function requireChange(key: WorkspaceKey, { by, at }: FileChange, paths: readonly string[]): void {
  requireKey(key);
  for (const path of paths) requirePath(path);
  requireName(by, 'by');
  requireTime(at, 'at');
}

/** Files and folders at a path and below it, by path, without their texts; all of them for the path ''. */
export function listWithin(
  tx: Transaction,
  key: WorkspaceKey,
  path: string,
): Promise<{ path: string; bytes: number }[]> {
  return tx.rows(sql`
    select d.path, d.bytes::float8 as bytes from slowwave.documents d
    where ${inWorkspace(key, 'd')} and ${path === '' ? sql`true` : isWithin(path)} order by d.path collate "C"`);
}

/** Makes the folders above a path that are not there yet. @returns how many */
export async function makeFolders(
  tx: Transaction,
  key: WorkspaceKey,
  path: string,
  { runId, by, at }: FileChange,
): Promise<number> {
  const folders = foldersAbove(path);
  if (folders.length === 0) return 0;
  const rows = await tx.rows(sql`
    with made as (
      insert into slowwave.documents (tenant, user_id, workspace, path, content, sha256, bytes, version, updated_at, updated_by)
      select ${key.tenant}, ${key.user}, ${key.workspace}, path, '', ${HASH_OF_A_FOLDER}, 0, 1, ${instantOf(at)}, ${by}
      from unnest(${nameArray(folders)}) as path
      on conflict do nothing returning path)
    insert into slowwave.document_versions (tenant, user_id, workspace, path, id, run_id, content, sha256_after, replaced_at, replaced_by)
    select ${key.tenant}, ${key.user}, ${key.workspace}, path, ${versionIdOf(runId)}::uuid, ${runId}::uuid, null, ${HASH_OF_A_FOLDER},
      ${instantOf(at)}, ${by} from made returning 1`);
  return rows.length;
}

/**
 * Removes a file, or a folder with everything in it, and keeps the contents.
 * @returns how many files and folders
 * @throws WorkspaceRefused `unknown_workspace`; InputError
 */
export async function removeWithin(
  tx: Transaction,
  key: WorkspaceKey,
  path: string,
  change: FileChange,
): Promise<number> {
  requireChange(key, change, [path]);
  await lockWorkspace(tx, key);
  const rows = await tx.rows<{ path: string }>(sql`
    with gone as (
      delete from slowwave.documents d where ${inWorkspace(key, 'd')} and ${isWithin(path)} returning d.path, d.version, d.content)
    insert into slowwave.document_versions (tenant, user_id, workspace, path, id, run_id, version, content, sha256_after, replaced_at,
      replaced_by)
    select ${key.tenant}, ${key.user}, ${key.workspace}, path, ${versionIdOf(change.runId)}::uuid, ${change.runId}::uuid, version, content,
      ${NOTHING_STANDS}, ${instantOf(change.at)}, ${change.by} from gone returning path`);
  await dropOldVersions(
    tx,
    key,
    rows.map((row) => row.path),
  );
  return rows.length;
}

/**
 * Gives a file, or a folder with everything in it, another path, and keeps what stood where.
 * @returns how many paths changed, the old ones and the new ones; 0 when nothing stands at the old path
 * @throws DocumentConflict when something stands at the new path; WorkspaceRefused `unknown_workspace`; InputError
 */
export async function moveWithin(
  tx: Transaction,
  key: WorkspaceKey,
  { from, to }: { from: string; to: string },
  change: FileChange,
): Promise<number> {
  requireChange(key, change, [from, to]);
  await lockWorkspace(tx, key);
  const moved = await listWithin(tx, key, from);
  if ((await listWithin(tx, key, to)).length > 0) throw new DocumentConflict('changed', to, null);
  await requirePlace(tx, key, to);
  if (moved.length === 0) return 0;
  const targets = moved.map(({ path }) => `${to}${path.slice(from.length)}`);
  for (const path of targets) requirePath(path);
  const folders = await makeFolders(tx, key, to, change);
  const { runId, by, at } = change;
  await tx.rows(sql`
    with moved as (
      update slowwave.documents d set path = ${to} || substr(d.path, length(${from}::text) + 1), version = d.version + 1,
        updated_at = ${instantOf(at)}, updated_by = ${by}
      where ${inWorkspace(key, 'd')} and ${isWithin(from)}
      returning d.path, d.version, d.content, d.sha256)
    insert into slowwave.document_versions (tenant, user_id, workspace, path, id, run_id, version, content, sha256_after, replaced_at,
      replaced_by)
    select ${key.tenant}, ${key.user}, ${key.workspace}, v.path, ${versionIdOf(runId)}::uuid, ${runId}::uuid, v.version, v.content, v.after,
      ${instantOf(at)}, ${by}
    from moved m cross join lateral (values
      (${from} || substr(m.path, length(${to}::text) + 1), m.version - 1, m.content, ${NOTHING_STANDS}),
      (m.path, null, null, m.sha256)) as v(path, version, content, after)`);
  await dropOldVersions(tx, key, [...moved.map(({ path }) => path), ...targets]);
  return folders + 2 * moved.length;
}

/** @throws QuotaExceeded when the workspace has more files and folders than it may */
export async function requireCount(tx: Transaction, key: WorkspaceKey, path: string): Promise<void> {
  const [row] = await tx.rows<{ count: number }>(sql`
    select count(*)::float8 as count from slowwave.documents where ${inWorkspace(key)}`);
  if (row!.count <= DOCUMENTS_MAX) return;
  throw new QuotaExceeded(
    path,
    DOCUMENTS_MAX,
    row!.count,
    `a workspace holds at most ${DOCUMENTS_MAX} files and folders`,
  );
}

/** Begins a change of files, as a run of its own that can be undone; of too many of them the oldest go. @returns the id of the run */
export async function startFileChange(tx: Transaction, key: WorkspaceKey, at: number): Promise<string> {
  const id = await startWorkspaceRun(tx, key, { id: newId(at), work: 'files', at });
  await tx.rows(sql`
    with old as (
      delete from slowwave.workspace_runs r where ${inWorkspace(key, 'r')} and r.id = any(array(
        select o.id from slowwave.workspace_runs o where ${inWorkspace(key, 'o')} and o.work = 'files'
        order by o.started_at desc, o.id desc offset ${FILE_CHANGES_MAX}))
      returning r.id)
    delete from slowwave.document_versions v using old where ${inWorkspace(key, 'v')} and v.run_id = old.id`);
  return id;
}

/** Ends a change of files. @param end.documents how many files and folders it changed @param end.reason why it failed, as a code */
export async function endFileChange(
  tx: Transaction,
  key: WorkspaceKey,
  end: { id: string; command: FileCommand; documents: number; reason?: string; at: number },
): Promise<void> {
  const { id, command, documents, reason, at } = end;
  const status = reason === undefined ? 'completed' : 'failed';
  await endWorkspaceRun(tx, key, { id, status, reason: reason ?? null, report: { command, documents }, at });
}

/** What stood in a file before a run changed it. */
export interface FileVersion {
  path: string;
  /** Null: there was none. */
  content: string | null;
  /** Of what the run left there, '' for nothing; null when the content was forgotten since. */
  sha256After: string | null;
}

/** Everything that a run changed, by path. */
export function versionsOfRun(tx: Transaction, key: WorkspaceKey, runId: string): Promise<FileVersion[]> {
  return tx.rows<FileVersion>(sql`
    select v.path, ${wholeText('v.content')} as content, v.sha256_after as "sha256After" from slowwave.document_versions v
    where ${inWorkspace(key, 'v')} and v.run_id = ${uuidOrNull(runId)}::uuid order by v.path collate "C"`);
}
