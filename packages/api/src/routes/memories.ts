import { CHARS_PER_TOKEN, PRIOR_MAX } from '@slowwave/fusion';
import { z } from 'zod';
import { categoryField, idField, nextCursorField, ownerFields, pageFields, tenantField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { editsRoutes } from './edits.ts';
import { forgettingRoutes } from './forgetting.ts';
import {
  bandField,
  countField,
  flagField,
  instantOrNull,
  memoryFields,
  memoryPath,
  memoryTypeField,
  saidField,
  shareField,
} from './memory-fields.ts';
import { memoryWritesRoutes } from './memory-writes.ts';
import { prominenceRoutes } from './prominence.ts';

export * from './edits.ts';
export * from './forgetting.ts';
export * from './memory-writes.ts';
export * from './prominence.ts';

const memorySchema = z
  .strictObject(memoryFields)
  .meta({ id: 'Memory', description: 'A memory as of now. Instants in epoch ms.' });
const MEMORIES_PAGE_MAX = 100;
export const RECALL_QUERY_MAX = 2_000;
export const RECALL_ITEMS_MAX = 50;
export const RECALL_CHARS_MAX = 1_000_000;

export const listMemories = route({
  operation: 'listMemories',
  method: 'GET',
  path: '/v1/memories',
  tag: 'memories',
  summary: 'List the memories of a user, the newest first',
  description:
    'Each filter narrows the list; without any it holds every memory that is not in cold storage, superseded ones included.',
  role: 'read',
  scope: 'one',
  query: z.strictObject({
    ...ownerFields,
    band: bandField.optional(),
    category: categoryField.optional(),
    memoryType: memoryTypeField.optional(),
    latest: flagField
      .optional()
      .describe('true: those that nothing stands in place of; false: the others; left out: both.'),
    ...pageFields(MEMORIES_PAGE_MAX),
  }),
  answers: {
    200: {
      description: 'A page of memories.',
      schema: z.strictObject({
        tenant: z.string(),
        user: z.string(),
        at: z.number().describe('The instant that prominence and band are as of, epoch milliseconds.'),
        memories: z.array(memorySchema),
        nextCursor: nextCursorField,
      }),
    },
  },
  refusals: { 404: ['unknown_user'] },
});

const relationCounts = z.strictObject({ UPDATES: countField, EXTENDS: countField, DERIVES: countField });

const detailSchema = z
  .strictObject({
    tenant: z.string(),
    ...memoryFields,
    at: z.number().describe('The instant that prominence and band are as of, epoch milliseconds.'),
    said: saidField,
    confirmations: countField,
    recalls: z.strictObject({ count: countField, lastAt: instantOrNull }),
    relations: z
      .strictObject({ outgoing: relationCounts, incoming: relationCounts })
      .describe('How many relations lead from it and to it; lineage stands at /v1/memories/{id}/lineage.'),
    hypotheses: countField.describe('Connections that sleep thought of and nobody confirmed.'),
    supersedes: countField.describe(
      'How many memories it stands in place of; those in cold storage are not counted.',
    ),
    sourceChunk: z
      .string()
      .nullable()
      .describe('Of a derived memory: what its sources said, one after the other.'),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'MemoryDetail', description: 'One memory with what hangs on it. Instants in epoch ms.' });

export const getMemory = route({
  operation: 'getMemory',
  method: 'GET',
  path: '/v1/memories/:id',
  tag: 'memories',
  summary: 'Read one memory',
  role: 'read',
  scope: 'one',
  params: memoryPath,
  query: z.strictObject({
    tenant: tenantField,
    user: idField.optional().describe('Left out: whoever of the tenant it belongs to.'),
  }),
  answers: {
    200: {
      description: 'The memory, with its prominence as of now.',
      schema: detailSchema,
    },
  },
  refusals: { 404: ['unknown_memory'], 409: ['ambiguous'] },
});

const QUERY = 'expected 1 to 2,000 characters that are not all white space';
const LIMIT = `expected a whole number from 1 to ${RECALL_ITEMS_MAX}`;

const BUDGET = `expected a whole number from 1 to ${RECALL_CHARS_MAX}`;
const TOKENS = `expected a whole number from 1 to ${RECALL_CHARS_MAX / CHARS_PER_TOKEN}`;
const PRIOR = `expected a number from 0 to ${PRIOR_MAX}`;
const priorField = z.number({ error: PRIOR }).min(0, PRIOR).max(PRIOR_MAX, PRIOR);

const recalledSchema = z
  .strictObject({
    id: memoryFields.id,
    externalId: memoryFields.externalId,
    content: z.string(),
    category: categoryField,
    memoryType: memoryTypeField,
    origin: memoryFields.origin,
    trust: shareField,
    isLatest: z.boolean(),
    supersededBy: z.uuid().nullable(),
    prominence: shareField,
    documentDate: memoryFields.documentDate,
    eventDate: memoryFields.eventDate,
    archivedAt: instantOrNull,
    said: saidField,
    score: shareField.describe('How well it answers, by which the list is sorted.'),
    similarity: z.number().nullable().describe('Cosine to the question, -1 to 1; null without a vector.'),
    parts: z
      .strictObject({
        words: z
          .number()
          .describe('BM25 as a share of what the question’s words tell: 1 for each once, at most 2.2.'),
        meaning: shareField.describe('Nearness by vector; 0.5 where the embedder calls texts related.'),
        relevance: shareField.describe('Words and meaning together, before the priors.'),
        prominence: shareField.describe('What the prior of prominence left of it.'),
        recency: shareField.describe('What the prior of recency left of it.'),
      })
      .optional()
      .describe('With `explain`: why it stands where it stands. score = relevance × prominence × recency.'),
  })
  .meta({ id: 'RecalledMemory', description: 'A memory that came to mind. Instants in epoch ms.' });

/** Why a question is not embedded, as a code. */
const RECALL_REASONS = [
  'budget',
  'rate_limited',
  'overloaded',
  'server_error',
  'timeout',
  'network',
  'invalid_request',
  'too_large',
  'auth',
  'invalid_response',
] as const;

export const recallMemories = route({
  operation: 'recallMemories',
  method: 'POST',
  path: '/v1/recall',
  tag: 'memories',
  summary: 'Ask what a user’s memories have to say to a question',
  description:
    'Found by words (BM25 over the stems of each language) and by vector, the best first; prominence and recency decide among what answers alike. Archived memories are among them. A budget is filled from the best on; a memory that no longer fits is passed over for shorter ones. Where the embedder gives no answer, or a budget does not allow what it charges, words alone answer (`degraded`, with the `reason`). The question is recorded; being recalled makes no memory more prominent.',
  role: 'read',
  scope: 'one',
  body: z.strictObject({
    ...ownerFields,
    query: z
      .string({ error: QUERY })
      .max(2 * RECALL_QUERY_MAX, QUERY)
      .refine((text) => text.trim() !== '' && [...text.trim()].length <= RECALL_QUERY_MAX, QUERY),
    limit: z
      .number({ error: LIMIT })
      .int(LIMIT)
      .min(1, LIMIT)
      .max(RECALL_ITEMS_MAX, LIMIT)
      .optional()
      .describe('At most so many. Left out: 10, or 50 where a budget is given.'),
    maxChars: z
      .number({ error: BUDGET })
      .int(BUDGET)
      .min(1, BUDGET)
      .max(RECALL_CHARS_MAX, BUDGET)
      .optional()
      .describe('Characters of all contents together.'),
    maxTokens: z
      .number({ error: TOKENS })
      .int(TOKENS)
      .min(1, TOKENS)
      .max(RECALL_CHARS_MAX / CHARS_PER_TOKEN, TOKENS)
      .optional()
      .describe(
        'The same in tokens, of which each is taken for four characters; of the two, the smaller holds.',
      ),
    categories: z.array(categoryField).min(1).max(5).optional(),
    memoryTypes: z.array(memoryTypeField).min(1).max(5).optional(),
    saidAfter: z
      .number()
      .optional()
      .describe('Epoch milliseconds: said then or later, by the newest day of a derived memory.'),
    saidBefore: z
      .number()
      .optional()
      .describe('Epoch milliseconds: said before that, by the oldest day of a derived memory.'),
    validAt: z.number().optional().describe('Epoch milliseconds: holds then, by validFrom and validTo.'),
    minTrust: shareField.optional(),
    priors: z
      .strictObject({ prominence: priorField.optional(), recency: priorField.optional() })
      .optional()
      .describe(
        'How far what is prominent, and what was said recently, goes first among what answers alike: shares of the score, 0.03 and 0.05 where left out.',
      ),
    explain: z.boolean({ error: 'expected true or false' }).default(false).describe('Adds `parts`.'),
    includeSuperseded: z
      .boolean({ error: 'expected true or false' })
      .default(false)
      .describe('Also memories that others have taken the place of.'),
  }),
  answers: {
    200: {
      description: 'The memories that came to mind, the best first; none when nothing answers.',
      schema: z.strictObject({
        tenant: z.string(),
        user: z.string(),
        memories: z.array(recalledSchema),
        degraded: z
          .boolean()
          .describe('Whether the question was not embedded, so that words alone found them.'),
        reason: z
          .enum(RECALL_REASONS)
          .nullable()
          .describe(
            'Why not, as a code. `budget`: a budget does not allow what the embedder charges; the others: how the embedder failed.',
          ),
      }),
    },
  },
  refusals: { 404: ['unknown_user'], 503: ['no_embedder', 'stopping'] },
});

export const memoriesRoutes: readonly Route[] = [
  listMemories,
  ...memoryWritesRoutes,
  getMemory,
  recallMemories,
  ...prominenceRoutes,
  ...editsRoutes,
  ...forgettingRoutes,
];
