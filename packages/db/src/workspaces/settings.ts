import { isAbsolute, normalize } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { DatabaseError } from '../errors.ts';
import { owned } from '../fusions/scope.ts';
import { InputError, requireName, requireNumber, requireText, requireTime } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { allRows, ask, type Question } from '../questions.ts';
import { isTimeZone } from '../scheduling/zone-time.ts';
import { WorkspaceRefused } from './errors.ts';
import { type Owner, requireKey, type WorkspaceKey } from './key.ts';

/** What is kept of a workspace. Instants in epoch ms. */
export interface WorkspaceSettings {
  /** The type of the memory backend: file, qmd, readonly, postgres or one of the operator's own. */
  backend: string;
  /** The folder, as its real path; null for documents in this database. */
  rootDir: string | null;
  memoryEnabled: boolean;
  projectionEnabled: boolean;
  importEnabled: boolean;
  /** All documents together, in bytes of UTF-8. */
  quotaBytes: number;
  insightsEnabled: boolean;
  /** Five-field cron expression. */
  insightsSchedule: string;
  /** An IANA name; null takes the user's own. */
  insightsTimezone: string | null;
  insightsMinIntervalMs: number;
  /** Growth of the working memory in characters. */
  insightsMinGrowth: number;
  /** Null: nobody has said yet when, or insights are off. */
  insightsDueAt: number | null;
  insightsLastRunAt: number | null;
  /** Characters of the working memory when it last ran. */
  insightsLastSize: number | null;
  createdAt: number;
}

export interface Workspace extends WorkspaceKey, WorkspaceSettings {}

/** What people may change; what is absent stays, or is as the columns have it. */
export type WorkspaceChange = Partial<
  Omit<WorkspaceSettings, 'insightsLastRunAt' | 'insightsLastSize' | 'createdAt'>
>;

export const WORKSPACES_PER_LIST_MAX = 1_000;
const BACKEND_CHARS_MAX = 100;
const FOLDER_CHARS_MAX = 4_096;
const QUOTA_BYTES_MAX = 2 ** 40;
const INTERVAL_MS_MAX = 366 * 86_400_000;
const GROWTH_MAX = 1_000_000_000;
/** As the columns have them. */
const DEFAULTS = {
  backend: 'postgres',
  rootDir: null,
  memoryEnabled: true,
  projectionEnabled: true,
  importEnabled: true,
  quotaBytes: 16_777_216,
  insightsEnabled: false,
  insightsSchedule: '0 2 * * *',
  insightsTimezone: null,
  insightsMinIntervalMs: 86_400_000,
  insightsMinGrowth: 1_000,
  insightsDueAt: null,
} as const satisfies Required<WorkspaceChange>;
/** Backends that keep their documents in a folder. */
const FOLDER_BACKENDS = ['file', 'qmd'];
const CRON_FIELD = '[0-9a-zA-Z*,/#?-]+';
const CRON = new RegExp(`^${CRON_FIELD}( +${CRON_FIELD}){4}$`);

const COLUMNS = sql`w.tenant, w.user_id as user, w.id as workspace, w.backend, w.root_dir as "rootDir",
  w.memory_enabled as "memoryEnabled", w.projection_enabled as "projectionEnabled", w.import_enabled as "importEnabled",
  w.quota_bytes::float8 as "quotaBytes", w.insights_enabled as "insightsEnabled", w.insights_schedule as "insightsSchedule",
  w.insights_timezone as "insightsTimezone", w.insights_min_interval_ms::float8 as "insightsMinIntervalMs",
  w.insights_min_growth as "insightsMinGrowth", ${msOf('w.insights_due_at')} as "insightsDueAt",
  ${msOf('w.insights_last_run_at')} as "insightsLastRunAt", w.insights_last_size as "insightsLastSize",
  ${msOf('w.created_at')} as "createdAt"`;

/**
 * Makes a workspace or changes what is given of one. When insights are due is asked anew, and null, as soon as they are switched on or off
 * or their schedule changes and no other time is given.
 * @param at epoch ms
 * @throws WorkspaceRefused `unknown_user`, `folder_taken`: another workspace has that folder, whosever; InputError
 */
export async function putWorkspace(
  tx: Transaction,
  key: WorkspaceKey,
  change: WorkspaceChange,
  at: number,
): Promise<Workspace> {
  requireKey(key);
  requireTime(at, 'at');
  const users = await tx.rows(
    sql`select 1 from slowwave.users where tenant = ${key.tenant} and id = ${key.user} for key share`,
  );
  if (users.length === 0) throw new WorkspaceRefused('unknown_user', key.workspace, 'there is no such user');
  const [stands] = await tx.rows<Workspace>(
    sql`select ${COLUMNS} from slowwave.workspaces w where ${owned(key, 'w')} and w.id = ${key.workspace} for no key update`,
  );
  const given = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  ) as WorkspaceChange;
  const next = { ...DEFAULTS, ...stands, ...given };
  requireWorkspaceSettings(next);
  const replanned =
    next.insightsEnabled !== (stands?.insightsEnabled ?? false) ||
    next.insightsSchedule !== stands?.insightsSchedule ||
    next.insightsTimezone !== stands?.insightsTimezone;
  if ((replanned && given.insightsDueAt === undefined) || !next.insightsEnabled) next.insightsDueAt = null;
  return store(tx, key, next, at);
}

