import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { WORKSPACE_WORKS } from '../words.ts';
import { instant, oneOf, slowwave, tenantColumn, userColumn } from './column-types.ts';
import { users } from './users.ts';

export { WORKSPACE_WORKS };

const workspaceColumn = () => text('workspace').notNull();

/** A place with documents of one user: a folder that some worker was given, or documents in this database. */
export const workspaces = slowwave.table(
  'workspaces',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: text('id').notNull(),
    /** The type of the memory backend: file, qmd, readonly, postgres or one of the operator's own. */
    backend: text('backend').notNull().default('postgres'),
    /** The folder, as its real path; null for documents in this database. */
    rootDir: text('root_dir'),
    memoryEnabled: boolean('memory_enabled').notNull().default(true),
    projectionEnabled: boolean('projection_enabled').notNull().default(true),
    /** Whether daily notes and the user's own text become memories. */
    importEnabled: boolean('import_enabled').notNull().default(true),
    /** All documents together, in bytes of UTF-8. */
    quotaBytes: bigint('quota_bytes', { mode: 'number' }).notNull().default(16_777_216),
    insightsEnabled: boolean('insights_enabled').notNull().default(false),
    /** Five-field cron expression, in the time zone beside it; null takes the user's own. */
    insightsSchedule: text('insights_schedule').notNull().default('0 2 * * *'),
    insightsTimezone: text('insights_timezone'),
    insightsMinIntervalMs: bigint('insights_min_interval_ms', { mode: 'number' })
      .notNull()
      .default(86_400_000),
    /** Growth in characters of the working memory since the last run, below which nothing is asked. */
    insightsMinGrowth: integer('insights_min_growth').notNull().default(1_000),
    insightsDueAt: instant('insights_due_at'),
    insightsLastRunAt: instant('insights_last_run_at'),
    insightsLastSize: integer('insights_last_size'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    check('workspaces_names', sql`length(id) between 1 and 200 and length(backend) between 1 and 100`),
    check(
      'workspaces_limits',
      sql`quota_bytes > 0 and insights_min_interval_ms >= 0 and insights_min_growth >= 0`,
    ),
    // A folder belongs to one workspace only: two users who share one would read each other's notes.
    uniqueIndex('workspaces_root').on(t.rootDir).where(sql`root_dir is not null`),
    index('workspaces_insights_due')
      .on(t.insightsDueAt)
      .where(sql`insights_enabled and memory_enabled and insights_due_at is not null`),
  ],
);

const workspaceKey = [workspaces.tenant, workspaces.userId, workspaces.id] as const;

/** Files of a workspace, byte for byte. */
export const documents = slowwave.table(
  'documents',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    workspace: workspaceColumn(),
    /** Relative to the workspace's memory folder, as in MEMORY.md or 2026-05-01.md. */
    path: text('path').notNull(),
    content: text('content').notNull(),
    /** SHA-256 of the content in UTF-8, hex. */
    sha256: text('sha256').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    version: integer('version').notNull().default(1),
    updatedAt: instant('updated_at').notNull(),
    /** A person, an agent, or the step of a run. */
    updatedBy: text('updated_by').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.workspace, t.path] }),
    foreignKey({ columns: [t.tenant, t.userId, t.workspace], foreignColumns: [...workspaceKey] }).onDelete(
      'cascade',
    ),
    check('documents_path', sql`length(path) between 1 and 255`),
    check('documents_hash', sql`sha256 ~ '^[0-9a-f]{64}$'`),
  ],
);

/** What a document, or a file of a workspace, held before a run or a writer changed it. */
export const documentVersions = slowwave.table(
  'document_versions',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    workspace: workspaceColumn(),
    path: text('path').notNull(),
    id: uuid('id').notNull(),
    /** The run that changed it; null for a writer. */
    runId: uuid('run_id'),
    version: integer('version'),
    /** Null: it did not exist. */
    content: text('content'),
    /** Of what took its place, to see whether it was changed since; '' when it was removed, null when the content was forgotten. */
    sha256After: text('sha256_after'),
    replacedAt: instant('replaced_at').notNull(),
    replacedBy: text('replaced_by').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.workspace, t.path, t.id] }),
    foreignKey({
      name: 'document_versions_workspace',
      columns: [t.tenant, t.userId, t.workspace],
      foreignColumns: [...workspaceKey],
    }).onDelete('cascade'),
    index('document_versions_by_run').on(t.tenant, t.userId, t.runId).where(sql`run_id is not null`),
  ],
);

