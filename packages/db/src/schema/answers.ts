import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { instant, oneOf, slowwave, tenantColumn, userColumn } from './column-types.ts';
import { memories } from './memories.ts';
import { users } from './users.ts';

export const ANSWER_STEPS = ['summaries', 'rem', 'reflection', 'conflicts', 'insights', 'judge'] as const;

/** Paid answers of the steps that write no fusion: stored before they are used, so that a crash pays for nothing twice. */
export const modelAnswers = slowwave.table(
  'model_answers',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    /** SHA-256 over step, prompt version, model and what was asked about. */
    key: text('key').notNull(),
    attempt: integer('attempt').notNull(),
    step: text('step').notNull(),
    runId: uuid('run_id'),
    output: text('output').notNull(),
    stopReason: text('stop_reason').notNull(),
    model: text('model').notNull(),
    inputTokens: bigint('input_tokens', { mode: 'number' }).notNull(),
    outputTokens: bigint('output_tokens', { mode: 'number' }).notNull(),
    /** unjudged and accepted ones may be used again. */
    state: text('state').notNull().default('unjudged'),
    /** What the answer was made of, so that forgetting reaches it. */
    memoryIds: uuid('memory_ids').array().notNull().default(sql`'{}'`),
    sessionIds: text('session_ids').array().notNull().default(sql`'{}'`),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.key, t.attempt] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    check('model_answers_key', sql`key ~ '^[0-9a-f]{64}$'`),
    check('model_answers_step', oneOf('step', ANSWER_STEPS)),
    check('model_answers_state', oneOf('state', ['unjudged', 'accepted', 'rejected'])),
    index('model_answers_by_run').on(t.tenant, t.userId, t.runId),
    // What a whole tenant used since a day.
    index('model_answers_by_time').on(t.tenant, t.createdAt),
  ],
);

/** What REM thought of a pair of memories in the versions it saw; a pair is judged once. a_id < b_id. */
export const remVerdicts = slowwave.table(
  'rem_verdicts',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    aId: uuid('a_id').notNull(),
    bId: uuid('b_id').notNull(),
    aVersion: integer('a_version').notNull(),
    bVersion: integer('b_version').notNull(),
    novelty: smallint('novelty').notNull(),
    plausibility: smallint('plausibility').notNull(),
    usefulness: smallint('usefulness').notNull(),
    accepted: boolean('accepted').notNull(),
    model: text('model').notNull(),
    runId: uuid('run_id'),
    judgedAt: instant('judged_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.aId, t.bId, t.aVersion, t.bVersion] }),
    foreignKey({
      name: 'rem_verdicts_a',
      columns: [t.tenant, t.userId, t.aId],
      foreignColumns: [memories.tenant, memories.userId, memories.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'rem_verdicts_b',
      columns: [t.tenant, t.userId, t.bId],
      foreignColumns: [memories.tenant, memories.userId, memories.id],
    }).onDelete('cascade'),
    check('rem_verdicts_pair', sql`a_id < b_id`),
    check(
      'rem_verdicts_scores',
      sql`novelty between 1 and 5 and plausibility between 1 and 5 and usefulness between 1 and 5`,
    ),
    index('rem_verdicts_by_b').on(t.tenant, t.userId, t.bId),
  ],
);

/** Superseded and archived memories past their retention, whole, with what hung on them; put back by restoring. */
export const coldMemories = slowwave.table(
  'cold_memories',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: uuid('id').notNull(),
    /** The row as it was, without generated columns. */
    memory: jsonb('memory').notNull(),
    relations: jsonb('relations').notNull(),
    /** Its rows in fusion_sources. */
    fusionSources: jsonb('fusion_sources').notNull(),
    utility: doublePrecision('utility').notNull(),
    prunedAt: instant('pruned_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    // The days of what a memory stands for are part of the days on which it was said.
    index('cold_memories_superseded_by').on(t.tenant, t.userId, sql`(memory->>'superseded_by')`),
  ],
);
