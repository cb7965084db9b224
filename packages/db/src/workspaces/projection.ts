import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { requireCount } from '../input-error.ts';
import { uuidOrNull } from '../memories/addressed.ts';
import { inWorkspace, type WorkspaceKey } from './key.ts';
import { PROJECTED_LINES_MAX } from './projected-lines.ts';

/**
 * What memories say whose marks stand in a document: null for one that was forgotten; absent for one that nobody knows.
 * @throws InputError for too many
 */
export async function readMarkedMemories(
  tx: Transaction,
  key: WorkspaceKey,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  requireCount(ids, 'ids', PROJECTED_LINES_MAX);
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<{ id: string; content: string | null }>(sql`
    select i.id, case when t.memory_id is null then m.content end as content
    from unnest(${uuidArray([...ids])}) as i(id)
    left join slowwave.memories m on ${owned(key, 'm')} and m.id = i.id
    left join slowwave.tombstones t on ${owned(key, 't')} and t.memory_id = i.id
    where m.id is not null or t.memory_id is not null`);
  return new Map(rows.map(({ id, content }) => [id, content]));
}

/**
 * Says in the report of a run that is under way, or that failed and is tried again, what it is about to do: for whoever comes after it when it
 * never ends.
 * @returns false when there is no such run, or it was completed or undone
 */
export async function planWorkspaceRun(
  tx: Transaction,
  key: WorkspaceKey,
  plan: { id: string; report: Record<string, unknown> },
): Promise<boolean> {
  const rows = await tx.rows(sql`
    update slowwave.workspace_runs r set report = ${JSON.stringify(plan.report)}::jsonb, status = 'running', reason = null, ended_at = null
    where ${inWorkspace(key, 'r')} and r.id = ${uuidOrNull(plan.id)}::uuid and r.status in ('running', 'failed')
    returning 1`);
  return rows.length === 1;
}
