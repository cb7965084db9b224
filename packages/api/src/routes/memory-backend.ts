import { z } from 'zod';
import { type Route, route } from '../route.ts';
import {
  backendField,
  byFields,
  READ_REFUSALS,
  textField,
  versionField,
  WRITE_REFUSALS,
  wholeNumber,
  workspaceKeyFields,
  workspaceKeyQuery,
  writeBody,
  writtenSchema,
  yesNoField,
} from './workspace-fields.ts';

export const SEARCH_LIMIT_MAX = 20;
const WINDOW_MAX = 400;
const SEARCH_CHARS_MAX = 1_000;

const common = { tag: 'workspaces', scope: 'one' } as const;
const pathField = textField.describe(
  'As in .fusion/memory/MEMORY.md, or any file below /memories as the memory tool calls it, such as /memories/notes/cats.md.',
);
const runIdField = z
  .uuid()
  .nullable()
  .describe('The run of the workspace that undoes it; null: everything stood so already.');
const filesChangedSchema = z
  .strictObject({
    runId: runIdField,
    documents: z.int().describe('Files and folders that it is about.'),
    backend: backendField,
  })
  .meta({ id: 'FilesChanged', description: 'A change of files that can be undone.' });

export const readMemory = route({
  ...common,
  operation: 'readMemory',
  method: 'GET',
  path: '/api/memory',
  summary: 'Read the long-term memory of a workspace',
  role: 'read',
  query: workspaceKeyQuery,
  answers: {
    200: {
      description: 'MEMORY.md; empty when there is none.',
      schema: z.strictObject({
        content: z.string(),
        exists: z.boolean(),
        backend: backendField,
        version: versionField.optional(),
        degraded: z.boolean().optional().describe('Nothing could be read: empty for want of an answer.'),
      }),
    },
  },
  refusals: READ_REFUSALS,
});

export const writeMemory = route({
  ...common,
  operation: 'writeMemory',
  method: 'PUT',
  path: '/api/memory',
  summary: 'Replace the long-term memory of a workspace',
  role: 'write',
  query: workspaceKeyQuery,
  body: writeBody,
  answers: { 200: { description: 'It stands there.', schema: writtenSchema } },
  refusals: WRITE_REFUSALS,
});

