import { CATEGORIES, FUSION_STATUSES, MEMORY_TYPES, TIERS } from '@slowwave/fusion';
import { z } from 'zod';
import { words } from './words.ts';

export const fusionStatusField = words(FUSION_STATUSES);
export const fusionKindField = z
  .enum(['fusion', 'merge', 'restatement'])
  .describe(
    'A fusion makes one memory of several; a merge lets one of two memories stand for both; a restatement asks whether notes say ' +
      'statements again, and each that does is a merge.',
  );

const category = z.enum(CATEGORIES);
const share = z.number().min(0).max(1);
const importance = z.int().min(1).max(10);

/** Of every fusion. Instants in epoch ms. */
export const fusionFields = {
  key: z.string(),
  user: z.string(),
  kind: fusionKindField,
  tier: z.enum(TIERS),
  status: z.enum(FUSION_STATUSES),
  errorCode: z.string().nullable().describe('Why it did not come to pass.'),
  runId: z.uuid().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  request: z
    .string()
    .nullable()
    .describe(
      'Of a statement: the key of the fusion that it answers; of a merge into a statement, that of the restatement.',
    ),
  model: z.string().describe('The model that answered, or else the one that was to; "none" for a merge.'),
};

export const fusionSchema = z
  .strictObject({
    ...fusionFields,
    derived: z
      .strictObject({ id: z.uuid(), content: z.string(), category, importance })
      .nullable()
      .describe('What it made; of a merge, the memory that stays. Null while there is none.'),
    sources: z.array(
      z.strictObject({ id: z.uuid(), content: z.string(), category, superseded: z.boolean() }),
    ),
  })
  .meta({ id: 'Fusion', description: 'A fusion or a merge.' });

export const reportedPairSchema = z
  .strictObject({
    a: z.uuid(),
    b: z.uuid(),
    kind: z.enum(['contradictory', 'ambiguous']),
    slot: z.string().describe('The question that both answer, in the model’s words.'),
  })
  .meta({ id: 'ReportedPair', description: 'Two sources that the model says disagree.' });

export const fusionDetailSchema = z
  .strictObject({
    tenant: z.string(),
    ...fusionFields,
    attempt: z.int(),
    promptVersion: z.string(),
    reviewExpiresAt: z.number().nullable().describe('Until when it waits for a person.'),
    decidedBy: z.string().nullable(),
    decidedAt: z.number().nullable(),
    derived: z
      .strictObject({
        state: z.enum(['stored', 'proposed']).describe('stored: a memory. proposed: waits for a person.'),
        id: z.uuid().nullable(),
        content: z.string(),
        category,
        importance,
        confidence: share,
        trust: share,
      })
      .nullable(),
    sources: z.array(
      z.strictObject({
        id: z.uuid(),
        externalId: z.string().nullable(),
        content: z.string().describe('As it is now.'),
        category,
        memoryType: z.enum(MEMORY_TYPES),
        importance,
        confidence: share,
        trust: share,
        documentDate: z.number(),
        isLatest: z.boolean(),
        superseded: z.boolean().describe('By this fusion.'),
        changed: z.boolean().describe('It says something else than when the fusion was made of it.'),
      }),
    ),
    statements: z
      .array(
        z.strictObject({ key: z.string(), status: z.enum(FUSION_STATUSES), content: z.string().nullable() }),
      )
      .describe('Of a closed fusion: what was accepted, each a fusion of its own.'),
    proposals: z
      .array(
        z.strictObject({
          text: z.string(),
          sourceIds: z.array(z.uuid()),
          accepted: z.boolean(),
          lane: z.string().describe('What the gate made of it, in one word.'),
          details: z.array(z.string()).describe('What was lost or added, in the words of floor or judge.'),
          votes: z
            .array(
              z.strictObject({
                lane: z.string().describe('"same", or why the vote refuses it, in one word.'),
                details: z.array(z.string()),
              }),
            )
            .describe('The judge’s, in order; none where the floor or repetition decided.'),
          mended: z.boolean().describe('The writer made it of what was refused before.'),
        }),
      )
      .nullable()
      .describe(
        'What its answer proposed; of a statement, what was proposed of its sources. Null where that is not on record any more.',
      ),
    changeSetId: z.uuid().nullable().describe('What it wrote last, in the journal.'),
    undoable: z.boolean().describe('Can be undone, unless something later stands on it.'),
    redoable: z.boolean().describe('Can be redone, unless something later stands on it.'),
  })
  .meta({ id: 'FusionDetail', description: 'One fusion with everything that is known of it.' });
