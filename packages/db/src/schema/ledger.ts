import { FUSION_STATUSES, TIERS } from '@slowwave/fusion';
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
import { instant, oneOf, slowwave, tenantColumn, userColumn } from './column-types.ts';
import { memories } from './memories.ts';
import { users } from './users.ts';

/** One tier for one user, once. */
export const runs = slowwave.table(
  'runs',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: uuid('id').notNull(),
    tier: text('tier').notNull(),
    why: text('why').notNull(),
    status: text('status').notNull(),
    fence: bigint('fence', { mode: 'number' }),
    requestedAt: instant('requested_at').notNull(),
    startedAt: instant('started_at'),
    finishedAt: instant('finished_at'),
    /** Counts and codes only, step by step; never the text of a memory. */
    report: jsonb('report'),
    errorCode: text('error_code'),
    /** Everything up to the commit, and nothing after it: such a run writes answers, spend and itself. */
    preview: boolean('preview').notNull().default(false),
    /** When somebody asked for it to stop: the worker looks before each step and each cluster. */
    cancelRequestedAt: instant('cancel_requested_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    check('runs_tier', oneOf('tier', TIERS)),
    check('runs_why', oneOf('why', ['schedule', 'adhoc', 'sweep', 'retry', 'batch'])),
    check(
      'runs_status',
      oneOf('status', ['requested', 'running', 'completed', 'failed', 'abandoned', 'cancelled']),
    ),
    index('runs_by_user').on(t.tenant, t.userId, t.requestedAt),
    // The list of a whole tenant, page by page.
    index('runs_by_tenant').on(t.tenant, t.requestedAt, t.id),
    // Whoever takes a user over looks for what was left running, past a long history.
    index('runs_running').on(t.tenant, t.userId).where(sql`status = 'running'`),
  ],
);

/**
 * A fusion makes a derived memory of its sources, or of some of them several: then it is closed itself, and each of its statements is a row
 * that names it as its request. A merge lets one of two duplicates stand for both. A restatement asks about notes that may say a statement
 * again: each that does is a merge that names it as its request. */
export const FUSION_KINDS = ['fusion', 'merge', 'restatement'] as const;
export type FusionKind = (typeof FUSION_KINDS)[number];

/** Ledger, memo of paid answers and source of the dashboards in one. The key is a hash of what is fused, by whom and how. */
export const fusions = slowwave.table(
  'fusions',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    key: text('key').notNull(),
    /** Hash of member ids and content hashes alone: what was fused, whatever the model. */
    sourceSet: text('source_set').notNull(),
    runId: uuid('run_id'),
    kind: text('kind').notNull().default('fusion'),
    tier: text('tier').notNull(),
    promptVersion: text('prompt_version').notNull(),
    /** What the judge's requests are keyed with, where it is not the key of the fusion: requests that come again in every run. */
    judgeSecret: text('judge_secret'),
    model: text('model').notNull(),
    status: text('status').notNull(),
    fence: bigint('fence', { mode: 'number' }).notNull(),
    attempt: integer('attempt').notNull().default(1),
    /** The memory it makes; of a merge, the one that stays. */
    derivedId: uuid('derived_id').notNull(),
    /** Of a statement: the key of the fusion that it was an answer to, and its place in the answer. */
    request: text('request'),
    position: integer('position'),
    /** What will be written once a person approves it; only while it waits for that. */
    proposal: jsonb('proposal'),
    reviewExpiresAt: instant('review_expires_at'),
    /** Who approved or rejected it, as the caller named them. */
    decidedBy: text('decided_by'),
    decidedAt: instant('decided_at'),
    /** The model's answer, stored before it is judged. */
    output: text('output'),
    stopReason: text('stop_reason'),
    /** Whether the stored answer may still be used. */
    answerState: text('answer_state').notNull().default('none'),
    inputTokens: bigint('input_tokens', { mode: 'number' }).notNull().default(0),
    outputTokens: bigint('output_tokens', { mode: 'number' }).notNull().default(0),
    answeredModel: text('answered_model'),
    errorCode: text('error_code'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.key] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    check('fusions_status', oneOf('status', FUSION_STATUSES)),
    check('fusions_kind', oneOf('kind', FUSION_KINDS)),
    check(
      'fusions_review',
      sql`(status = 'review') = (proposal is not null) and (status = 'review') = (review_expires_at is not null)`,
    ),
    index('fusions_in_review').on(t.tenant, t.userId, t.reviewExpiresAt).where(sql`status = 'review'`),
    check('fusions_tier', oneOf('tier', TIERS)),
    check('fusions_answer', oneOf('answer_state', ['none', 'unjudged', 'accepted', 'rejected'])),
    check('fusions_key', sql`key ~ '^[0-9a-f]{64}$'`),
    check('fusions_statement', sql`(request is null) = (position is null)`),
    index('fusions_by_request').on(t.tenant, t.userId, t.request).where(sql`request is not null`),
    index('fusions_source_set').on(t.tenant, t.userId, t.sourceSet),
    index('fusions_by_status').on(t.tenant, t.userId, t.status),
    index('fusions_by_run').on(t.tenant, t.userId, t.runId),
    // The list of a whole tenant, page by page.
    index('fusions_by_tenant').on(t.tenant, t.updatedAt, t.key),
  ],
);

