import { TIERS } from '@slowwave/fusion';
import { z } from 'zod';
import { idField, ownerFields, tierField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { fusionSchema } from './fusion-fields.ts';
import { reportSchema, runFields } from './run-fields.ts';

const runIdPath = z.object({ runId: z.uuid('expected the runId that POST /v1/consolidations gave') });
const WAIT_MAX_SECONDS = 30;
const WAIT = `expected 0 to ${WAIT_MAX_SECONDS}`;

export const requestConsolidationRoute = route({
  operation: 'requestConsolidation',
  method: 'POST',
  path: '/v1/consolidations',
  tag: 'consolidations',
  summary: 'Ask for a run of one tier for one user, now',
  description:
    'It runs even while the tier is paused. Asked for again before it has begun, it is the same run. Runs of one user and tier that call a model begin at least 60 seconds apart, but for the operator. With preview it does everything up to the commit, and nothing after it.',
  role: 'write',
  scope: 'one',
  body: z.strictObject({
    ...ownerFields,
    tier: tierField,
    preview: z.boolean({ error: 'expected true or false' }).default(false),
  }),
  answers: {
    202: {
      description: 'It stands in the database, and a worker takes it up.',
      schema: z.strictObject({
        runId: z.uuid(),
        existing: z.boolean().describe('It had been asked for before.'),
        tier: z.enum(TIERS),
        statusUrl: z.string(),
        previewUrl: z.string().optional().describe('Of a preview.'),
      }),
    },
  },
  refusals: { 404: ['unknown_user'], 409: ['quarantined', 'mode_off', 'busy'], 429: ['run_too_soon'] },
});

export const readConsolidationRoute = route({
  operation: 'readConsolidation',
  method: 'GET',
  path: '/v1/consolidations/:runId',
  tag: 'consolidations',
  summary: 'Read how a run stands, or wait for its end',
  role: 'read',
  scope: 'one',
  params: runIdPath,
  query: z.strictObject({
    ...ownerFields,
    waitSeconds: z.coerce
      .number({ error: WAIT })
      .min(0, WAIT)
      .max(WAIT_MAX_SECONDS, WAIT)
      .default(0)
      .describe('How long to wait for its end at most.'),
  }),
  answers: {
    200: {
      description: 'The run as it is now.',
      schema: z.strictObject({
        ...runFields,
        report: reportSchema.nullable(),
        fusions: z
          .array(fusionSchema)
          .optional()
          .describe('Once it is finished: what it fused, 200 at most.'),
      }),
    },
  },
  refusals: { 404: ['unknown_run'] },
});

export const cancelConsolidationRoute = route({
  operation: 'cancelConsolidation',
  method: 'POST',
  path: '/v1/consolidations/:runId/cancel',
  tag: 'consolidations',
  summary: 'Ask for the end of a run',
  description:
    'One that has not begun ends at once. One at work ends before its next step or its next cluster; what it has committed stays, and can be undone. The due times stay as they were: what the schedule began it begins again, unless the tier is paused for the user.',
  role: 'write',
  scope: 'one',
  params: runIdPath,
  body: z.strictObject({ ...ownerFields, by: idField.optional().describe('Who asks for it, for the log.') }),
  answers: {
    200: {
      description: 'It has ended.',
      schema: z.strictObject({
        runId: z.uuid(),
        status: z.literal('cancelled'),
        already: z.boolean().describe('It had ended so before.'),
      }),
    },
    202: {
      description: 'It is at work, and ends as soon as nothing is half done.',
      schema: z.strictObject({
        runId: z.uuid(),
        status: z.literal('cancelling'),
        already: z.boolean().describe('Somebody had asked for its end before.'),
      }),
    },
  },
  refusals: { 404: ['unknown_run'], 409: ['finished'] },
});

export const consolidationsRoutes: readonly Route[] = [
  requestConsolidationRoute,
  readConsolidationRoute,
  cancelConsolidationRoute,
];
