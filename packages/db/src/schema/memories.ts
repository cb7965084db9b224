import {
  CATEGORIES,
  LEARNED_FROM,
  MEMORY_TYPES,
  ORIGINS,
  RELATION_TYPES,
  VISIBILITIES,
} from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import {
  boolean,
  check,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  real,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import {
  instant,
  oneOf,
  slowwave,
  tenantColumn,
  userColumn,
  vectorColumn,
  wordsColumn,
} from './column-types.ts';
import { users } from './users.ts';

/** The instant at which prominence falls below a threshold, solved at every real write, never by time passing. */
const crossing = (threshold: number): SQL =>
  sql.raw(
    `slowwave.crossing(${threshold}, category, memory_type, importance, confirmations, peak, anchor_at, demotion)`,
  );

export const memories = slowwave.table(
  'memories',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    id: uuid('id').notNull(),
    /** The id under which the writer knows it. */
    externalId: text('external_id'),
    workspace: text('workspace'),
    visibility: text('visibility').notNull().default('private'),
    content: text('content').notNull(),
    /** SHA-256 of the content, hex. */
    contentHash: text('content_hash').notNull(),
    category: text('category').notNull(),
    memoryType: text('memory_type').notNull().default('regular'),
    /** The type it had before it was superseded. */
    priorType: text('prior_type'),
    importance: smallint('importance').notNull().default(5),
    confidence: doublePrecision('confidence').notNull().default(0.8),
    trust: doublePrecision('trust').notNull().default(0.8),
    isLatest: boolean('is_latest').notNull().default(true),
    version: integer('version').notNull().default(1),
    archivedAt: instant('archived_at'),
    origin: text('origin').notNull().default('user'),
    session: text('session'),
    learnedFrom: text('learned_from').notNull().default('conversation'),
    documentDate: instant('document_date').notNull(),
    eventDate: instant('event_date'),
    validFrom: instant('valid_from'),
    validTo: instant('valid_to'),
    /** Prominence at the anchor; see the decay formula. */
    peak: doublePrecision('peak').notNull(),
    anchorAt: instant('anchor_at').notNull(),
    demotion: doublePrecision('demotion').notNull().default(1),
    confirmations: integer('confirmations').notNull().default(0),
    accessCount: integer('access_count').notNull().default(0),
    lastAccessed: instant('last_accessed'),
    sourceChunk: text('source_chunk'),
    supersededBy: uuid('superseded_by'),
    expiresAt: instant('expires_at'),
    /** When the retrieval audit last demoted it. */
    auditedAt: instant('audited_at'),
    metadata: jsonb('metadata').notNull().default({}),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    crosses080At: instant('crosses_080_at').generatedAlwaysAs(crossing(0.8)),
    crosses050At: instant('crosses_050_at').generatedAlwaysAs(crossing(0.5)),
    crosses010At: instant('crosses_010_at').generatedAlwaysAs(crossing(0.1)),
    crosses005At: instant('crosses_005_at').generatedAlwaysAs(crossing(0.05)),
    /**
     * Words of the content (label A), and of the sources it was derived from (label C), as recall looks for them: stems of the text's
     * language, pairs of signs where words have no spaces. Never part of an image in the journal.
     */
    words: wordsColumn('words').generatedAlwaysAs(
      sql.raw(
        "setweight(slowwave.recall_words(content), 'A') || setweight(slowwave.recall_words(coalesce(source_chunk, '')), 'C')",
      ),
    ),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.id] }),
    foreignKey({ columns: [t.tenant, t.userId], foreignColumns: [users.tenant, users.id] }),
    // Carries tenant and user: nothing can be superseded by somebody else's memory.
    foreignKey({
      name: 'memories_superseded_by',
      columns: [t.tenant, t.userId, t.supersededBy],
      foreignColumns: [t.tenant, t.userId, t.id],
    }),
    check('memories_category', oneOf('category', CATEGORIES)),
    check('memories_type', oneOf('memory_type', MEMORY_TYPES)),
    check('memories_origin', oneOf('origin', ORIGINS)),
    check('memories_learned_from', oneOf('learned_from', LEARNED_FROM)),
    check('memories_visibility', oneOf('visibility', VISIBILITIES)),
    check(
      'memories_scores',
      sql`importance between 1 and 10 and confidence between 0 and 1 and trust between 0 and 1`,
    ),
    // Zero or well away from it: products of tiny factors underflow.
    check(
      'memories_prominence',
      sql`(peak = 0 or peak between 1e-9 and 1) and (demotion = 0 or demotion between 1e-9 and 1)`,
    ),
    check('memories_content', sql`length(content) > 0`),
    check(
      'memories_superseded',
      sql`(memory_type = 'superseded') = (superseded_by is not null) and (memory_type = 'superseded') = (prior_type is not null) and not (memory_type = 'superseded' and is_latest) and superseded_by is distinct from id`,
    ),
    uniqueIndex('memories_external').on(t.tenant, t.userId, t.externalId).where(sql`external_id is not null`),
    // A window of prominence is a range of this index: crossed the upper bound, not yet the lower one.
    index('memories_dormant')
      .on(t.tenant, t.userId, t.crosses050At, t.crosses010At)
      .where(sql`is_latest and archived_at is null`),
    index('memories_window')
      .on(t.tenant, t.userId, t.crosses080At, t.crosses005At)
      .where(sql`is_latest and archived_at is null`),
    index('memories_superseded_by_idx')
      .on(t.tenant, t.userId, t.supersededBy)
      .where(sql`superseded_by is not null`),
  ],
);

const memoryKey = [memories.tenant, memories.userId, memories.id] as const;

