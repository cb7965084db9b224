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
import { users } from './users.ts';

/**
 * collecting: takes further questions. sending: written down before it is sent, so that whoever finds it looks whether it arrived.
 * submitted: the provider has it. ended: every question has its result, or none will come. abandoned: it cannot be found out what became of it.
 */
export const BATCH_STATES = ['collecting', 'sending', 'submitted', 'ended', 'abandoned'] as const;

/**
 * collected: waits to be sent. sent: is being sent or answered. answered: its answer waits for the run that uses it. failed: it is asked
 * directly. dropped: nobody wants the answer any more; only what it costs is written down.
 */
export const BATCH_REQUEST_STATES = ['collected', 'sent', 'answered', 'failed', 'dropped'] as const;

/** Questions of one tenant to one model that are asked together. Says nothing of what is asked. */
export const modelBatches = slowwave.table(
  'model_batches',
  {
    tenant: tenantColumn(),
    id: uuid('id').notNull(),
    model: text('model').notNull(),
    state: text('state').notNull(),
    /** The provider's name for it. */
    providerId: text('provider_id'),
    createdAt: instant('created_at').notNull(),
    sentAt: instant('sent_at'),
    /** When somebody looks at it again; an ended one is removed then, with what nobody has used. */
    lookAt: instant('look_at').notNull(),
    looks: integer('looks').notNull().default(0),
    /** From then on its questions are asked directly. */
    deadlineAt: instant('deadline_at').notNull(),
    cancelledAt: instant('cancelled_at'),
    endedAt: instant('ended_at'),
    requests: integer('requests').notNull().default(0),
    answered: integer('answered').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    /** Results that belong to no question of ours. */
    unknown: integer('unknown').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.id] }),
    check('model_batches_state', oneOf('state', BATCH_STATES)),
    uniqueIndex('model_batches_collecting').on(t.tenant, t.model).where(sql`state = 'collecting'`),
    index('model_batches_look').on(t.lookAt),
    uniqueIndex('model_batches_provider').on(t.providerId).where(sql`provider_id is not null`),
  ],
);

/** One question that waits for its answer in a batch. Its texts stand here and nowhere else, each as long as it is needed. */
export const batchRequests = slowwave.table(
  'batch_requests',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    /** Under which the provider gives its result. */
    id: uuid('id').notNull(),
    batchId: uuid('batch_id').notNull(),
    /** Key of the fusion or the answer, and the attempt: one question is asked once. */
    question: text('question').notNull(),
    step: text('step').notNull(),
    runId: uuid('run_id'),
    /** What was reserved for it. */
    callId: uuid('call_id').notNull(),
    state: text('state').notNull(),
    /** The request, until the provider has it. */
    body: text('body'),
    bytes: integer('bytes').notNull(),
    /** The answer, until a run has stored it under its key. */
    answer: text('answer'),
    stopReason: text('stop_reason'),
    model: text('model'),
    inputTokens: bigint('input_tokens', { mode: 'number' }).notNull().default(0),
    outputTokens: bigint('output_tokens', { mode: 'number' }).notNull().default(0),
    collectedAt: instant('collected_at').notNull(),
    answeredAt: instant('answered_at'),
    deadlineAt: instant('deadline_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    uniqueIndex('batch_requests_question').on(t.tenant, t.userId, t.question),
    index('batch_requests_by_batch').on(t.tenant, t.batchId, t.id),
    check('batch_requests_state', oneOf('state', BATCH_REQUEST_STATES)),
    check('batch_requests_body', sql`body is null or state in ('collected', 'sent')`),
    check('batch_requests_answer', sql`(answer is not null) = (state = 'answered')`),
  ],
);

/** What a tenant allows. Without a row everything that the service is configured to do. */
export const tenantSettings = slowwave.table(
  'tenant_settings',
  {
    tenant: tenantColumn(),
    /** Whether its questions may wait in batches, which providers keep for days. */
    batches: boolean('batches').notNull().default(true),
    /** The report of its last evaluation: figures, and the names of its files. */
    evaluation: jsonb('evaluation'),
    evaluatedAt: instant('evaluated_at'),
    changedAt: instant('changed_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant] }),
    check('tenant_settings_evaluation', sql`(evaluation is null) = (evaluated_at is null)`),
  ],
);
