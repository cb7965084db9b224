import { TIERS } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { CONFLICT_POLICIES } from '../words.ts';
import { instant, oneOf, slowwave, tenantColumn, userColumn } from './column-types.ts';

export { CONFLICT_POLICIES };

/** One person whose memories are consolidated. */
export const users = slowwave.table(
  'users',
  {
    tenant: tenantColumn(),
    id: text('id').notNull(),
    timezone: text('timezone').notNull().default('UTC'),
    /** Quiet hours in minutes after local midnight; start equal to end means none. */
    quietStart: smallint('quiet_start').notNull().default(120),
    quietEnd: smallint('quiet_end').notNull().default(300),
    /** How fusions are applied. */
    mode: text('mode').notNull().default('auto'),
    /** How contradictions are settled: by asking a person, or for the newest where that is safe. */
    conflictPolicy: text('conflict_policy').notNull().default('ask'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.id] }),
    check('users_mode', oneOf('mode', ['auto', 'review', 'off'])),
    check('users_conflict_policy', oneOf('conflict_policy', CONFLICT_POLICIES)),
    check('users_quiet', sql`quiet_start between 0 and 1439 and quiet_end between 0 and 1439`),
    check('users_names', sql`length(tenant) between 1 and 200 and length(id) between 1 and 200`),
  ],
);

/** When each tier of a user is due, was tried and succeeded. The queue only executes what stands here. */
export const userTiers = slowwave.table(
  'user_tiers',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    tier: text('tier').notNull(),
    dueAt: instant('due_at').notNull(),
    nextAttemptAt: instant('next_attempt_at').notNull().default(sql`'-infinity'`),
    lastAttemptAt: instant('last_attempt_at'),
    /** Moves only after success. */
    lastSuccessAt: instant('last_success_at'),
    failures: integer('failures').notNull().default(0),
    /** When a wake-up was last put in the queue; cleared when it is taken up. */
    enqueuedAt: instant('enqueued_at'),
    /** Set while somebody waits for a run of their own. */
    requestedRun: uuid('requested_run'),
    /** Paused for this user, and for the whole tenant. */
    paused: boolean('paused').notNull().default(false),
    tenantPaused: boolean('tenant_paused').notNull().default(false),
    /** Starts in a row whose holder ended without a word. */
    unended: integer('unended').notNull().default(0),
    /** Failures in a row that no outage explains. */
    faults: integer('faults').notNull().default(0),
    /** Set while the user is in quarantine: no tier runs until an operator releases the user. */
    quarantinedAt: instant('quarantined_at'),
    quarantineCode: text('quarantine_code'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.tier] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    check('user_tiers_tier', oneOf('tier', TIERS)),
    index('user_tiers_due')
      .on(t.tier, t.dueAt)
      .where(sql`not paused and not tenant_paused and quarantined_at is null`),
    // Tenant by tenant, so that each has its turn.
    index('user_tiers_due_by_tenant')
      .on(t.tier, t.tenant, t.dueAt)
      .where(sql`not paused and not tenant_paused and quarantined_at is null`),
    index('user_tiers_paused').on(t.tier).where(sql`paused or tenant_paused`),
    index('user_tiers_quarantined').on(t.tier).where(sql`quarantined_at is not null`),
    index('user_tiers_requested').on(t.tier).where(sql`requested_run is not null`),
  ],
);

/** Who works on a user now. On the database's clock only. The fence grows with every new holder. */
export const leases = slowwave.table(
  'leases',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    fence: bigint('fence', { mode: 'number' }).notNull(),
    holder: text('holder').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    // Those that ran out without a release: their holders are gone.
    index('leases_held').on(t.expiresAt).where(sql`expires_at > '-infinity'`),
  ],
);

/** Tiers that are paused for a whole tenant; its user_tiers rows carry the mark, and new users get it from here. */
export const tenantPauses = slowwave.table(
  'tenant_pauses',
  {
    tenant: tenantColumn(),
    tier: text('tier').notNull(),
    pausedAt: instant('paused_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenant, t.tier] }), check('tenant_pauses_tier', oneOf('tier', TIERS))],
);

/** Tiers that are paused for everybody. */
export const tierPauses = slowwave.table(
  'tier_pauses',
  { tier: text('tier').primaryKey(), pausedAt: instant('paused_at').notNull() },
  () => [check('tier_pauses_tier', oneOf('tier', TIERS))],
);
