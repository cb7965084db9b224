import { CONFLICT_TYPES } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import {
  check,
  doublePrecision,
  foreignKey,
  index,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { CONFLICT_STATUSES } from '../words.ts';
import { instant, oneOf, slowwave, tenantColumn, userColumn } from './column-types.ts';
import { memories } from './memories.ts';
import { users } from './users.ts';

export { CONFLICT_STATUSES };

/** Who said first that the two may disagree. */
export const CONFLICT_SOURCES = ['fusion', 'twins', 'person', 'consolidate'] as const;
/** Who settled it: the code (compatible, subsumed), a policy, or a person. gone: one side was superseded, edited or forgotten meanwhile. */
export const CONFLICT_SETTLERS = ['code', 'policy', 'person', 'gone'] as const;

/** Two memories of one user that may disagree. a_id < b_id. */
export const conflicts = slowwave.table(
  'conflicts',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: uuid('id').notNull(),
    aId: uuid('a_id').notNull(),
    bId: uuid('b_id').notNull(),
    /** The contents that were compared: a pair whose contents changed is a new question. */
    aHash: text('a_hash').notNull(),
    bHash: text('b_hash').notNull(),
    status: text('status').notNull().default('reported'),
    /** Null until it is labelled. */
    type: text('type'),
    source: text('source').notNull(),
    /** The question that both answer, such as "home city"; a model's words. */
    slot: text('slot'),
    /** Why; a model's words. */
    description: text('description'),
    confidence: doublePrecision('confidence'),
    /** The side that alone stays out of fusion while this is open, being less trusted; null: both. */
    accuser: uuid('accuser'),
    /** The side that superseded the other. */
    winner: uuid('winner'),
    resolution: text('resolution'),
    resolvedBy: text('resolved_by'),
    /** Which person, as the caller named them. */
    actor: text('actor'),
    runId: uuid('run_id'),
    model: text('model'),
    detectedAt: instant('detected_at').notNull(),
    resolvedAt: instant('resolved_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
    // Both carry tenant and user: nobody can be in conflict with somebody else's memory.
    foreignKey({
      name: 'conflicts_a',
      columns: [t.tenant, t.userId, t.aId],
      foreignColumns: [memories.tenant, memories.userId, memories.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'conflicts_b',
      columns: [t.tenant, t.userId, t.bId],
      foreignColumns: [memories.tenant, memories.userId, memories.id],
    }).onDelete('cascade'),
    check('conflicts_pair', sql`a_id < b_id`),
    check('conflicts_status', oneOf('status', CONFLICT_STATUSES)),
    check('conflicts_type', sql.raw(`type is null or type in ('${CONFLICT_TYPES.join("', '")}')`)),
    check('conflicts_source', oneOf('source', CONFLICT_SOURCES)),
    check(
      'conflicts_settled',
      sql.raw(
        `(status = 'resolved') = (resolved_by is not null) and (status = 'resolved') = (resolved_at is not null) and (resolved_by is null or resolved_by in ('${CONFLICT_SETTLERS.join("', '")}'))`,
      ),
    ),
    check('conflicts_labelled', sql`status <> 'open' or type in ('contradictory', 'ambiguous')`),
    check(
      'conflicts_sides',
      sql`(accuser is null or accuser in (a_id, b_id)) and (winner is null or (winner in (a_id, b_id) and status = 'resolved'))`,
    ),
    // One question about a pair at a time, and none again about the same contents.
    uniqueIndex('conflicts_once').on(t.tenant, t.userId, t.aId, t.bId, t.aHash, t.bHash),
    index('conflicts_waiting').on(t.tenant, t.userId, t.status).where(sql`status <> 'resolved'`),
    index('conflicts_by_tenant').on(t.tenant, t.detectedAt, t.id),
    index('conflicts_by_b').on(t.tenant, t.userId, t.bId),
  ],
);

/**
 * Ids of memories that were forgotten, so that nothing that was under way brings one back under its old id: a hash of the
 * writer's own id and date at most, never a word of what it said. They go with their user.
 */
export const tombstones = slowwave.table(
  'tombstones',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    memoryId: uuid('memory_id').notNull(),
    forgottenAt: instant('forgotten_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.memoryId] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }).onDelete(
      'cascade',
    ),
  ],
);
