import { z } from 'zod';
import { categoryField, fusionKeyField, idField, instantField, ownerFields } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { fusionKindField } from './fusion-fields.ts';
import {
  importanceField,
  instantOrNull,
  learnedFromField,
  memoryPath,
  memoryTypeField,
  originField,
  shareField,
} from './memory-fields.ts';

export const LINEAGE_STEPS_MAX = 10;

const TIME = 'expected an instant in epoch milliseconds, or null';
const timeGiven = z.number({ error: TIME }).nullable().optional();

export const editMemory = route({
  operation: 'editMemory',
  method: 'PATCH',
  path: '/v1/memories/:id',
  tag: 'memories',
  summary: 'Give a memory other words, another category or importance, or another time in which it holds',
  description:
    'A new version, which can be undone. What superseded the memory is undone in the same transaction, and what it stood in place of is latest again; where that cannot be, the edit is refused.',
  role: 'write',
  scope: 'one',
  params: memoryPath,
  body: z
    .strictObject({
      ...ownerFields,
      content: z.string({ error: 'expected text' }).optional(),
      category: categoryField.optional(),
      importance: importanceField.optional(),
      validFrom: timeGiven,
      validTo: timeGiven,
      eventDate: timeGiven,
      expectedVersion: z
        .int('expected a whole number')
        .optional()
        .describe('The version that was read: another one is not edited. Left out: any.'),
      by: idField.optional().describe('Who edits, for the journal. Left out: the name of the token.'),
    })
    .refine(
      ({ tenant: _tenant, user: _user, by: _by, expectedVersion: _version, ...edit }) =>
        Object.keys(edit).length > 0,
      {
        path: ['content'],
        error: 'expected something to change: content, category, importance, validFrom, validTo or eventDate',
      },
    ),
  answers: {
    200: {
      description: 'The version as it is now; the same as before when there was nothing to change.',
      schema: z.strictObject({
        tenant: z.string(),
        user: z.string(),
        id: z.uuid(),
        before: z.int(),
        version: z.int(),
        undoneFusion: fusionKeyField.nullable().describe('The fusion or merge that had to be undone for it.'),
        reopened: z.array(z.uuid()).describe('Memories that are latest again.'),
        changeSetId: z
          .uuid()
          .nullable()
          .describe('By which it can be undone; null when there was nothing to change.'),
      }),
    },
  },
  refusals: { 404: ['unknown_memory'], 409: ['superseded', 'derived', 'version_changed'] },
});

const fusionFields = {
  key: fusionKeyField,
  kind: fusionKindField,
  status: z.string().describe('applied, undone, forgotten and so on.'),
  runId: z.uuid().nullable(),
  at: instantField.describe('When it last changed.'),
};

const nodeFields = {
  id: z.uuid(),
  state: z
    .enum(['here', 'cold', 'forgotten', 'gone'])
    .describe('cold: in cold storage; forgotten: removed on request; gone: taken away otherwise.'),
  content: z.string().nullable(),
  memoryType: memoryTypeField.nullable(),
  isLatest: z.boolean(),
  origin: originField.nullable(),
  learnedFrom: learnedFromField.nullable(),
  trust: shareField.nullable(),
  createdAt: instantOrNull,
  supersededBy: z.uuid().nullable(),
  fusion: z
    .strictObject(fusionFields)
    .nullable()
    .describe('What made it, or what kept it of two duplicates.'),
  parts: z
    .array(z.strictObject({ ...fusionFields, superseded: z.boolean() }))
    .describe('Fusions that it was a source of, undone and refused ones included.'),
  sessions: z.array(z.string()).describe('Conversations that it rests on.'),
};

const howField = z
  .enum(['derives', 'updates', 'edited'])
  .describe('derives: by a fusion; updates: superseded otherwise; edited: a person made it from it.');
const nodeSchema = z.strictObject(nodeFields);

interface Branch extends z.infer<typeof nodeSchema> {
  how: z.infer<typeof howField>;
  next: Branch[];
}

const branchSchema: z.ZodType<Branch, Branch> = z.strictObject({
  ...nodeFields,
  how: howField,
  get next() {
    return z.array(branchSchema);
  },
});
// The name that the document knows the recursive shape by.
branchSchema.register(z.globalRegistry, { id: 'LineageBranch' });

const DEPTH = `expected a whole number from 0 to ${LINEAGE_STEPS_MAX}`;

export const traceMemory = route({
  operation: 'traceMemory',
  method: 'GET',
  path: '/v1/memories/:id/lineage',
  tag: 'memories',
  summary: 'Show what a memory was made of and what was made of it',
  role: 'read',
  scope: 'one',
  params: memoryPath,
  query: z.strictObject({
    ...ownerFields,
    depth: z.coerce
      .number({ error: DEPTH })
      .int(DEPTH)
      .min(0, DEPTH)
      .max(LINEAGE_STEPS_MAX, DEPTH)
      .default(LINEAGE_STEPS_MAX)
      .describe('Steps in either direction.'),
  }),
  answers: {
    200: {
      description: 'The memory with its lineage in both directions.',
      schema: z.strictObject({
        tenant: z.string(),
        user: z.string(),
        ...nodeFields,
        madeOf: z.array(branchSchema),
        madeInto: z.array(branchSchema),
        truncated: z.boolean().describe('There is more than was gone through.'),
      }),
    },
  },
  refusals: { 404: ['unknown_memory'] },
});

export const editsRoutes: readonly Route[] = [editMemory, traceMemory];
