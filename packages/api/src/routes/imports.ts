import { z } from 'zod';
import { idField, tenantField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { countField, flagField } from './memory-fields.ts';

const DATE = 'expected a date such as 2026-03-01 or 2026-03-01T12:00:00Z';

const summarySchema = z
  .strictObject({
    lines: countField.describe('The last line’s number.'),
    inserted: countField,
    unchanged: countField.describe('Lines whose memory stood there before.'),
    forgotten: countField.describe('Lines whose memory was forgotten; each is among the problems.'),
    relations: countField,
    usersCreated: countField,
    users: z.array(z.strictObject({ tenant: z.string(), user: z.string() })),
    problems: z
      .array(z.strictObject({ line: countField, code: z.string(), message: z.string() }))
      .describe('The first 1,000; problemCount counts all.'),
    problemCount: countField,
    unresolvedRelations: countField.describe('Relations whose target is neither in the file nor stored.'),
    restored: z
      .record(z.string(), countField)
      .optional()
      .describe('Of an export that was restored: lines by their kind, and users.'),
    leftOut: z
      .record(z.string(), countField)
      .optional()
      .describe('Of an export that was merged: lines that an ordinary import has no place for.'),
  })
  .meta({ id: 'ImportSummary', description: 'What became of the lines of a file.' });

export const importMemories = route({
  operation: 'importMemories',
  method: 'POST',
  path: '/v1/imports',
  tag: 'imports',
  summary: 'Import a file: JSON Lines, or one memory on each line',
  description:
    'Read as it arrives, at most 1 GB. Bad lines are reported with their number and reason and the good ones kept; the same file again changes nothing. An export is restored into empty users, which needs the role admin, or with merge added to what is there. Lines of another tenant than the token’s are refused.',
  role: 'write',
  scope: 'one',
  query: z.strictObject({
    format: z
      .enum(['auto', 'jsonl', 'text'], { error: 'expected one of auto, jsonl, text' })
      .default('auto')
      .describe('auto: by the Content-Type, else by the first line.'),
    tenant: tenantField.describe('Where lines do not say; left out: the caller’s own, or "default".'),
    user: idField.optional().describe('Where lines do not say; required for plain text.'),
    date: z
      .string({ error: DATE })
      .optional()
      .describe(`When it was said, where lines do not say: ${DATE.slice(9)}.`),
    merge: flagField
      .default(false)
      .describe('Of an export: add its memories to what is there, instead of restoring it.'),
  }),
  body: {
    contentType: 'application/x-ndjson',
    description:
      'One JSON object on each line. text/plain and application/octet-stream are taken too; a first line that is no object is then read as plain text.',
  },
  answers: { 200: { description: 'What became of the lines.', schema: summarySchema } },
  refusals: {
    400: ['user_required', 'unsupported_export', 'broken_off'],
    413: ['body_too_large'],
    415: ['unsupported_media_type'],
    422: ['no_good_line'],
    503: ['stopping', 'too_busy'],
  },
});

export const exportMemories = route({
  operation: 'exportMemories',
  method: 'GET',
  path: '/v1/export',
  tag: 'imports',
  summary: 'Export everything of a user, or of the whole tenant, as JSON Lines',
  description:
    'Of one instant: the same data gives the same bytes, and importing them restores it. A whole tenant needs the role admin.',
  role: 'read',
  scope: 'one',
  query: z.strictObject({
    tenant: tenantField,
    user: idField.optional().describe('Left out: every user of the tenant.'),
  }),
  answers: {
    200: {
      description: 'The export; its last line is {"kind":"slowwave-export-end", …}.',
      schema: { contentType: 'application/x-ndjson', description: 'One JSON object on each line.' },
    },
  },
  refusals: { 400: ['broken_off'], 404: ['unknown_user'], 503: ['stopping', 'no_space', 'too_busy'] },
});

export const importsRoutes: readonly Route[] = [importMemories, exportMemories];
