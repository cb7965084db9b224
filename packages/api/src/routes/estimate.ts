import { z } from 'zod';
import { idField, nextCursorField, pageFields, tenantField } from '../fields.ts';
import { route } from '../route.ts';

const USERS_PAGE_MAX = 50;

export const readEstimateRoute = route({
  operation: 'readEstimate',
  method: 'GET',
  path: '/v1/estimate',
  tag: 'runs',
  scope: 'one',
  summary: 'Say what the next night would ask of language models, before it does',
  description:
    'Plans the next sleep of each user as if it began now, without asking a model and without writing anything. Repairs, and what the night itself makes new, are not counted.',
  role: 'read',
  query: z.strictObject({
    tenant: tenantField,
    user: idField.optional(),
    ...pageFields(USERS_PAGE_MAX),
  }),
  answers: {
    200: {
      description: 'One page of users, by their ids.',
      schema: z.strictObject({
        tenant: z.string(),
        at: z.number().describe('The instant of the plan, epoch ms.'),
        users: z.array(
          z.strictObject({
            user: z.string(),
            steps: z.array(
              z.strictObject({
                step: z.enum(['conflicts', 'nrem', 'judge', 'rem', 'reflection']),
                requests: z.int(),
                inputTokens: z.int(),
                outputTokens: z.int().describe('As answers usually are.'),
              }),
            ),
          }),
        ),
        nextCursor: nextCursorField,
      }),
    },
  },
  refusals: { 404: ['unknown_user'], 503: ['no_embedder'] },
});
