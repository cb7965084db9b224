import { sql } from 'drizzle-orm';
import {
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
import { TOKEN_ROLES, WEBHOOK_EVENTS } from '../words.ts';
import { instant, oneOf, slowwave, tenantColumn } from './column-types.ts';

export { TOKEN_ROLES, WEBHOOK_EVENTS };

/** Who may call the HTTP API for one tenant. The secret itself is nowhere; its digest is. */
export const apiTokens = slowwave.table(
  'api_tokens',
  {
    tenant: tenantColumn(),
    id: uuid('id').notNull(),
    /** What people call it. */
    name: text('name').notNull(),
    role: text('role').notNull(),
    /** Whether what it writes may pass for the user's own word where an assistant holds it. */
    speaksForUser: boolean('speaks_for_user').notNull().default(false),
    /** SHA-256 of the whole token, hex. */
    digest: text('digest').notNull(),
    createdAt: instant('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    /** Null: until it is revoked. */
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
    /** To the hour, so that reading is not writing. */
    lastUsedAt: instant('last_used_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.id] }),
    // Looked up by its id before the tenant is known.
    uniqueIndex('api_tokens_id').on(t.id),
    check('api_tokens_role', oneOf('role', TOKEN_ROLES)),
    check('api_tokens_name', sql`length(name) between 1 and 200`),
    check('api_tokens_digest', sql`digest ~ '^[0-9a-f]{64}$'`),
  ],
);

/** Writes that carried an Idempotency-Key, with their answers, so that a repeated one is answered and not done again. */
export const idempotencyKeys = slowwave.table(
  'idempotency_keys',
  {
    tenant: tenantColumn(),
    /** The id of the token that wrote; "operator" for the operator's own. */
    caller: text('caller').notNull(),
    /** SHA-256 of the key that the client chose, hex. */
    key: text('key').notNull(),
    /** SHA-256 of method, address and body, hex: another request under the same key is refused. */
    requestHash: text('request_hash').notNull(),
    /** Whose memories it was about, where it was about one user's. */
    userId: text('user_id'),
    /** Null while the first request is under way. */
    status: integer('status'),
    /** The body of the answer; emptied when something of this user is forgotten. */
    answer: jsonb('answer'),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.caller, t.key] }),
    index('idempotency_keys_by_user').on(t.tenant, t.userId),
    index('idempotency_keys_expiry').on(t.expiresAt),
    check('idempotency_keys_hashes', sql`key ~ '^[0-9a-f]{64}$' and request_hash ~ '^[0-9a-f]{64}$'`),
  ],
);

/** Where a tenant wants to be told of what happened. */
export const webhooks = slowwave.table(
  'webhooks',
  {
    tenant: tenantColumn(),
    id: uuid('id').notNull(),
    url: text('url').notNull(),
    /** Of WEBHOOK_EVENTS. */
    events: text('events').array().notNull(),
    /** The key of the signatures, base64. */
    secret: text('secret').notNull(),
    active: boolean('active').notNull().default(true),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.id] }),
    check('webhooks_url', sql`length(url) between 1 and 2000`),
    check('webhooks_events', sql`cardinality(events) between 1 and 20`),
  ],
);

/** Events on their way to a webhook, written in the transaction of what they tell. Ids, counts and codes only. */
export const webhookDeliveries = slowwave.table(
  'webhook_deliveries',
  {
    tenant: tenantColumn(),
    id: uuid('id').notNull(),
    webhookId: uuid('webhook_id').notNull(),
    userId: text('user_id'),
    event: text('event').notNull(),
    payload: jsonb('payload').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** Null once it arrived or was given up. */
    nextAttemptAt: instant('next_attempt_at'),
    deliveredAt: instant('delivered_at'),
    gaveUpAt: instant('gave_up_at'),
    lastStatus: integer('last_status'),
    errorCode: text('error_code'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.id] }),
    foreignKey({
      name: 'webhook_deliveries_webhook',
      columns: [t.tenant, t.webhookId],
      foreignColumns: [webhooks.tenant, webhooks.id],
    }).onDelete('cascade'),
    check('webhook_deliveries_event', oneOf('event', WEBHOOK_EVENTS)),
    index('webhook_deliveries_due').on(t.nextAttemptAt).where(sql`next_attempt_at is not null`),
    index('webhook_deliveries_by_webhook').on(t.tenant, t.webhookId, t.createdAt),
    index('webhook_deliveries_by_user').on(t.tenant, t.userId),
  ],
);
