import { z } from 'zod';
import { idField, ownerFields } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { READ_REFUSALS, textField, workspacePath, yesNoField } from './workspace-fields.ts';
import { workspaceRunsRoutes } from './workspace-runs.ts';

export { DOCUMENT_BODY_MAX_BYTES } from './workspace-fields.ts';
export * from './workspace-runs.ts';

const NUMBER = 'expected a number';
const numberField = z.number({ error: NUMBER });
const common = { tag: 'workspaces', scope: 'one' } as const;
const ownerQuery = z.strictObject(ownerFields);
const instantOrNull = z.number().nullable().describe('Epoch ms.');

export const workspaceSchema = z
  .strictObject({
    tenant: z.string(),
    user: z.string(),
    workspace: z.string(),
    backend: z.string(),
    rootDir: z.string().nullable().describe('Null: its documents are in the database.'),
    memoryEnabled: z.boolean(),
    projectionEnabled: z.boolean(),
    importEnabled: z.boolean(),
    quotaBytes: z.number(),
    insightsEnabled: z.boolean(),
    insightsSchedule: z.string().describe('A cron expression of five fields.'),
    insightsTimezone: z.string().nullable().describe('Null: the user’s own.'),
    insightsMinIntervalMs: z.number(),
    insightsMinGrowth: z.number().describe('In characters.'),
    insightsDueAt: instantOrNull,
    insightsLastRunAt: instantOrNull,
    insightsLastSize: z.number().nullable().describe('In characters.'),
    createdAt: z.number().describe('Epoch ms.'),
    reachable: z.boolean().describe('Whether its documents can be reached from the process that answers.'),
  })
  .meta({ id: 'Workspace', description: 'A place with documents of one user.' });

export const listWorkspaces = route({
  ...common,
  operation: 'listWorkspaces',
  method: 'GET',
  path: '/v1/workspaces',
  summary: 'List the workspaces of a user',
  role: 'read',
  query: ownerQuery,
  answers: {
    200: {
      description: 'All of them, at most 1,000.',
      schema: z.strictObject({
        tenant: z.string(),
        user: z.string(),
        workspaces: z.array(workspaceSchema),
      }),
    },
  },
});

export const putWorkspace = route({
  ...common,
  operation: 'putWorkspace',
  method: 'PUT',
  path: '/v1/workspaces/:workspace',
  summary: 'Make a workspace, or change what is given of one',
  description:
    'What is left out stays, or is the default. A folder and a backend belong together: whoever names one of them need not name the other. Folders are of the machine and not of a tenant: only the operator token may name one (otherwise 403 `operator_only`).',
  role: 'write',
  params: workspacePath,
  body: z.strictObject({
    ...ownerFields,
    backend: textField.optional(),
    rootDir: textField.nullable().optional(),
    memoryEnabled: yesNoField.optional(),
    projectionEnabled: yesNoField.optional(),
    importEnabled: yesNoField.optional(),
    quotaBytes: numberField.optional(),
    insightsEnabled: yesNoField.optional(),
    insightsSchedule: textField.optional(),
    insightsTimezone: textField.nullable().optional(),
    insightsMinIntervalMs: numberField.optional(),
    insightsMinGrowth: numberField.optional(),
  }),
  answers: {
    200: {
      description: 'It was there, and is now so.',
      schema: z.strictObject({ created: z.boolean(), workspace: workspaceSchema }),
    },
    201: {
      description: 'It was made.',
      schema: z.strictObject({ created: z.boolean(), workspace: workspaceSchema }),
    },
  },
  refusals: { 404: ['unknown_user', 'NOT_FOUND'], 409: ['folder_taken'], 503: ['BACKEND_UNAVAILABLE'] },
});

export const getWorkspace = route({
  ...common,
  operation: 'getWorkspace',
  method: 'GET',
  path: '/v1/workspaces/:workspace',
  summary: 'Show a workspace',
  role: 'read',
  params: workspacePath,
  query: ownerQuery,
  answers: { 200: { description: 'The workspace.', schema: workspaceSchema } },
  refusals: READ_REFUSALS,
});

export const removeWorkspace = route({
  ...common,
  operation: 'removeWorkspace',
  method: 'DELETE',
  path: '/v1/workspaces/:workspace',
  summary: 'Remove a workspace',
  description: 'Documents in the database go with it; files of a folder stay.',
  role: 'write',
  params: workspacePath,
  query: z.strictObject({
    ...ownerFields,
    confirm: idField
      .optional()
      .describe('The name once more, for a workspace whose documents are in the database.'),
  }),
  answers: {
    200: {
      description: 'It was removed.',
      schema: z.strictObject({
        tenant: z.string(),
        user: z.string(),
        workspace: z.string(),
        removed: z.literal(true),
      }),
    },
  },
  refusals: { 404: ['unknown_workspace'], 409: ['not_confirmed'] },
});

export const workspacesRoutes: readonly Route[] = [
  listWorkspaces,
  putWorkspace,
  getWorkspace,
  removeWorkspace,
  ...workspaceRunsRoutes,
];
