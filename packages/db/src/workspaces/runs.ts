import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { requireName, requireTime, requireWord } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { uuidOrNull } from '../memories/addressed.ts';
import { WORKSPACE_STATES, WORKSPACE_WORKS } from '../schema/workspaces.ts';
import { holdMemories, inWorkspace, requireKey, unknownWorkspace, type WorkspaceKey } from './key.ts';

export { WORKSPACE_WORKS };
export type WorkspaceWork = (typeof WORKSPACE_WORKS)[number];
export type WorkspaceState = (typeof WORKSPACE_STATES)[number];

/** What was done to a workspace. Instants in epoch ms. */
export interface WorkspaceRun {
  id: string;
  work: WorkspaceWork;
  status: WorkspaceState;
  /** Why it was skipped or failed, as a code. */
  reason: string | null;
  /** The run of the tier that it belonged to. */
  runId: string | null;
  /** Counts and codes only, never text of a memory or a document. */
  report: Record<string, unknown>;
  /** Of a change of files, what it changed: files and folders, the first ones by path. Empty for any other work. */
  paths: string[];
  startedAt: number;
  endedAt: number | null;
}

/** A page of the greatest length, and one more that tells whether there is a next one. */
const WORKSPACE_RUNS_PER_LIST_MAX = 201;

const PATHS_SHOWN = 20;

const RUN = sql`r.id, r.work, r.status, r.reason, r.run_id as "runId", r.report, ${msOf('r.started_at')} as "startedAt",
  ${msOf('r.ended_at')} as "endedAt", array(select v.path from slowwave.document_versions v
    where r.work = 'files' and v.tenant = r.tenant and v.user_id = r.user_id and v.workspace = r.workspace and v.run_id = r.id
    order by v.path collate "C" limit ${PATHS_SHOWN}) as paths`;

/**
 * @returns the id of the run; the one that was given, when one was, and then a second call changes nothing
 * @throws WorkspaceRefused `unknown_workspace`; InputError
 */
export async function startWorkspaceRun(
  tx: Transaction,
  key: WorkspaceKey,
  start: { id?: string | undefined; work: WorkspaceWork; runId?: string | null | undefined; at: number },
): Promise<string> {
  requireKey(key);
  requireWord(start.work, 'work', WORKSPACE_WORKS);
  requireTime(start.at, 'at');
  const id = start.id ?? newId(start.at);
  // Who forgets the user is let go first: nothing is written about somebody who is not there.
  await holdMemories(tx, key);
  const rows = await tx.rows(sql`
    with made as (
      insert into slowwave.workspace_runs (tenant, user_id, workspace, id, work, status, run_id, started_at)
      select w.tenant, w.user_id, w.id, ${id}::uuid, ${start.work}, 'running', ${start.runId ?? null}::uuid, ${instantOf(start.at)}
      from slowwave.workspaces w where w.tenant = ${key.tenant} and w.user_id = ${key.user} and w.id = ${key.workspace}
      on conflict do nothing
    )
    select 1 from slowwave.workspaces w where w.tenant = ${key.tenant} and w.user_id = ${key.user} and w.id = ${key.workspace}`);
  if (rows.length === 0) throw unknownWorkspace(key);
  return id;
}

/**
 * Ends a run, or says later that it was undone. The last word counts.
 * @returns false when there is no such run
 * @throws InputError
 */
export async function endWorkspaceRun(
  tx: Transaction,
  key: WorkspaceKey,
  end: {
    id: string;
    status: Exclude<WorkspaceState, 'running'>;
    reason?: string | null | undefined;
    /** Absent: as it stands. */
    report?: Record<string, unknown> | undefined;
    at: number;
  },
): Promise<boolean> {
  requireWord<WorkspaceState>(end.status, 'status', WORKSPACE_STATES);
  requireName(end.reason, 'reason');
  requireTime(end.at, 'at');
  const report = end.report === undefined ? null : JSON.stringify(end.report);
  const rows = await tx.rows(sql`
    update slowwave.workspace_runs r set status = ${end.status}, reason = ${end.reason ?? null},
      report = coalesce(${report}::jsonb, r.report), ended_at = ${instantOf(end.at)}
    where ${inWorkspace(key, 'r')} and r.id = ${uuidOrNull(end.id)}::uuid
    returning 1`);
  return rows.length === 1;
}

/** Null when there is none of that id. */
export async function getWorkspaceRun(
  tx: Transaction,
  key: WorkspaceKey,
  id: string,
): Promise<WorkspaceRun | null> {
  const [row] = await tx.rows<WorkspaceRun>(sql`
    select ${RUN} from slowwave.workspace_runs r where ${inWorkspace(key, 'r')} and r.id = ${uuidOrNull(id)}::uuid`);
  return row ?? null;
}

/** The last run of a page. */
export interface WorkspaceRunsEnd {
  startedAt: number;
  id: string;
}

/** Newest first. @param options.limit at most 201, a larger one is cut; 50 without one @param options.before where the page before ended */
export function listWorkspaceRuns(
  tx: Transaction,
  key: WorkspaceKey,
  options: {
    work?: WorkspaceWork | undefined;
    limit?: number | undefined;
    before?: WorkspaceRunsEnd | null | undefined;
  } = {},
): Promise<WorkspaceRun[]> {
  const limit = Math.max(1, Math.min(WORKSPACE_RUNS_PER_LIST_MAX, Math.floor(options.limit ?? 50) || 1));
  const { before } = options;
  const older = before
    ? sql`and (r.started_at, r.id) < (${instantOf(before.startedAt)}, ${before.id}::uuid)`
    : sql``;
  return tx.rows<WorkspaceRun>(sql`
    select ${RUN} from slowwave.workspace_runs r
    where ${inWorkspace(key, 'r')} and (${options.work ?? null}::text is null or r.work = ${options.work ?? null}) ${older}
    order by r.started_at desc, r.id desc
    limit ${limit}`);
}
