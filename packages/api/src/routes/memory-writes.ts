import { RELATION_TYPES } from '@slowwave/fusion';
import { z } from 'zod';
import { categoryField, idField, ownerFields, tenantField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { countField, importanceField, originField, shareField, visibilityField } from './memory-fields.ts';

/** Memories in one request at most. */
export const MEMORIES_BULK_MAX = 500;

const INSTANT = 'expected an instant in epoch milliseconds, a whole number';
const instantGiven = z.number({ error: INSTANT }).int(INSTANT).nullish();
const GIVEN_TYPES = ['regular', 'static_profile', 'dynamic_profile'] as const;
const GIVEN_RELATIONS = RELATION_TYPES.filter((type) => type !== 'DERIVES');

/** A memory as its writer gives it: what a line of an import says, under the names that answers have. */
const givenFields = {
  externalId: idField
    .nullish()
    .describe(
      'The writer’s own id, unique for the user: the same id again is the same memory. Left out, one is made of content, documentDate and category.',
    ),
  content: z.string({ error: 'expected text' }).describe('The text of the memory, kept as it is.'),
  category: categoryField.optional().describe('Left out: fact.'),
  memoryType: z
    .enum(GIVEN_TYPES, { error: `expected one of ${GIVEN_TYPES.join(', ')}` })
    .optional()
    .describe('Left out: regular.'),
  importance: importanceField.optional().describe('Left out: 5.'),
  confidence: shareField.optional().describe('Left out: 0.8.'),
  trust: shareField.optional().describe('Left out: 0.8.'),
  origin: originField
    .optional()
    .describe('Who said it. Left out: import, since it must not pass for the user’s own word.'),
  visibility: visibilityField.optional().describe('Left out: private.'),
  session: idField.nullish().describe('The conversation in which it was said.'),
  documentDate: instantGiven.describe(
    'When it was said, from 1971-01-01 (a date in seconds lies before) to a day ahead. Left out: now.',
  ),
  eventDate: instantGiven.describe('When it happened or will happen.'),
  validFrom: instantGiven,
  validTo: instantGiven,
  expiresAt: instantGiven,
  relations: z
    .array(
      z.strictObject({
        type: z.enum(GIVEN_RELATIONS, { error: `expected one of ${GIVEN_RELATIONS.join(', ')}` }),
        target: idField.describe('The externalId of another memory of the user.'),
        confidence: shareField.optional().describe('Left out: 1.'),
      }),
      { error: 'expected a list of objects with type and target' },
    )
    .max(64, 'expected at most 64 relations')
    .optional(),
  metadata: z
    .record(z.string(), z.unknown(), { error: 'expected an object' })
    .optional()
    .describe('Kept as it is, at most 256 KiB as JSON.'),
};

const givenSchema = z
  .strictObject({ user: idField.optional(), ...givenFields })
  .meta({ id: 'NewMemory', description: 'A memory as its writer gives it. Instants in epoch ms.' });

const relationsWritten = {
  relations: countField.describe('Relations that were written.'),
  unresolvedRelations: countField.describe('Relations that were not, since their target is not there.'),
};

const writtenSchema = z
  .strictObject({
    tenant: z.string(),
    user: z.string(),
    id: z.uuid(),
    externalId: z.string(),
    status: z.enum(['written', 'known']),
    ...relationsWritten,
  })
  .meta({ id: 'WrittenMemory', description: 'Where a memory stands now; known: it stood there before.' });

export const createMemory = route({
  operation: 'createMemory',
  method: 'POST',
  path: '/v1/memories',
  tag: 'memories',
  summary: 'Write one memory',
  description:
    'A user who is not there yet is created. The memory is embedded, compared and consolidated by the tiers, light first. Longest content: SLOWWAVE_MAX_MEMORY_CHARS characters.',
  role: 'write',
  scope: 'one',
  body: z.strictObject({ ...ownerFields, ...givenFields }),
  answers: {
    201: { description: 'It was written.', schema: writtenSchema },
    200: {
      description: 'It stood there already, with the same content; nothing changed.',
      schema: writtenSchema,
    },
  },
  refusals: { 409: ['id_taken', 'forgotten'] },
});

export const createMemories = route({
  operation: 'createMemories',
  method: 'POST',
  path: '/v1/memories/bulk',
  tag: 'memories',
  summary: `Write up to ${MEMORIES_BULK_MAX} memories in one transaction`,
  description:
    'Each memory is judged by itself: one that cannot be kept is refused with its reason, and the others are written. A request whose form is wrong is refused whole. The body holds at most 8 MiB.',
  role: 'write',
  scope: 'one',
  body: z.strictObject({
    tenant: tenantField,
    user: idField.optional().describe('Whose memories they are, where a memory does not say.'),
    memories: z
      .array(givenSchema, {
        error: `expected a list of 1 to ${MEMORIES_BULK_MAX} memories`,
      })
      .min(1, `expected 1 to ${MEMORIES_BULK_MAX} memories`)
      .max(MEMORIES_BULK_MAX, `expected 1 to ${MEMORIES_BULK_MAX} memories`),
  }),
  answers: {
    200: {
      description: 'What became of each memory, in the order in which they were given.',
      schema: z.strictObject({
        tenant: z.string(),
        written: countField,
        known: countField,
        refused: countField,
        usersCreated: countField,
        ...relationsWritten,
        memories: z.array(
          z
            .strictObject({
              status: z.enum(['written', 'known', 'refused']),
              user: z.string().nullable(),
              id: z.uuid().nullable().describe('Null when it was refused.'),
              externalId: z.string().nullable().describe('Null when it was refused before it had one.'),
              problem: z
                .strictObject({
                  code: z.string(),
                  field: z.string().nullable(),
                  detail: z
                    .string()
                    .describe('What was wrong and what was expected; quotes nothing of the memory.'),
                })
                .nullable(),
            })
            .meta({ id: 'MemoryOutcome', description: 'What became of one memory that was given.' }),
        ),
      }),
    },
  },
});

export const memoryWritesRoutes: readonly Route[] = [createMemory, createMemories];
