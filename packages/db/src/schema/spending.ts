import { TIERS } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, date, foreignKey, index, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant, oneOf, slowwave, tenantColumn, userColumn } from './column-types.ts';
import { users } from './users.ts';

export const CALL_STATES = ['reserved', 'settled', 'released', 'lapsed'] as const;

/** Of a user: a calendar day in the user's zone, and a night from noon to noon there. */
export const USER_PERIODS = ['day', 'night'] as const;

const tokens = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);
const nanos = (name: string) => bigint(name, { mode: 'bigint' }).notNull().default(sql`0`);

/** What a period has spent, and what calls under way may still spend, in tokens and nano-dollars. */
const amounts = () => ({
  spentTokens: tokens('spent_tokens'),
  spentNanos: nanos('spent_nanos'),
  reservedTokens: tokens('reserved_tokens'),
  reservedNanos: nanos('reserved_nanos'),
});

/** Nothing is given back that was not reserved. */
const NOT_NEGATIVE = sql`least(spent_tokens, spent_nanos, reserved_tokens, reserved_nanos) >= 0`;

/** One call of a language model: reserved before it is made, closed by what came of it. */
export const modelCalls = slowwave.table(
  'model_calls',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: uuid('id').notNull(),
    runId: uuid('run_id'),
    tier: text('tier').notNull(),
    step: text('step').notNull(),
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    state: text('state').notNull(),
    /** Whether the model's price was known; without one nothing is known of its cost. */
    priced: boolean('priced').notNull(),
    /** Asked for in a batch, at its price. */
    batch: boolean('batch').notNull().default(false),
    /** Bounds. A lapsed call counts with these. */
    reservedTokens: tokens('reserved_tokens'),
    reservedNanos: nanos('reserved_nanos'),
    /** All that was read, from a cache or not. */
    inputTokens: tokens('input_tokens'),
    /** Of these: found in the provider's cache, and put there. */
    cacheReadTokens: tokens('cache_read_tokens'),
    cacheWriteTokens: tokens('cache_write_tokens'),
    outputTokens: tokens('output_tokens'),
    costNanos: nanos('cost_nanos'),
    /** The periods that it counts in. Of the night only in tiers that belong to one. */
    userDay: date('user_day', { mode: 'string' }).notNull(),
    userNight: date('user_night', { mode: 'string' }),
    tenantDay: date('tenant_day', { mode: 'string' }).notNull(),
    /** Whether it counts among the calls of all tenants. */
    overall: boolean('overall').notNull(),
    begunAt: instant('begun_at').notNull(),
    /** On the database's own clock: from then on nobody waits for its end. */
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    check('model_calls_state', oneOf('state', CALL_STATES)),
    check('model_calls_tier', oneOf('tier', TIERS)),
    index('model_calls_open').on(t.tenant, t.userId, t.expiresAt).where(sql`state = 'reserved'`),
    index('model_calls_by_run').on(t.tenant, t.userId, t.runId),
    index('model_calls_by_tenant').on(t.tenant, t.begunAt),
  ],
);

/** The budget periods of a user. */
export const userSpend = slowwave.table(
  'user_spend',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    period: text('period').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    /** When the next one may begin, by the zone in which this one began; null: of a version that did not say. */
    renewsAt: instant('renews_at'),
    ...amounts(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.period, t.day] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    check('user_spend_period', oneOf('period', USER_PERIODS)),
    check('user_spend_amounts', NOT_NEGATIVE),
  ],
);

/** The budget periods of a tenant: days in UTC. They stay when users go, since the money stays spent. */
export const tenantSpend = slowwave.table(
  'tenant_spend',
  { tenant: tenantColumn(), day: date('day', { mode: 'string' }).notNull(), ...amounts() },
  (t) => [primaryKey({ columns: [t.tenant, t.day] }), check('tenant_spend_amounts', NOT_NEGATIVE)],
);

/**
 * The budget periods of all tenants together: days in UTC. One row a day, so that a limit holds to the call: shares of a limit in
 * several rows would end one after the other, and be passed or left over. All calls take turns at it for as long as a short
 * statement takes; so it is locked last, and only while a limit is set.
 */
export const overallSpend = slowwave.table(
  'overall_spend',
  { day: date('day', { mode: 'string' }).notNull(), ...amounts() },
  (t) => [primaryKey({ columns: [t.day] }), check('overall_spend_amounts', NOT_NEGATIVE)],
);