/** The sources of a fusion. The partial unique index is the claim: one live fusion per memory at most. */
export const fusionSources = slowwave.table(
  'fusion_sources',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    fusionKey: text('fusion_key').notNull(),
    memoryId: uuid('memory_id').notNull(),
    contentHash: text('content_hash').notNull(),
    version: integer('version').notNull(),
    position: integer('position').notNull(),
    /** Which group of close memories of its request it belongs to; null: all sources are one. */
    groupNo: integer('group_no'),
    live: boolean('live').notNull(),
    superseded: boolean('superseded').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.fusionKey, t.memoryId] }),
    foreignKey({
      name: 'fusion_sources_fusion',
      columns: [t.tenant, t.userId, t.fusionKey],
      foreignColumns: [fusions.tenant, fusions.userId, fusions.key],
    }).onDelete('cascade'),
    foreignKey({
      name: 'fusion_sources_memory',
      columns: [t.tenant, t.userId, t.memoryId],
      foreignColumns: [memories.tenant, memories.userId, memories.id],
    }).onDelete('cascade'),
    index('fusion_sources_memory').on(t.tenant, t.userId, t.memoryId),
    uniqueIndex('fusion_sources_claim').on(t.tenant, t.userId, t.memoryId).where(sql`live`),
    // One memory is superseded by one fusion at most.
    uniqueIndex('fusion_sources_superseded').on(t.tenant, t.userId, t.memoryId).where(sql`superseded`),
  ],
);

export const CHANGE_KINDS = [
  'fusion',
  'undo',
  'redo',
  'edit',
  'merge',
  'conflict',
  'prominence',
  'audit',
  'archive',
  'prune',
  'restore',
  'rem',
  'reflection',
  'forget',
  'consolidate',
] as const;

/** Tables whose rows the journal keeps images of. */
export const JOURNALLED_TABLES = ['memories', 'relations', 'conflicts'] as const;

/** The journal: one change set per commit, written in the same transaction. */
export const changeSets = slowwave.table(
  'change_sets',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: uuid('id').notNull(),
    runId: uuid('run_id'),
    fusionKey: text('fusion_key'),
    kind: text('kind').notNull(),
    /** Who asked for it, as the caller named them; null for the tiers themselves. */
    actor: text('actor'),
    /** The change set that this one takes back. */
    undoes: uuid('undoes'),
    /** The change set that took this one back; cleared when that is taken back in turn. */
    undoneBy: uuid('undone_by'),
    /** When its images were dropped, for their age or because something in them was forgotten: from then on it cannot be taken back. */
    imagesDroppedAt: instant('images_dropped_at'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    index('change_sets_with_images')
      .on(t.tenant, t.userId, t.createdAt)
      .where(sql`images_dropped_at is null`),
    check('change_sets_kind', oneOf('kind', CHANGE_KINDS)),
    index('change_sets_by_run').on(t.tenant, t.userId, t.runId),
    index('change_sets_by_fusion').on(t.tenant, t.userId, t.fusionKey),
  ],
);

/** One row of one table, before and after. A null image means the row did not exist. */
export const changes = slowwave.table(
  'changes',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    changeSetId: uuid('change_set_id').notNull(),
    position: integer('position').notNull(),
    tableName: text('table_name').notNull(),
    rowKey: jsonb('row_key').notNull(),
    before: jsonb('before'),
    after: jsonb('after'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.changeSetId, t.position] }),
    foreignKey({
      name: 'changes_change_set',
      columns: [t.tenant, t.userId, t.changeSetId],
      foreignColumns: [changeSets.tenant, changeSets.userId, changeSets.id],
    }).onDelete('cascade'),
    check('changes_table', oneOf('table_name', JOURNALLED_TABLES)),
    // Which change sets touched a memory.
    index('changes_by_memory').on(t.tenant, t.userId, sql`(row_key ->> 'id')`),
    check('changes_image', sql`before is not null or after is not null`),
  ],
);
