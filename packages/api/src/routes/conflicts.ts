import { CATEGORIES, CONFLICT_TYPES, LEARNED_FROM, MEMORY_TYPES, ORIGINS } from '@slowwave/fusion';
import { z } from 'zod';
import { idField, nextCursorField, ownerFields, pageFields, tenantField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { words } from './words.ts';

const CONFLICTS_PAGE_MAX = 500;
const NOTE_MAX = 1_000;
const NOTE = `expected 1 to ${NOTE_MAX} characters`;
const shared = { tag: 'conflicts', scope: 'one' } as const;
const path = z.object({ id: z.uuid('expected the id of a conflict, as GET /v1/conflicts lists it') });

const sideSchema = z
  .strictObject({
    id: z.uuid(),
    externalId: z.string().nullable(),
    content: z.string(),
    category: z.enum(CATEGORIES),
    memoryType: z.enum(MEMORY_TYPES),
    origin: z.enum(ORIGINS).describe('Who said it.'),
    session: z.string().nullable(),
    learnedFrom: z.enum(LEARNED_FROM),
    trust: z.number(),
    confirmations: z.int(),
    documentDate: z.number().describe('When it was said.'),
    eventDate: z.number().nullable().describe('When it is true, if that was said.'),
    validFrom: z.number().nullable(),
    validTo: z.number().nullable(),
    isLatest: z.boolean(),
  })
  .meta({ id: 'ConflictSide', description: 'One of two memories that disagree. Instants in epoch ms.' });

const conflictFields = {
  id: z.uuid(),
  user: z.string(),
  status: z
    .enum(['reported', 'open', 'resolved'])
    .describe('reported: waits for a label. open: waits for a person.'),
  type: z.enum(CONFLICT_TYPES).nullable().describe('Null until it is labelled.'),
  source: z
    .enum(['fusion', 'twins', 'person', 'consolidate'])
    .describe('Who said that the two may disagree.'),
  slot: z.string().nullable().describe('The question that both answer, in a model’s words.'),
  description: z.string().nullable().describe('Why they disagree, in a model’s words.'),
  confidence: z.number().nullable(),
  accuser: z.uuid().nullable().describe('The side that alone stays out of fusion; null: both.'),
  winner: z.uuid().nullable(),
  resolution: z.string().nullable(),
  resolvedBy: z.enum(['code', 'policy', 'person', 'gone']).nullable(),
  actor: z.string().nullable(),
  detectedAt: z.number(),
  resolvedAt: z.number().nullable(),
  stale: z.boolean().describe('One of the two was superseded or says something else by now.'),
  a: sideSchema,
  b: sideSchema,
};

export const listConflictsRoute = route({
  ...shared,
  operation: 'listConflicts',
  method: 'GET',
  path: '/v1/conflicts',
  summary: 'List memories that disagree, of a user or of the whole tenant, newest first',
  role: 'read',
  query: z.strictObject({
    tenant: tenantField,
    user: idField.optional(),
    status: words(['reported', 'open', 'resolved', 'all']).default('open'),
    ...pageFields(CONFLICTS_PAGE_MAX),
  }),
  answers: {
    200: {
      description: 'One page.',
      schema: z.strictObject({
        tenant: z.string(),
        conflicts: z.array(
          z
            .strictObject(conflictFields)
            .meta({ id: 'Conflict', description: 'Two memories of one user that disagree.' }),
        ),
        nextCursor: nextCursorField,
      }),
    },
  },
});

export const readConflictRoute = route({
  ...shared,
  operation: 'readConflict',
  method: 'GET',
  path: '/v1/conflicts/:id',
  summary: 'Read one conflict',
  role: 'read',
  params: path,
  query: z.strictObject(ownerFields),
  answers: {
    200: {
      description: 'The conflict as it is now.',
      schema: z.strictObject({ tenant: z.string(), ...conflictFields }),
    },
  },
  refusals: { 404: ['unknown_conflict'] },
});

export const resolveConflictRoute = route({
  ...shared,
  operation: 'resolveConflict',
  method: 'POST',
  path: '/v1/conflicts/:id/resolve',
  summary: 'Settle a conflict: one of the two holds, or both do',
  role: 'write',
  params: path,
  body: z.strictObject({
    ...ownerFields,
    keep: words(['a', 'b', 'both']),
    note: z.string({ error: NOTE }).min(1, NOTE).max(NOTE_MAX, NOTE).optional(),
    by: idField.optional().describe('Who decides; left out: the caller.'),
  }),
  answers: {
    200: {
      description: 'Settled.',
      schema: z.strictObject({
        tenant: z.string(),
        user: z.string(),
        id: z.uuid(),
        winner: z.uuid().nullable().describe('The memory that holds; null when both do.'),
        loser: z.uuid().nullable(),
        resolution: z.string(),
        changeSetId: z.uuid().describe('By which it can be undone.'),
      }),
    },
  },
  refusals: { 404: ['unknown_conflict'], 409: ['already_resolved', 'stale'] },
});

export const conflictsRoutes: readonly Route[] = [
  listConflictsRoute,
  readConflictRoute,
  resolveConflictRoute,
];