export const readDocument = route({
  ...common,
  operation: 'readDocument',
  method: 'GET',
  path: '/api/memory/file',
  summary: 'Read one document of a workspace, whole or some of its lines',
  role: 'read',
  query: z.strictObject({
    ...workspaceKeyFields,
    path: pathField,
    startLine: wholeNumber(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('With neither this nor lineCount: the whole document.'),
    lineCount: wholeNumber(1, WINDOW_MAX).optional(),
  }),
  answers: {
    200: {
      description: 'The lines that were asked for.',
      schema: z.strictObject({
        path: z.string(),
        content: z.string(),
        startLine: z.int(),
        endLine: z.int().describe('Below startLine when the window begins after the last line.'),
        totalLines: z.int(),
        backend: backendField,
        truncated: z.boolean().describe('Whether the document has lines that are not among these.'),
        version: versionField.optional(),
      }),
    },
  },
  refusals: READ_REFUSALS,
});

export const writeDocument = route({
  ...common,
  operation: 'writeDocument',
  method: 'PUT',
  path: '/api/memory/file',
  summary: 'Replace one document of a workspace',
  description:
    'Below /memories any file is made with the folders above it, and a path with a slash at its end and no content makes a folder; each such write is a run of its own.',
  role: 'write',
  query: z.strictObject({ ...workspaceKeyFields, path: pathField }),
  body: writeBody,
  answers: {
    200: {
      description: 'It stands there.',
      schema: z.strictObject({ ...writtenSchema.shape, runId: runIdField.optional() }),
    },
  },
  refusals: WRITE_REFUSALS,
});

export const removeDocument = route({
  ...common,
  operation: 'removeDocument',
  method: 'DELETE',
  path: '/api/memory/file',
  summary: 'Remove a file of a workspace, or a folder with everything in it',
  description: 'What stood there is kept, and undoing the run brings it back.',
  role: 'write',
  query: z.strictObject({ ...workspaceKeyFields, path: pathField, ...byFields }),
  answers: { 200: { description: 'Nothing stands there any more.', schema: filesChangedSchema } },
  refusals: WRITE_REFUSALS,
});

export const renameDocument = route({
  ...common,
  operation: 'renameDocument',
  method: 'POST',
  path: '/api/memory/file/rename',
  summary: 'Give a file or a folder of a workspace another path',
  description: 'Nothing may stand at the new path. Undoing the run brings everything back.',
  role: 'write',
  query: z.strictObject({ ...workspaceKeyFields, path: pathField }),
  body: z.strictObject({ newPath: pathField, ...byFields }),
  answers: { 200: { description: 'It stands at the new path.', schema: filesChangedSchema } },
  refusals: WRITE_REFUSALS,
});

export const browseDocuments = route({
  ...common,
  operation: 'browseDocuments',
  method: 'GET',
  path: '/api/memory/tree',
  summary: 'Show what stands at a path of a workspace, and up to two levels below it',
  description: 'Files of the service itself are left out.',
  role: 'read',
  query: z.strictObject({ ...workspaceKeyFields, path: pathField }),
  answers: {
    200: {
      description: 'What stands there.',
      schema: z.strictObject({
        kind: z
          .enum(['file', 'folder', 'none', 'below_file'])
          .describe('below_file: a part of the path is a file, so that nothing can stand there.'),
        entries: z.array(
          z.strictObject({
            path: z.string().describe('Below /memories; a folder ends with a slash.'),
            size: z.int().describe('In bytes of UTF-8; 0 for a folder.'),
          }),
        ),
        backend: backendField,
      }),
    },
  },
  refusals: READ_REFUSALS,
});

export const appendToDocument = route({
  ...common,
  operation: 'appendToDocument',
  method: 'POST',
  path: '/api/memory/file',
  summary: 'Add something to the end of a document of a workspace',
  description: 'The document is made when there is none; others’ additions at the same time survive.',
  role: 'write',
  query: z.strictObject({ ...workspaceKeyFields, path: pathField }),
  body: z.strictObject({ content: textField.min(1, 'expected some text'), ...byFields }),
  answers: { 200: { description: 'It stands there.', schema: writtenSchema } },
  refusals: WRITE_REFUSALS,
});

export const listDocuments = route({
  ...common,
  operation: 'listDocuments',
  method: 'GET',
  path: '/api/memory/files',
  summary: 'List the documents of a workspace',
  role: 'read',
  query: workspaceKeyQuery,
  answers: {
    200: {
      description: 'Long-term memory first, then daily notes, the newest first, then dreams.',
      schema: z.strictObject({
        files: z.array(
          z.strictObject({
            path: z.string(),
            label: z.string(),
            layer: z.enum(['long-term', 'daily', 'dreams']),
            size: z.int().describe('In bytes of UTF-8.'),
            updatedAt: z.string().describe('ISO 8601.'),
          }),
        ),
        backend: backendField,
      }),
    },
  },
  refusals: READ_REFUSALS,
});

export const searchDocuments = route({
  ...common,
  operation: 'searchDocuments',
  method: 'GET',
  path: '/api/memory/search',
  summary: 'Search the documents of a workspace',
  role: 'read',
  query: z.strictObject({
    ...workspaceKeyFields,
    query: textField
      .min(1, 'expected some words')
      .max(SEARCH_CHARS_MAX, `expected at most ${SEARCH_CHARS_MAX} characters`),
    limit: wholeNumber(1, SEARCH_LIMIT_MAX).optional().describe('Default 5.'),
  }),
  answers: {
    200: {
      description: 'Places that answer, the best first.',
      schema: z.strictObject({
        hits: z.array(
          z.strictObject({
            path: z.string(),
            lineStart: z.int(),
            lineEnd: z.int(),
            snippet: z.string(),
            score: z.number().describe('Comparable within one answer only.'),
            backend: z.string(),
            degraded: z.boolean().optional(),
          }),
        ),
        degraded: z.boolean().describe('Whether the backend’s own index could not answer.'),
        reason: z.string().nullable().describe('Why not, as a code.'),
        source: z.enum(['index', 'files']),
      }),
    },
  },
  refusals: READ_REFUSALS,
});

const capabilitiesSchema = z.strictObject({
  readable: z.boolean(),
  writable: z.boolean(),
  supportsAtomicWrite: z.boolean(),
  hasConflictResolution: z.boolean(),
  persistent: z.boolean(),
});

export const describeBackend = route({
  ...common,
  operation: 'describeBackend',
  method: 'GET',
  path: '/api/memory/backend',
  summary: 'Say which backend a workspace has, and what it can do',
  role: 'read',
  query: workspaceKeyQuery,
  answers: {
    200: {
      description: 'The backend.',
      schema: z.strictObject({
        type: z.string(),
        name: z.string(),
        capabilities: capabilitiesSchema,
        types: z.array(z.string()).describe('Types that a workspace may have here.'),
        instructionContext: z
          .strictObject({
            backendType: z.string(),
            backendName: z.string(),
            capabilities: capabilitiesSchema,
            instructionPathHint: z.string().nullable(),
          })
          .describe('What instructions to an agent may say of the memory.'),
      }),
    },
  },
  refusals: READ_REFUSALS,
});

export const readInsights = route({
  ...common,
  operation: 'readInsights',
  method: 'GET',
  path: '/api/memory/insights',
  summary: 'Read the insights of a workspace',
  role: 'read',
  query: workspaceKeyQuery,
  answers: {
    200: {
      description: 'memory-insights.md; empty when there is none.',
      schema: z.strictObject({
        content: z.string(),
        exists: z.boolean(),
        backend: backendField,
        version: versionField.optional(),
      }),
    },
  },
  refusals: READ_REFUSALS,
});

export const writeInsights = route({
  ...common,
  operation: 'writeInsights',
  method: 'PUT',
  path: '/api/memory/insights',
  summary: 'Replace the insights of a workspace',
  role: 'write',
  query: workspaceKeyQuery,
  body: writeBody,
  answers: { 200: { description: 'They stand there.', schema: writtenSchema } },
  refusals: WRITE_REFUSALS,
});

export const extractInsights = route({
  ...common,
  operation: 'extractInsights',
  method: 'POST',
  path: '/api/memory/extract',
  summary: 'Ask for insights to be drawn from the memory of a workspace',
  role: 'write',
  query: workspaceKeyQuery,
  body: z.strictObject({
    force: yesNoField.default(false).describe('Neither the switch nor the least time nor the growth count.'),
    ...byFields,
  }),
  bodyOptional: true,
  answers: {
    202: {
      description: 'They are due.',
      schema: z.strictObject({
        status: z.literal('queued'),
        runId: z.uuid().nullable().describe('The run that does it; null: the next run of the light tier.'),
      }),
    },
  },
  refusals: {
    404: ['unknown_workspace', 'unknown_user'],
    409: ['disabled', 'too_soon', 'too_small', 'no_memory', 'quarantined', 'busy'],
  },
});

const INSIGHT_CATEGORIES = ['pattern', 'principle', 'convention', 'pitfall', 'context'] as const;

export const auditMemory = route({
  ...common,
  operation: 'auditMemory',
  method: 'GET',
  path: '/api/memory/audit',
  summary: 'Look over the memory of a workspace and its insights',
  role: 'read',
  query: workspaceKeyQuery,
  answers: {
    200: {
      description: 'The report, as of now, and as a document.',
      schema: z.strictObject({
        report: z.strictObject({
          generatedAt: z.string().describe('ISO 8601, as all instants of this report.'),
          workingMemory: z.strictObject({
            exists: z.boolean(),
            size: z.int(),
            sectionCount: z.int(),
            lastModified: z.string().optional(),
          }),
          insightsMemory: z.strictObject({
            exists: z.boolean(),
            size: z.int(),
            insightCount: z.int(),
            categories: z.record(z.enum(INSIGHT_CATEGORIES), z.int()),
            lastUpdated: z.string().optional(),
          }),
          extraction: z.strictObject({
            runAt: z.string(),
            success: z.boolean(),
            insightCount: z.int(),
            duplicateCount: z.int(),
            skippedCount: z.int(),
            summary: z.string(),
            error: z.string().optional(),
          }),
          pruning: z.strictObject({
            applied: z.boolean(),
            reason: z.string(),
            sizeDelta: z.int(),
            originalSize: z.int(),
            newSize: z.int(),
            status: z.enum(['applied', 'nothing', 'rejected']).optional(),
          }),
          checks: z.array(
            z.strictObject({ id: z.string(), name: z.string(), passed: z.boolean(), details: z.string() }),
          ),
          health: z.enum(['healthy', 'warning', 'issues']),
        }),
        content: z.string(),
        backend: backendField,
      }),
    },
  },
  refusals: READ_REFUSALS,
});

export const memoryBackendRoutes: readonly Route[] = [
  readMemory,
  writeMemory,
  readDocument,
  writeDocument,
  appendToDocument,
  removeDocument,
  renameDocument,
  browseDocuments,
  listDocuments,
  searchDocuments,
  describeBackend,
  readInsights,
  writeInsights,
  extractInsights,
  auditMemory,
];
