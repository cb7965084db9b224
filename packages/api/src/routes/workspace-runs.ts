import { z } from 'zod';
import { idField, nextCursorField, ownerFields, pageFields } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { byFields, WRITE_REFUSALS, workspacePath } from './workspace-fields.ts';

export const WORKSPACE_WORKS = ['insights', 'import', 'projection', 'files'] as const;
export const WORKSPACE_RUNS_PAGE_MAX = 200;

const common = { tag: 'workspaces', scope: 'one' } as const;
const keyAnswer = { tenant: z.string(), user: z.string(), workspace: z.string() };
const workSchema = z.enum(WORKSPACE_WORKS, { error: `expected one of ${WORKSPACE_WORKS.join(', ')}` });
const ownerQuery = z.strictObject(ownerFields);
const ownerBody = z.strictObject({ ...ownerFields, ...byFields });
const runPath = z.object({
  workspace: idField,
  run: z.uuid('expected the id of a run, as the list of runs has it'),
});

const runSchema = z
  .strictObject({
    id: z.uuid(),
    work: workSchema,
    status: z.enum(['running', 'completed', 'failed', 'skipped', 'undone']),
    reason: z.string().nullable().describe('Why it was skipped or failed, as a code.'),
    runId: z.uuid().nullable().describe('The run of a tier that it belonged to.'),
    report: z.record(z.string(), z.unknown()).describe('Counts and codes only.'),
    paths: z.array(z.string()).describe('What a change of files was about, the first 20 by path.'),
    startedAt: z.number().describe('Epoch ms.'),
    endedAt: z.number().nullable().describe('Epoch ms.'),
  })
  .meta({ id: 'WorkspaceRun', description: 'What was done to a workspace.' });

export const listWorkspaceRuns = route({
  ...common,
  operation: 'listWorkspaceRuns',
  method: 'GET',
  path: '/v1/workspaces/:workspace/runs',
  summary: 'List what was done to a workspace, the latest first',
  role: 'read',
  params: workspacePath,
  query: z.strictObject({
    ...ownerFields,
    ...pageFields(WORKSPACE_RUNS_PAGE_MAX),
    work: workSchema.optional(),
  }),
  answers: {
    200: {
      description: 'Runs of the workspace.',
      schema: z.strictObject({ ...keyAnswer, runs: z.array(runSchema), nextCursor: nextCursorField }),
    },
  },
  refusals: { 404: ['unknown_workspace'] },
});

export const getWorkspaceRun = route({
  ...common,
  operation: 'getWorkspaceRun',
  method: 'GET',
  path: '/v1/workspaces/:workspace/runs/:run',
  summary: 'Show what was done to a workspace once',
  role: 'read',
  params: runPath,
  query: ownerQuery,
  answers: {
    200: { description: 'The run.', schema: z.strictObject({ ...keyAnswer, run: runSchema }) },
  },
  refusals: { 404: ['unknown_run'] },
});

export const undoWorkspaceRun = route({
  ...common,
  operation: 'undoWorkspaceRun',
  method: 'POST',
  path: '/v1/workspaces/:workspace/runs/:run/undo',
  summary: 'Put documents back as they stood before a run',
  description: 'As long as nobody has changed them since.',
  role: 'write',
  params: runPath,
  body: ownerBody,
  answers: {
    200: {
      description: 'They stand as before, now or already.',
      schema: z.strictObject({
        ...keyAnswer,
        id: z.uuid(),
        work: workSchema,
        status: z.enum(['undone', 'already_undone']),
        paths: z.array(z.string()).describe('Documents that stand again as they did.'),
      }),
    },
  },
  refusals: { ...WRITE_REFUSALS, 404: ['unknown_run', 'unknown_workspace', 'NOT_FOUND'] },
});

const count = z.int();
const promotionSchema = z
  .strictObject({
    considered: count,
    gates: z.record(z.string(), count).describe('How many pass each gate; one memory may pass several.'),
    passed: count,
    held: count,
    disputed: count,
    thoughts: count,
  })
  .nullable();
const memoryCounts = z
  .strictObject({
    lines: count,
    added: count,
    noRoom: count,
    ownWords: count,
    byHand: count,
    same: count,
    removed: count,
    edited: count,
    forgotten: count,
    chars: count,
  })
  .nullable();
const dreamsCounts = z
  .strictObject({ added: z.boolean(), entries: count, rotated: count, forgotten: count })
  .nullable();

export const previewProjection = route({
  ...common,
  operation: 'previewProjection',
  method: 'GET',
  path: '/v1/workspaces/:workspace/projection',
  summary: 'Show what would be written of the memories into the documents of a workspace',
  role: 'read',
  params: workspacePath,
  query: ownerQuery,
  answers: {
    200: {
      description: 'Documents before and after; nothing was written.',
      schema: z.strictObject({
        ...keyAnswer,
        documents: z.array(
          z.strictObject({
            path: z.string(),
            before: z.string().nullable(),
            after: z.string().nullable(),
            diff: z
              .strictObject({ line: count, removed: z.array(z.string()), added: z.array(z.string()) })
              .nullable()
              .describe('Null: it would stay as it is.'),
          }),
        ),
        report: z.strictObject({ promotion: promotionSchema, memory: memoryCounts, dreams: dreamsCounts }),
      }),
    },
  },
  refusals: { 400: ['UNSUPPORTED'], 404: ['unknown_workspace'], 409: ['READ_ONLY', 'CONFLICT'] },
});

export const projectMemories = route({
  ...common,
  operation: 'projectMemories',
  method: 'POST',
  path: '/v1/workspaces/:workspace/projection',
  summary: 'Bring MEMORY.md of a workspace up to date with the memories, now',
  role: 'write',
  params: workspacePath,
  body: ownerBody,
  answers: {
    200: {
      description: 'What became of it; a failed one says why.',
      schema: z.strictObject({
        ...keyAnswer,
        id: z.uuid(),
        status: z.enum(['completed', 'failed', 'undone']),
        reason: z.string().nullable(),
        repeated: z.boolean(),
        report: z.strictObject({
          promotion: promotionSchema,
          memory: memoryCounts,
          dreams: dreamsCounts,
          writes: z.array(
            z.strictObject({
              path: z.string(),
              write: z.string(),
              before: z.string().nullable(),
              after: z.string(),
            }),
          ),
          plan: z
            .strictObject({
              before: z.string().nullable(),
              after: z.string(),
              lines: z.array(z.strictObject({ memoryId: z.string(), lineHash: z.string() })),
            })
            .optional(),
        }),
      }),
    },
  },
  refusals: WRITE_REFUSALS,
});

export const workspaceRunsRoutes: readonly Route[] = [
  listWorkspaceRuns,
  getWorkspaceRun,
  undoWorkspaceRun,
  previewProjection,
  projectMemories,
];
