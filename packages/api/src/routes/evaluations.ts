import {
  BUDGETS,
  DIGEST_BUDGETS,
  DIGESTS,
  type EvaluationReport,
  QUESTION_TYPES,
  SEARCHES,
} from '@slowwave/fusion';
import { z } from 'zod';
import { idField } from '../fields.ts';
import { type Route, route } from '../route.ts';

const FILES_MAX = 1_000;
const NAME_MAX = 200;
const STAGES_MAX = 61;

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);
const shareOrNull = share.nullable();
const nameField = z.string().max(NAME_MAX);
const byBudget = <Value extends z.ZodType>(budgets: readonly number[], value: Value) =>
  z.strictObject(Object.fromEntries(budgets.map((budget) => [String(budget), value])));
const byName = <Name extends string, Value extends z.ZodType>(names: readonly Name[], value: Value) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>);

const searchSchema = z.strictObject({
  recall5: shareOrNull,
  recall10: shareOrNull,
  plainRecall10: shareOrNull,
  all10: shareOrNull,
  reciprocalRank: shareOrNull,
  recallWithin: byBudget(BUDGETS, shareOrNull),
  plainRecallWithin: byBudget(BUDGETS, shareOrNull),
  answerWithin: byBudget(BUDGETS, shareOrNull),
  outdatedAbove: shareOrNull,
  rejected: shareOrNull,
  characters10: z.number().min(0).nullable(),
  byType: byName(
    QUESTION_TYPES,
    z.strictObject({
      questions: count,
      recall10: shareOrNull,
      recall1500: shareOrNull,
      answer1500: shareOrNull,
    }),
  ),
});

const groupCounts = { groups: count, met: count, offered: count, proposed: count, accepted: count };

const stageSchema = z.strictObject({
  nights: count.describe('Simulated nights before it.'),
  store: z.strictObject({
    memories: count,
    characters: count,
    vectors: count,
    derived: count,
    superseded: count,
    archived: count,
    duplicates: z.strictObject({ planted: count, left: count }).nullable(),
    lengthRatio: z.number().min(0).nullable(),
  }),
  searches: byName(SEARCHES, searchSchema),
  groups: z
    .strictObject({
      ...groupCounts,
      refused: z.record(nameField, count),
      byLanguage: z.record(nameField, z.strictObject(groupCounts)),
      requests: count,
      tokens: count,
      saved: z.number().int(),
    })
    .optional()
    .describe(
      'Groups of notes that say the same of which two were together: in the window of a plan, in a request, in a proposed and in an accepted statement; refused statements by lane; absent where the set marks none.',
    ),
  answering: z
    .strictObject({ questions: count, right: count, failed: count, inputTokens: count, outputTokens: count })
    .optional()
    .describe(
      'How the model answered from what recall brought back, graded by itself; absent where it was not asked.',
    ),
  digests: byName(DIGESTS, byBudget(DIGEST_BUDGETS, z.strictObject({ lines: share, words: share }))),
});

/** A report as `slowwave evaluate` makes it. */
export const evaluationSchema = z
  .strictObject({
    version: z.literal(1),
    files: z.array(nameField).max(FILES_MAX).describe('What the files are called, without their folders.'),
    users: count,
    memories: count,
    questions: z.record(nameField, count),
    model: nameField,
    embedder: nameField,
    stages: z.array(stageSchema).min(1).max(STAGES_MAX),
    costDollars: z.number().min(0),
    runs: count,
  })
  .meta({
    id: 'Evaluation',
    description:
      'Recall before and after simulated nights: figures alone, no text of any memory or question.',
  }) as unknown as z.ZodType<EvaluationReport>;

const evaluation = {
  tag: 'users',
  path: '/v1/tenants/:tenant/evaluation',
  scope: 'one',
  params: z.object({ tenant: idField }),
  answers: {
    200: {
      description: 'The evaluation that was stored last; null before the first.',
      schema: z.strictObject({
        tenant: z.string(),
        evaluatedAt: z.number().nullable().describe('When it was stored, epoch milliseconds.'),
        evaluation: evaluationSchema.nullable(),
      }),
    },
  },
} as const;

export const readEvaluation = route({
  ...evaluation,
  operation: 'readEvaluation',
  method: 'GET',
  summary: 'Read the last evaluation of a tenant',
  role: 'read',
});

export const storeEvaluation = route({
  ...evaluation,
  operation: 'storeEvaluation',
  method: 'PUT',
  summary: 'Store an evaluation, in place of the one before',
  role: 'write',
  body: evaluationSchema,
});

export const evaluationsRoutes: readonly Route[] = [readEvaluation, storeEvaluation];
