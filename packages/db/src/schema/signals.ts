import { sql } from 'drizzle-orm';
import {
  check,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  real,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { instant, oneOf, slowwave, tenantColumn, userColumn } from './column-types.ts';
import { memories } from './memories.ts';
import { users } from './users.ts';

export const FEEDBACK_KINDS = ['accepted', 'dismissed', 'explicit'] as const;

/** One question asked of a user's memories. */
export const recallEvents = slowwave.table(
  'recall_events',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: uuid('id').notNull(),
    query: text('query').notNull(),
    recalledAt: instant('recalled_at').notNull(),
    hits: integer('hits').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    index('recall_events_by_time').on(t.tenant, t.userId, t.recalledAt),
  ],
);

/** What a question brought back. */
export const recallHits = slowwave.table(
  'recall_hits',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    eventId: uuid('event_id').notNull(),
    memoryId: uuid('memory_id').notNull(),
    position: integer('position').notNull(),
    score: real('score').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.eventId, t.memoryId] }),
    foreignKey({
      name: 'recall_hits_event',
      columns: [t.tenant, t.userId, t.eventId],
      foreignColumns: [recallEvents.tenant, recallEvents.userId, recallEvents.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'recall_hits_memory',
      columns: [t.tenant, t.userId, t.memoryId],
      foreignColumns: [memories.tenant, memories.userId, memories.id],
    }).onDelete('cascade'),
    index('recall_hits_by_memory').on(t.tenant, t.userId, t.memoryId),
  ],
);

/** What a user thought of something an agent did on its own. */
export const feedback = slowwave.table(
  'feedback',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: uuid('id').notNull(),
    kind: text('kind').notNull(),
    /** For explicit feedback: 0 (bad) to 1 (good). */
    rating: doublePrecision('rating'),
    sessionId: text('session_id'),
    givenAt: instant('given_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    check('feedback_kind', oneOf('kind', FEEDBACK_KINDS)),
    check(
      'feedback_rating',
      sql`(kind = 'explicit') = (rating is not null) and (rating is null or rating between 0 and 1)`,
    ),
    index('feedback_by_time').on(t.tenant, t.userId, t.givenAt),
  ],
);

/** What the tiers have learned about how a user behaves; never a source of facts about the user. */
export const userProfiles = slowwave.table(
  'user_profiles',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    /** Averages and trends of behavioural inference; numbers and topics. */
    behaviour: jsonb('behaviour'),
    /** Messages said up to here are in it. */
    behaviourThrough: instant('behaviour_through'),
    /** 0 to 1. */
    trust: doublePrecision('trust'),
    /** Feedback given up to here is in it. */
    trustThrough: instant('trust_through'),
    /** The distilled behaviour profile of self-reflection. */
    profile: text('profile'),
    profileAt: instant('profile_at'),
    /** Hash of the graph that REM last explored to its end. */
    remGraph: text('rem_graph'),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    check('user_profiles_trust', sql`trust is null or trust between 0 and 1`),
  ],
);
