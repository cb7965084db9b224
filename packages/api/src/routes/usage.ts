import { z } from 'zod';
import { idField, tenantField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { readEstimateRoute } from './estimate.ts';

export * from './estimate.ts';

const DAYS = 'expected whole days from 1 to 366';
const DAYS_MAX = 366;

const usageFields = {
  calls: z.int(),
  batchedCalls: z.int().describe('Of the calls: asked for in batches, answered or not yet.'),
  inputTokens: z.number().describe('All that was read, from a cache or not.'),
  cacheReadTokens: z.number().describe('Of what was read: found in the cache of the provider.'),
  cacheWriteTokens: z.number().describe('Of what was read: put into the cache of the provider.'),
  outputTokens: z.number(),
  heldTokens: z.number().describe('Most tokens of calls of which nobody knows whether they were answered.'),
  costDollars: z.number().describe('US dollars of the calls whose price was known; held ones in full.'),
  unpricedCalls: z.int().describe('Calls whose price was not known.'),
};

const usageSchema = z.strictObject(usageFields).meta({
  id: 'CallUsage',
  description: 'What calls of language models took. Calls that nobody was paid for are left out.',
});

export const readUsageRoute = route({
  operation: 'readUsage',
  method: 'GET',
  path: '/v1/usage',
  tag: 'runs',
  scope: 'one',
  summary: 'Read what language models cost, by day, model, step and user',
  description:
    'Runs are counted by the day in UTC on which they began. Records of calls are kept as long as those of runs.',
  role: 'read',
  query: z.strictObject({
    tenant: tenantField,
    user: idField.optional(),
    days: z.coerce
      .number({ error: DAYS })
      .int(DAYS)
      .min(1, DAYS)
      .max(DAYS_MAX, DAYS)
      .default(7)
      .describe('How many days, with the present one.'),
  }),
  answers: {
    200: {
      description: 'What was spent.',
      schema: z.strictObject({
        tenant: z.string(),
        user: z.string().nullable(),
        since: z.number().describe('The begin of the first day, epoch ms.'),
        total: usageSchema,
        days: z.array(z.strictObject({ day: z.string(), ...usageFields })).describe('The oldest first.'),
        models: z
          .array(z.strictObject({ model: z.string(), ...usageFields }))
          .describe('What cost most first.'),
        steps: z
          .array(z.strictObject({ step: z.string(), ...usageFields }))
          .describe('What cost most first.'),
        users: z
          .array(z.strictObject({ user: z.string(), ...usageFields }))
          .describe('The 100 who cost most, the dearest first.'),
      }),
    },
  },
});

export const usageRoutes: readonly Route[] = [readUsageRoute, readEstimateRoute];
