import { CATEGORIES, TIERS, VISIBILITIES } from '@slowwave/fusion';
import { z } from 'zod';
import {
  fusionKeyField,
  idField,
  nextCursorField,
  ownerFields,
  pageFields,
  tenantField,
  tierField,
  uuidField,
} from '../fields.ts';
import { type Route, route } from '../route.ts';
import { fusionDetailSchema, fusionKindField, fusionSchema, fusionStatusField } from './fusion-fields.ts';
import { undoBody, undoDescription, undoRefusals, undoSchema } from './undo-fields.ts';

const FUSIONS_PAGE_MAX = 200;
const REVIEWS_PAGE_MAX = 200;
const shared = { tag: 'fusions', scope: 'one' } as const;
const keyPath = z.object({ key: fusionKeyField });

export const listFusionsRoute = route({
  ...shared,
  operation: 'listFusions',
  method: 'GET',
  path: '/v1/fusions',
  summary: 'List fusions and merges of a user or of the whole tenant, those that changed last first',
  role: 'read',
  query: z.strictObject({
    tenant: tenantField,
    user: idField.optional(),
    status: fusionStatusField.optional(),
    tier: tierField.optional(),
    run: uuidField('run').optional(),
    ...pageFields(FUSIONS_PAGE_MAX),
  }),
  answers: {
    200: {
      description: 'One page.',
      schema: z.strictObject({
        tenant: z.string(),
        fusions: z.array(fusionSchema),
        nextCursor: nextCursorField,
      }),
    },
  },
});

export const readFusionRoute = route({
  ...shared,
  operation: 'readFusion',
  method: 'GET',
  path: '/v1/fusions/:key',
  summary: 'Read one fusion: its sources as they are now, what it says, and what the gate says of it',
  role: 'read',
  params: keyPath,
  query: z.strictObject(ownerFields),
  answers: { 200: { description: 'The fusion as it is now.', schema: fusionDetailSchema } },
  refusals: { 404: ['unknown_fusion'] },
});

export const listReviewsRoute = route({
  ...shared,
  operation: 'listReviews',
  method: 'GET',
  path: '/v1/reviews',
  summary: 'List what waits for a person, newest first',
  role: 'read',
  query: z.strictObject({
    tenant: tenantField,
    user: idField.optional(),
    ...pageFields(REVIEWS_PAGE_MAX),
  }),
  answers: {
    200: {
      description: 'One page.',
      schema: z.strictObject({
        tenant: z.string(),
        reviews: z.array(
          z
            .strictObject({
              key: z.string(),
              user: z.string(),
              kind: fusionKindField,
              tier: z.enum(TIERS),
              runId: z.uuid().nullable(),
              model: z.string().describe('The model that worded it; "none" for a merge.'),
              proposedAt: z.number(),
              expiresAt: z.number().describe('Decided by nobody until then, it is taken back.'),
              derived: z
                .strictObject({
                  content: z.string(),
                  category: z.enum(CATEGORIES),
                  importance: z.int(),
                  confidence: z.number(),
                  trust: z.number(),
                  visibility: z.enum(VISIBILITIES),
                })
                .nullable()
                .describe('What would be written; null for a merge.'),
              sources: z.array(
                z.strictObject({
                  id: z.uuid(),
                  content: z.string(),
                  category: z.enum(CATEGORIES),
                  documentDate: z.number(),
                  fate: z.enum(['superseded', 'confirmed', 'kept']).describe('What approving does to it.'),
                  changed: z
                    .boolean()
                    .describe('Changed since it was proposed: approving finds the proposal stale.'),
                }),
              ),
            })
            .meta({ id: 'Review', description: 'A fusion or a merge that waits for a person.' }),
        ),
        nextCursor: nextCursorField,
      }),
    },
  },
});

const decisionBody = z.strictObject({
  ...ownerFields,
  by: idField.optional().describe('Who decides, for whoever looks at it later; left out: the caller.'),
});
const decidedFields = { tenant: z.string(), user: z.string(), key: z.string(), kind: fusionKindField };
const decided = { ...shared, method: 'POST', role: 'write', params: keyPath, body: decisionBody } as const;

export const approveFusionRoute = route({
  ...decided,
  operation: 'approveFusion',
  path: '/v1/fusions/:key/approve',
  summary: 'Apply a proposal as it was shown',
  answers: {
    200: {
      description: 'Applied.',
      schema: z.strictObject({
        ...decidedFields,
        status: z.literal('applied'),
        makes: z.uuid().describe('The derived memory; of a merge, the one that stays.'),
        superseded: z.int(),
        already: z.boolean().describe('It had been applied before.'),
      }),
    },
  },
  refusals: { 404: ['unknown_fusion'], 409: ['not_in_review', 'expired', 'busy', 'stale'] },
});

export const rejectFusionRoute = route({
  ...decided,
  operation: 'rejectFusion',
  path: '/v1/fusions/:key/reject',
  summary: 'Reject a proposal, which is then not proposed again',
  answers: {
    200: {
      description: 'Rejected.',
      schema: z.strictObject({
        ...decidedFields,
        status: z.literal('rejected'),
        already: z.boolean().describe('It had been rejected before.'),
      }),
    },
  },
  refusals: { 404: ['unknown_fusion'], 409: ['not_in_review', 'expired', 'busy'] },
});

const undone = {
  ...shared,
  method: 'POST',
  role: 'write',
  description: undoDescription,
  params: z.object({ key: idField.describe('The fusion’s key.') }),
  body: undoBody,
  refusals: undoRefusals,
} as const;

export const undoFusionRoute = route({
  ...undone,
  operation: 'undoFusion',
  path: '/v1/fusions/:key/undo',
  summary: 'Take a fusion back',
  answers: { 200: { description: 'Taken back.', schema: undoSchema } },
});

export const redoFusionRoute = route({
  ...undone,
  operation: 'redoFusion',
  path: '/v1/fusions/:key/redo',
  summary: 'Make a fusion good again that was undone',
  answers: { 200: { description: 'Made good again.', schema: undoSchema } },
});

export const fusionsRoutes: readonly Route[] = [
  listFusionsRoute,
  readFusionRoute,
  listReviewsRoute,
  approveFusionRoute,
  rejectFusionRoute,
  undoFusionRoute,
  redoFusionRoute,
];
