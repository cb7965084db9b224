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

const recalledSchema = z
  .strictObject({
    id: memoryFields.id,
    externalId: memoryFields.externalId,
    content: z.string(),
    category: categoryField,
    memoryType: memoryTypeField,
    isLatest: z.boolean(),
    supersededBy: z.uuid().nullable(),
    prominence: shareField,
    documentDate: memoryFields.documentDate,
    eventDate: memoryFields.eventDate,
    archivedAt: instantOrNull,
    score: shareField.describe('How well it answers, by which the list is sorted.'),
    similarity: z
      .number()
      .nullable()
      .describe('Cosine to the question, -1 to 1; null when it was not found by meaning.'),
    textRank: z.number().nullable().describe('Null when it has none of the question’s words.'),
  })
  .meta({ id: 'RecalledMemory', description: 'A memory that came to mind. Instants in epoch ms.' });

export const recallMemories = route({
  operation: 'recallMemories',
  method: 'POST',
  path: '/v1/recall',
  tag: 'memories',
  summary: 'Ask what a user’s memories have to say to a question',
  description:
    'Found by meaning and by words, weighted by prominence, the best first. Archived memories are looked at only when nothing else answers. The question is recorded; being recalled makes no memory more prominent.',
  role: 'read',
  scope: 'one',
  body: z.strictObject({
    ...ownerFields,
    query: z
      .string({ error: QUERY })
      .max(2 * RECALL_QUERY_MAX, QUERY)
      .refine((text) => text.trim() !== '' && [...text.trim()].length <= RECALL_QUERY_MAX, QUERY),
    limit: z.number({ error: LIMIT }).int(LIMIT).min(1, LIMIT).max(RECALL_ITEMS_MAX, LIMIT).default(10),
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
      }),
    },
  },
  refusals: { 404: ['unknown_user'], 503: ['no_embedder', 'embedder_unavailable', 'stopping'] },
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
