import { sql } from 'drizzle-orm';
import { check, foreignKey, index, integer, jsonb, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { instant, oneOf, slowwave, tenantColumn, userColumn, vectorColumn } from './column-types.ts';
import { embeddingModels } from './memories.ts';
import { users } from './users.ts';

export const MESSAGE_ROLES = ['user', 'assistant', 'tool', 'system'] as const;

/** One conversation of a user with an agent, under the writer's own id. */
export const sessions = slowwave.table(
  'sessions',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: text('id').notNull(),
    /** The agent it was held with. */
    agent: text('agent'),
    startedAt: instant('started_at').notNull(),
    lastMessageAt: instant('last_message_at').notNull(),
    /** Positions of messages are 1 to this. */
    messageCount: integer('message_count').notNull().default(0),
    /** The summary covers the messages up to this position; 0 for none. */
    summarizedCount: integer('summarized_count').notNull().default(0),
    /** Summaries that failed in a row since the last message. */
    summaryFailures: integer('summary_failures').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    check('sessions_name', sql`length(id) between 1 and 200`),
    check('sessions_counts', sql`summarized_count between 0 and message_count and summary_failures >= 0`),
    // Who has something to summarise, past a long history.
    index('sessions_unsummarized')
      .on(t.tenant, t.userId, t.lastMessageAt)
      .where(sql`message_count > summarized_count`),
  ],
);

const sessionKey = [sessions.tenant, sessions.userId, sessions.id] as const;

export const messages = slowwave.table(
  'messages',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    sessionId: text('session_id').notNull(),
    position: integer('position').notNull(),
    /** The id under which the writer knows it; the same id again is the same message. */
    externalId: text('external_id'),
    role: text('role').notNull(),
    content: text('content').notNull(),
    saidAt: instant('said_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.sessionId, t.position] }),
    foreignKey({
      name: 'messages_session',
      columns: [t.tenant, t.userId, t.sessionId],
      foreignColumns: [...sessionKey],
    }).onDelete('cascade'),
    check('messages_role', oneOf('role', MESSAGE_ROLES)),
    check('messages_content', sql`length(content) > 0`),
    uniqueIndex('messages_external')
      .on(t.tenant, t.userId, t.sessionId, t.externalId)
      .where(sql`external_id is not null`),
    index('messages_by_time').on(t.tenant, t.userId, t.saidAt),
  ],
);

/** What a session was about, as it stands now; a session that goes on is summarised anew. */
export const sessionSummaries = slowwave.table(
  'session_summaries',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    sessionId: text('session_id').notNull(),
    summary: text('summary').notNull(),
    /** SHA-256 of the summary, hex. */
    contentHash: text('content_hash').notNull(),
    topics: jsonb('topics').notNull(),
    messageCount: integer('message_count').notNull(),
    model: text('model').notNull(),
    createdAt: instant('created_at').notNull(),
    /** When self-reflection last read it. */
    reflectedAt: instant('reflected_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.sessionId] }),
    foreignKey({
      name: 'session_summaries_session',
      columns: [t.tenant, t.userId, t.sessionId],
      foreignColumns: [...sessionKey],
    }).onDelete('cascade'),
    check('session_summaries_text', sql`length(summary) > 0`),
    index('session_summaries_by_time').on(t.tenant, t.userId, t.createdAt),
  ],
);

export const summaryEmbeddings = slowwave.table(
  'summary_embeddings',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    sessionId: text('session_id').notNull(),
    model: text('model')
      .notNull()
      .references(() => embeddingModels.model),
    contentHash: text('content_hash').notNull(),
    vector: vectorColumn('vector').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.sessionId, t.model] }),
    foreignKey({
      name: 'summary_embeddings_summary',
      columns: [t.tenant, t.userId, t.sessionId],
      foreignColumns: [sessionSummaries.tenant, sessionSummaries.userId, sessionSummaries.sessionId],
    }).onDelete('cascade'),
  ],
);