async function store(
  tx: Transaction,
  key: WorkspaceKey,
  next: Required<WorkspaceChange>,
  at: number,
): Promise<Workspace> {
  try {
    const [row] = await tx.rows<Workspace>(sql`
      insert into slowwave.workspaces as w (tenant, user_id, id, backend, root_dir, memory_enabled, projection_enabled, import_enabled,
        quota_bytes, insights_enabled, insights_schedule, insights_timezone, insights_min_interval_ms, insights_min_growth,
        insights_due_at, created_at)
      values (${key.tenant}, ${key.user}, ${key.workspace}, ${next.backend}, ${next.rootDir}, ${next.memoryEnabled},
        ${next.projectionEnabled}, ${next.importEnabled}, ${next.quotaBytes}::bigint, ${next.insightsEnabled}, ${next.insightsSchedule},
        ${next.insightsTimezone}, ${next.insightsMinIntervalMs}::bigint, ${next.insightsMinGrowth}::int,
        ${instantOf(next.insightsDueAt)}, ${instantOf(at)})
      on conflict (tenant, user_id, id) do update set backend = excluded.backend, root_dir = excluded.root_dir,
        memory_enabled = excluded.memory_enabled, projection_enabled = excluded.projection_enabled,
        import_enabled = excluded.import_enabled, quota_bytes = excluded.quota_bytes, insights_enabled = excluded.insights_enabled,
        insights_schedule = excluded.insights_schedule, insights_timezone = excluded.insights_timezone,
        insights_min_interval_ms = excluded.insights_min_interval_ms, insights_min_growth = excluded.insights_min_growth,
        insights_due_at = excluded.insights_due_at
      returning ${COLUMNS}`);
    return row!;
  } catch (error) {
    // The index knows the folders of all tenants, which nobody else may see.
    if (error instanceof DatabaseError && error.constraint === 'workspaces_root') {
      throw new WorkspaceRefused(
        'folder_taken',
        key.workspace,
        'another workspace has this folder: a folder belongs to one workspace only',
      );
    }
    throw error;
  }
}

/** What every workspace has to be, however it came here. @throws InputError */
export function requireWorkspaceSettings(next: Required<WorkspaceChange>): void {
  requireText(next.backend, 'backend', BACKEND_CHARS_MAX);
  requireName(next.backend, 'backend');
  requireFolder(next.backend, next.rootDir);
  requireNumber(next.quotaBytes, 'quotaBytes', { min: 1, max: QUOTA_BYTES_MAX, whole: true });
  if (!CRON.test(next.insightsSchedule) || next.insightsSchedule.length > 200) {
    throw new InputError(
      'not_allowed',
      'insightsSchedule',
      'insightsSchedule must be a cron expression of five fields',
    );
  }
  if (next.insightsTimezone !== null && !isTimeZone(next.insightsTimezone)) {
    throw new InputError(
      'not_allowed',
      'insightsTimezone',
      'insightsTimezone must be an IANA name like Europe/Berlin, or null for the time zone of the user',
    );
  }
  requireNumber(next.insightsMinIntervalMs, 'insightsMinIntervalMs', {
    min: 0,
    max: INTERVAL_MS_MAX,
    whole: true,
  });
  requireNumber(next.insightsMinGrowth, 'insightsMinGrowth', { min: 0, max: GROWTH_MAX, whole: true });
  requireTime(next.insightsDueAt, 'insightsDueAt');
}

function requireFolder(backend: string, rootDir: string | null): void {
  if (rootDir === null) {
    if (!FOLDER_BACKENDS.includes(backend)) return;
    throw new InputError('empty', 'rootDir', `a workspace of the backend ${backend} needs its folder`);
  }
  if (backend === 'postgres') {
    throw new InputError('not_allowed', 'rootDir', 'documents in the database have no folder');
  }
  requireText(rootDir, 'rootDir', FOLDER_CHARS_MAX);
  const plain = isAbsolute(rootDir) && normalize(rootDir) === rootDir && !/.[/\\]$/.test(rootDir);
  if (!plain)
    throw new InputError('not_allowed', 'rootDir', 'rootDir must be the real, absolute path of a folder');
}

/** Null when there is none. */
export async function getWorkspace(tx: Transaction, key: WorkspaceKey): Promise<Workspace | null> {
  const [row] = await tx.rows<Workspace>(
    sql`select ${COLUMNS} from slowwave.workspaces w where ${owned(key, 'w')} and w.id = ${key.workspace}`,
  );
  return row ?? null;
}

/** The workspace of this tenant that has the folder, whoever's it is. @param rootDir its real path */
export async function findWorkspaceAt(
  tx: Transaction,
  of: { tenant: string },
  rootDir: string,
): Promise<Workspace | null> {
  const [row] = await tx.rows<Workspace>(
    sql`select ${COLUMNS} from slowwave.workspaces w where w.tenant = ${of.tenant} and w.root_dir = ${rootDir}`,
  );
  return row ?? null;
}

/** A user's workspaces by name; at most 1,000. */
export function listWorkspaces(tx: Transaction, of: Owner): Promise<Workspace[]> {
  return ask(tx, askWorkspaces(of));
}

/** As listWorkspaces. */
export function askWorkspaces(of: Owner): Question<Workspace[]> {
  return allRows(sql`
    select ${COLUMNS} from slowwave.workspaces w where ${owned(of, 'w')} order by w.id limit ${WORKSPACES_PER_LIST_MAX}`);
}

/**
 * Removes a workspace with its documents, their versions, its ledger and its runs; memories that came from it stay.
 * @returns false when there was none
 */
export async function removeWorkspace(tx: Transaction, key: WorkspaceKey): Promise<boolean> {
  const rows = await tx.rows(
    sql`delete from slowwave.workspaces where ${owned(key)} and id = ${key.workspace} returning 1`,
  );
  return rows.length === 1;
}
