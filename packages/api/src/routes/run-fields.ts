import { RUN_STATUSES, TIERS } from '@slowwave/fusion';
import { z } from 'zod';
import { words } from './words.ts';

export const runStatusField = words(RUN_STATUSES).describe(
  'abandoned: put back, somebody else goes on with it. cancelled: ended because somebody asked for that.',
);

/** What a run did, step by step. Its steps count what they did each in their own words. */
export const reportSchema = z
  .looseObject({
    steps: z
      .array(
        z.looseObject({
          step: z.string(),
          status: z.enum(['done', 'skipped', 'failed']),
          durationMs: z.number(),
          counts: z.record(z.string(), z.unknown()).optional().describe('Of a step that is done.'),
          reason: z.string().optional().describe('Why a step was skipped.'),
          code: z.string().optional().describe('Why a step failed.'),
        }),
      )
      .optional(),
    durationMs: z.number().optional(),
    spend: z
      .looseObject({ calls: z.int(), tokens: z.number(), costNanos: z.number().nullable() })
      .optional()
      .describe('What its calls took, in nano-dollars too. Absent when none was made.'),
    refusal: z
      .looseObject({
        scope: z.enum(['user_night', 'user_day', 'tenant_day', 'overall_day']),
        unit: z.enum(['tokens', 'dollars', 'price']),
        renewsAt: z.number(),
      })
      .optional()
      .describe('The budget that ended its model work, and when it is whole again (epoch ms).'),
  })
  .meta({ id: 'RunReport', description: 'Counts and codes, step by step; never the text of a memory.' });

/** Of every run, without its report. Instants in epoch ms. */
export const runFields = {
  runId: z.uuid(),
  tenant: z.string(),
  user: z.string(),
  tier: z.enum(TIERS),
  why: z.enum(['schedule', 'adhoc', 'sweep', 'retry', 'batch']),
  status: runStatusField,
  finished: z.boolean().describe('It has ended for good.'),
  preview: z.boolean().describe('It does everything up to the commit, and nothing after it.'),
  requestedAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
  cancelRequestedAt: z.number().nullable().describe('When somebody asked for its end.'),
  errorCode: z.string().nullable(),
};

export const totalsSchema = z
  .strictObject({
    fused: z.int().describe('Fusions that were applied.'),
    proposed: z.int().describe('Fusions that wait for a person since.'),
    failed: z.int().describe('Fusions that failed.'),
    superseded: z.int().describe('Memories that something else stands for since.'),
    calls: z.int().describe('Calls of language models.'),
    inputTokens: z.int(),
    outputTokens: z.int(),
    costDollars: z
      .number()
      .nullable()
      .describe('What its calls cost in US dollars; null when a price was not known, or nothing was asked.'),
  })
  .meta({ id: 'RunTotals', description: 'What a run came to, over all its steps.' });

export const runPath = z.object({ id: z.uuid('expected the runId that POST /v1/consolidations gave') });