export const BLOCK_STATES = ['imported', 'known', 'gone', 'forgotten', 'projected'] as const;

/** Which block of which file became which memory, so that nothing is imported twice and a deletion stays one. */
export const importBlocks = slowwave.table(
  'import_blocks',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    workspace: workspaceColumn(),
    path: text('path').notNull(),
    /** SHA-256 of the block's normalised text with its headings, hex. */
    blockHash: text('block_hash').notNull(),
    /** Equal blocks of one file are counted from 1. */
    occurrence: integer('occurrence').notNull(),
    state: text('state').notNull(),
    /** The memory that it became, or the one that it already was; stays after that one is gone. */
    memoryId: uuid('memory_id'),
    /** The hash of the block that took its place when it was edited. */
    replacedBy: text('replaced_by'),
    seenAt: instant('seen_at').notNull(),
    changedAt: instant('changed_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.workspace, t.path, t.blockHash, t.occurrence] }),
    foreignKey({
      name: 'import_blocks_workspace',
      columns: [t.tenant, t.userId, t.workspace],
      foreignColumns: [...workspaceKey],
    }).onDelete('cascade'),
    check('import_blocks_hash', sql`block_hash ~ '^[0-9a-f]{64}$'`),
    check('import_blocks_state', oneOf('state', BLOCK_STATES)),
    index('import_blocks_by_memory').on(t.tenant, t.userId, t.memoryId).where(sql`memory_id is not null`),
  ],
);

/** How far a file was imported: unchanged ones are not read again, and a day is closed once it has ended and was read. */
export const importFiles = slowwave.table(
  'import_files',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    workspace: workspaceColumn(),
    path: text('path').notNull(),
    sha256: text('sha256').notNull(),
    importedAt: instant('imported_at').notNull(),
    closedAt: instant('closed_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.workspace, t.path] }),
    foreignKey({
      name: 'import_files_workspace',
      columns: [t.tenant, t.userId, t.workspace],
      foreignColumns: [...workspaceKey],
    }).onDelete('cascade'),
  ],
);

/** The line of a document on which a memory stands since the last projection, counted from 1. */
export const projectedLines = slowwave.table(
  'projected_lines',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    workspace: workspaceColumn(),
    memoryId: uuid('memory_id').notNull(),
    path: text('path').notNull(),
    line: integer('line').notNull(),
    /** SHA-256 of the line, hex: what a hand changed or removed is known again. */
    lineHash: text('line_hash').notNull(),
    /** Set when a hand removed the line: it is not written again. */
    removedAt: instant('removed_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.workspace, t.memoryId] }),
    foreignKey({
      name: 'projected_lines_workspace',
      columns: [t.tenant, t.userId, t.workspace],
      foreignColumns: [...workspaceKey],
    }).onDelete('cascade'),
  ],
);

export const WORKSPACE_STATES = ['running', 'completed', 'failed', 'skipped', 'undone'] as const;

/** What was done to a workspace, with counts in, out and why not. */
export const workspaceRuns = slowwave.table(
  'workspace_runs',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    workspace: workspaceColumn(),
    id: uuid('id').notNull(),
    work: text('work').notNull(),
    status: text('status').notNull(),
    /** Why it was skipped or failed, as a code. */
    reason: text('reason'),
    /** The run of the sleep tier that it belonged to. */
    runId: uuid('run_id'),
    report: jsonb('report').notNull().default({}),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.workspace, t.id] }),
    foreignKey({
      name: 'workspace_runs_workspace',
      columns: [t.tenant, t.userId, t.workspace],
      foreignColumns: [...workspaceKey],
    }).onDelete('cascade'),
    check('workspace_runs_work', oneOf('work', WORKSPACE_WORKS)),
    check('workspace_runs_status', oneOf('status', WORKSPACE_STATES)),
    index('workspace_runs_latest').on(t.tenant, t.userId, t.workspace, t.work, t.startedAt),
  ],
);
