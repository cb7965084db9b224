import { sql } from 'drizzle-orm';
import { check, foreignKey, index, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { instant, oneOf, slowwave, tenantColumn, userColumn } from './column-types.ts';
import { users } from './users.ts';

export const GOAL_STATUSES = ['active', 'completed', 'abandoned'] as const;
export const GOAL_STAGES = ['warning', 'urgent', 'overdue'] as const;
export const ITEM_STATUSES = ['pending', 'done', 'expired', 'cancelled'] as const;
export const ITEM_KINDS = ['reminder', 'follow_up', 'check_in'] as const;

/** Something the user wants to have reached by a time. */
export const goals = slowwave.table(
  'goals',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: uuid('id').notNull(),
    externalId: text('external_id'),
    title: text('title').notNull(),
    status: text('status').notNull().default('active'),
    /** Null: without a deadline. */
    dueAt: instant('due_at'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    check('goals_status', oneOf('status', GOAL_STATUSES)),
    check('goals_title', sql`length(title) > 0`),
    uniqueIndex('goals_external').on(t.tenant, t.userId, t.externalId).where(sql`external_id is not null`),
    index('goals_due').on(t.tenant, t.userId, t.dueAt).where(sql`status = 'active' and due_at is not null`),
  ],
);

/** What an agent should bring up at a time: reminders of its own, and check-ins about goals. */
export const scheduledItems = slowwave.table(
  'scheduled_items',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: uuid('id').notNull(),
    externalId: text('external_id'),
    kind: text('kind').notNull(),
    content: text('content').notNull(),
    status: text('status').notNull().default('pending'),
    dueAt: instant('due_at').notNull(),
    /** How it comes back (the writer's own words, such as an RRULE); null: once. */
    recurrence: text('recurrence'),
    /** For check-ins: the goal, its deadline when it was made, and the stage it was in. */
    goalId: uuid('goal_id'),
    goalDueAt: instant('goal_due_at'),
    goalStage: text('goal_stage'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    foreignKey({
      name: 'scheduled_items_goal',
      columns: [t.tenant, t.userId, t.goalId],
      foreignColumns: [goals.tenant, goals.userId, goals.id],
    }).onDelete('cascade'),
    check('scheduled_items_kind', oneOf('kind', ITEM_KINDS)),
    check('scheduled_items_status', oneOf('status', ITEM_STATUSES)),
    check('scheduled_items_content', sql`length(content) > 0`),
    check(
      'scheduled_items_check_in',
      sql`(kind = 'check_in') = (goal_id is not null) and num_nonnulls(goal_id, goal_due_at, goal_stage) in (0, 3)`,
    ),
    check(
      'scheduled_items_stage',
      sql.raw(`goal_stage is null or goal_stage in ('${GOAL_STAGES.join("', '")}')`),
    ),
    uniqueIndex('scheduled_items_external')
      .on(t.tenant, t.userId, t.externalId)
      .where(sql`external_id is not null`),
    // One check-in per goal, due date and stage.
    uniqueIndex('scheduled_items_stage_once')
      .on(t.tenant, t.userId, t.goalId, t.goalDueAt, t.goalStage)
      .where(sql`goal_id is not null`),
    index('scheduled_items_pending').on(t.tenant, t.userId, t.dueAt).where(sql`status = 'pending'`),
  ],
);