export const relations = slowwave.table(
  'relations',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    sourceId: uuid('source_id').notNull(),
    targetId: uuid('target_id').notNull(),
    relationType: text('relation_type').notNull(),
    confidence: doublePrecision('confidence').notNull(),
    /** A connection that REM thinks of; its confidence fades from the day it was made, and it fuses nothing. */
    hypothesis: boolean('hypothesis').notNull().default(false),
    /** Why a hypothesis was accepted. */
    explanation: text('explanation'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.sourceId, t.targetId, t.relationType] }),
    foreignKey({
      name: 'relations_source',
      columns: [t.tenant, t.userId, t.sourceId],
      foreignColumns: [...memoryKey],
    }).onDelete('cascade'),
    foreignKey({
      name: 'relations_target',
      columns: [t.tenant, t.userId, t.targetId],
      foreignColumns: [...memoryKey],
    }).onDelete('cascade'),
    check('relations_type', oneOf('relation_type', RELATION_TYPES)),
    check('relations_self', sql`source_id <> target_id`),
    check('relations_confidence', sql`confidence between 0 and 1`),
    index('relations_by_target').on(t.tenant, t.userId, t.targetId),
  ],
);

/** Which models have embedded anything here, so that a model cannot change its dimensions unnoticed. */
export const embeddingModels = slowwave.table('embedding_models', {
  model: text('model').primaryKey(),
  dimensions: integer('dimensions').notNull(),
});

/** Vectors stand apart from memories: updating a row that carries an indexed vector is many times slower. */
export const embeddings = slowwave.table(
  'embeddings',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    memoryId: uuid('memory_id').notNull(),
    model: text('model')
      .notNull()
      .references(() => embeddingModels.model),
    /** The content it was computed from. */
    contentHash: text('content_hash').notNull(),
    /** Up to 2,000 dimensions; STORAGE PLAIN. */
    vector: vectorColumn('vector'),
    /** Above 2,000 dimensions; STORAGE EXTERNAL. */
    longVector: vectorColumn('long_vector'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.memoryId, t.model] }),
    foreignKey({
      name: 'embeddings_memory',
      columns: [t.tenant, t.userId, t.memoryId],
      foreignColumns: [...memoryKey],
    }).onDelete('cascade'),
    check('embeddings_one_vector', sql`num_nonnulls(vector, long_vector) = 1`),
    check('embeddings_size', sql`vector is null or vector_dims(vector) <= 2000`),
  ],
);

/**
 * Beside each embedding, what its memory scores by BM25 as a question for itself. Apart from the vectors, which would be read and written
 * with it: comparing by words reads all of a user's rows, and needs no vector of most.
 */
export const wordScores = slowwave.table(
  'word_scores',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    memoryId: uuid('memory_id').notNull(),
    model: text('model').notNull(),
    /** The content that was embedded. */
    contentHash: text('content_hash').notNull(),
    /** Null until the memory is compared. Frequencies drift, and are not followed. */
    score: real('score'),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.memoryId, t.model] }),
    foreignKey({
      name: 'word_scores_embedding',
      columns: [t.tenant, t.userId, t.memoryId, t.model],
      foreignColumns: [embeddings.tenant, embeddings.userId, embeddings.memoryId, embeddings.model],
    }).onDelete('cascade'),
    index('word_scores_uncompared').on(t.tenant, t.userId, t.model).where(sql`score is null`),
  ],
);

/**
 * Memories that may say the same: the closest of each by words and vector together, kept in both directions as long as they are among the
 * best of the one whose row it is.
 */
export const closeness = slowwave.table(
  'closeness',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    model: text('model').notNull(),
    memoryId: uuid('memory_id').notNull(),
    otherId: uuid('other_id').notNull(),
    /** Symmetric BM25: what each scores as a question for the other over what it scores for itself, mean of both; 0 to about 1. */
    words: real('words').notNull(),
    cosine: real('cosine').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.model, t.memoryId, t.otherId] }),
    foreignKey({
      name: 'closeness_of',
      columns: [t.tenant, t.userId, t.memoryId, t.model],
      foreignColumns: [embeddings.tenant, embeddings.userId, embeddings.memoryId, embeddings.model],
    }).onDelete('cascade'),
    foreignKey({
      name: 'closeness_to',
      columns: [t.tenant, t.userId, t.otherId, t.model],
      foreignColumns: [embeddings.tenant, embeddings.userId, embeddings.memoryId, embeddings.model],
    }).onDelete('cascade'),
    // First by the memory: an index that began as the key does would be taken for it, and read all pairs of a user.
    index('closeness_by_other').on(t.otherId, t.model, t.userId, t.tenant),
  ],
);

/** The nearest memories of each memory, computed once when an embedding arrives. Both directions are stored. */
export const neighbours = slowwave.table(
  'neighbours',
  {
    tenant: tenantColumn(),
    userId: userColumn(),
    model: text('model').notNull(),
    memoryId: uuid('memory_id').notNull(),
    neighbourId: uuid('neighbour_id').notNull(),
    cosine: real('cosine').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenant, t.userId, t.model, t.memoryId, t.neighbourId] }),
    foreignKey({
      name: 'neighbours_of',
      columns: [t.tenant, t.userId, t.memoryId, t.model],
      foreignColumns: [embeddings.tenant, embeddings.userId, embeddings.memoryId, embeddings.model],
    }).onDelete('cascade'),
    foreignKey({
      name: 'neighbours_to',
      columns: [t.tenant, t.userId, t.neighbourId, t.model],
      foreignColumns: [embeddings.tenant, embeddings.userId, embeddings.memoryId, embeddings.model],
    }).onDelete('cascade'),
    index('neighbours_by_neighbour').on(t.neighbourId, t.model, t.userId, t.tenant),
  ],
);
