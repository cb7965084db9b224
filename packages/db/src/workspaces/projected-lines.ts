import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { requireCount, requireTime } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { prominenceOf } from '../memories/candidates.ts';
import { holdMemories, inWorkspace, requireKey, requirePath, type WorkspaceKey } from './key.ts';

/** The home of a memory in a document. */
export interface ProjectedLine {
  memoryId: string;
  path: string;
  /** From 1. */
  line: number;
  /** SHA-256 of the line, hex. */
  lineHash: string;
  /** When a hand removed the line, epoch ms: it is not written again. Null: it stands. */
  removedAt: number | null;
}

export const PROJECTED_LINES_MAX = 10_000;

/** All of a workspace, those that a hand removed included, by path and line. */
export function readProjectedLines(tx: Transaction, key: WorkspaceKey): Promise<ProjectedLine[]> {
  return tx.rows<ProjectedLine>(sql`
    select l.memory_id as "memoryId", l.path, l.line, l.line_hash as "lineHash", ${msOf('l.removed_at')} as "removedAt"
    from slowwave.projected_lines l where ${inWorkspace(key, 'l')} order by l.path collate "C", l.line, l.memory_id`);
}

/** The home of a memory that stands, with how readily the memory comes to mind. */
export interface MemoryHome extends Pick<ProjectedLine, 'memoryId' | 'path' | 'line'> {
  /** 0 to 1. */
  prominence: number;
}

/** The homes of latest memories of a workspace. @param at epoch ms */
export function readMemoryHomes(tx: Transaction, key: WorkspaceKey, at: number): Promise<MemoryHome[]> {
  return tx.rows<MemoryHome>(sql`
    select l.memory_id as "memoryId", l.path, l.line, ${prominenceOf(at)} as prominence
    from slowwave.projected_lines l join slowwave.memories m on ${owned(key, 'm')} and m.id = l.memory_id
    where ${inWorkspace(key, 'l')} and l.removed_at is null and m.is_latest
    order by l.path collate "C", l.line`);
}

/**
 * Says which memories stand on which lines of a document, and that no others do. What a hand removed stays removed, and a memory that was
 * forgotten meanwhile gets no line.
 * @throws InputError
 */
export async function replaceProjectedLines(
  tx: Transaction,
  key: WorkspaceKey,
  input: { path: string; lines: readonly Pick<ProjectedLine, 'memoryId' | 'line' | 'lineHash'>[] },
): Promise<void> {
  requireKey(key);
  requirePath(input.path);
  requireCount(input.lines, 'lines', PROJECTED_LINES_MAX);
  await holdMemories(tx, key);
  const kept = uuidArray(input.lines.map(({ memoryId }) => memoryId));
  await tx.rows(sql`
    delete from slowwave.projected_lines l
    where ${inWorkspace(key, 'l')} and l.path = ${input.path} and l.removed_at is null and l.memory_id <> all(${kept})`);
  if (input.lines.length === 0) return;
  await tx.rows(sql`
    insert into slowwave.projected_lines as l (tenant, user_id, workspace, memory_id, path, line, line_hash)
    select distinct on (r."memoryId") ${key.tenant}, ${key.user}, ${key.workspace}, r."memoryId", ${input.path}, r.line, r."lineHash"
    from jsonb_to_recordset(${JSON.stringify(input.lines)}::jsonb) as r("memoryId" uuid, line integer, "lineHash" text)
    where not exists (select 1 from slowwave.tombstones t where ${owned(key, 't')} and t.memory_id = r."memoryId")
    order by r."memoryId", r.line
    on conflict (tenant, user_id, workspace, memory_id) do update set path = excluded.path, line = excluded.line,
      line_hash = excluded.line_hash
    where l.removed_at is null`);
}

/**
 * Says that a hand removed the lines of these memories.
 * @param removal.at epoch ms
 * @returns how many were not known to be removed before
 */
export async function markLinesRemoved(
  tx: Transaction,
  key: WorkspaceKey,
  removal: { memoryIds: readonly string[]; at: number },
): Promise<number> {
  requireCount(removal.memoryIds, 'memoryIds', PROJECTED_LINES_MAX);
  requireTime(removal.at, 'at');
  const rows = await tx.rows(sql`
    update slowwave.projected_lines l set removed_at = ${instantOf(removal.at)}
    where ${inWorkspace(key, 'l')} and l.memory_id = any(${uuidArray(removal.memoryIds)}) and l.removed_at is null
    returning 1`);
  return rows.length;
}
