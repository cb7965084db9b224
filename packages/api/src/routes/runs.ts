import {
  CATEGORIES,
  FUSION_FAILURES,
  FUSION_STATUSES,
  LEARNED_FROM,
  ORIGINS,
  RUN_STATUSES,
  TIERS,
  VISIBILITIES,
} from '@slowwave/fusion';
import { z } from 'zod';
import { idField, nextCursorField, ownerFields, pageFields, tenantField, tierField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { fusionSchema, reportedPairSchema } from './fusion-fields.ts';
import { reportSchema, runFields, runPath, runStatusField, totalsSchema } from './run-fields.ts';
import { undoBody, undoDescription, undoRefusals, undoSchema } from './undo-fields.ts';

const RUNS_PAGE_MAX = 200;
const shared = { tag: 'runs', scope: 'one' } as const;

export const listRunsRoute = route({
  ...shared,
  operation: 'listRuns',
  method: 'GET',
  path: '/v1/runs',
  summary: 'List runs of a user or of the whole tenant, newest first',
  role: 'read',
  query: z.strictObject({
    tenant: tenantField,
    user: idField.optional(),
    tier: tierField.optional(),
    status: runStatusField.optional(),
    ...pageFields(RUNS_PAGE_MAX),
  }),
  answers: {
    200: {
      description: 'One page.',
      schema: z.strictObject({
        tenant: z.string(),
        runs: z.array(
          z
            .strictObject({ ...runFields, totals: totalsSchema })
            .meta({ id: 'RunSummary', description: 'A run without its report.' }),
        ),
        nextCursor: nextCursorField,
      }),
    },
  },
});

export const readRunRoute = route({
  ...shared,
  operation: 'readRun',
  method: 'GET',
  path: '/v1/runs/:id',
  summary: 'Read one run with its report and what it fused',
  role: 'read',
  params: runPath,
  query: z.strictObject(ownerFields),
  answers: {
    200: {
      description: 'The run as it is now.',
      schema: z.strictObject({
        ...runFields,
        report: reportSchema.nullable().describe('Null before it has ended.'),
        totals: totalsSchema,
        changes: z
          .strictObject({
            total: z.int(),
            undone: z.int().describe('Taken back, and not made good again.'),
            undoable: z.int().describe('Can be undone, unless something later stands on one of them.'),
          })
          .describe('Its entries in the journal.'),
        fusions: z.array(fusionSchema).describe('The 200 that changed last; GET /v1/fusions?run= lists all.'),
      }),
    },
  },
  refusals: { 404: ['unknown_run'] },
});

const instantOrNull = z.number().nullable();
const previewSource = z.strictObject({
  id: z.uuid(),
  content: z.string(),
  category: z.enum(CATEGORIES),
  documentDate: z.number(),
  fate: z.enum(['superseded', 'confirmed', 'kept']),
});
const derivedSchema = z
  .strictObject({
    content: z.string(),
    category: z.enum(CATEGORIES),
    origin: z.enum(ORIGINS),
    visibility: z.enum(VISIBILITIES),
    importance: z.int(),
    confidence: z.number(),
    trust: z.number(),
    prominence: z.number(),
    documentDate: z.number(),
    eventDate: instantOrNull,
    validFrom: instantOrNull,
    validTo: instantOrNull,
    sourceChunk: z.string(),
    learnedFrom: z.enum(LEARNED_FROM),
    metadata: z.record(z.string(), z.unknown()),
    coveredIds: z.array(z.uuid()).describe('Sources that it would supersede.'),
  })
  .meta({ id: 'DerivedMemory', description: 'A memory as it would be written.' });

export const previewRunRoute = route({
  ...shared,
  operation: 'previewRun',
  method: 'GET',
  path: '/v1/runs/:id/preview',
  summary: 'Read what a previewed run would do',
  description: 'The answers that the preview paid for are judged again, so what has changed since shows.',
  role: 'read',
  params: runPath,
  query: z.strictObject(ownerFields),
  answers: {
    200: {
      description: 'What would come of it; nothing before the preview has ended.',
      schema: z.strictObject({
        runId: z.uuid(),
        tier: z.enum(TIERS),
        status: z.enum(RUN_STATUSES).describe('Of the preview itself.'),
        errorCode: z.string().nullable(),
        fusions: z.array(
          z.strictObject({
            key: z.string(),
            status: z.enum(FUSION_STATUSES),
            verdict: z.enum(['ok', ...FUSION_FAILURES, 'stale', 'unanswered', 'nothing', 'over']),
            errorCode: z.string().nullable(),
            derived: derivedSchema.nullable(),
            covered: z.array(z.uuid()),
            sources: z.array(previewSource),
            conflicts: z.array(reportedPairSchema),
          }),
        ),
        merges: z.array(
          z.strictObject({
            key: z.string(),
            status: z.enum(FUSION_STATUSES),
            verdict: z.enum(['ok', 'stale', 'over']),
            sources: z.array(previewSource).describe('The one that stays first.'),
          }),
        ),
      }),
    },
  },
  refusals: { 404: ['unknown_preview'] },
});

const runId = z.object({ id: idField.describe('The run’s id.') });

export const undoRunRoute = route({
  ...shared,
  operation: 'undoRun',
  method: 'POST',
  path: '/v1/runs/:id/undo',
  summary: 'Take back everything that a run changed',
  description: undoDescription,
  role: 'write',
  params: runId,
  body: undoBody,
  answers: { 200: { description: 'Taken back.', schema: undoSchema } },
  refusals: undoRefusals,
});

export const redoRunRoute = route({
  ...shared,
  operation: 'redoRun',
  method: 'POST',
  path: '/v1/runs/:id/redo',
  summary: 'Make good again what was undone of a run',
  description: undoDescription,
  role: 'write',
  params: runId,
  body: undoBody,
  answers: { 200: { description: 'Made good again.', schema: undoSchema } },
  refusals: undoRefusals,
});

export const runsRoutes: readonly Route[] = [
  listRunsRoute,
  readRunRoute,
  previewRunRoute,
  undoRunRoute,
  redoRunRoute,
];
