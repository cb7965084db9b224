import { z } from 'zod';
import { categoryField, fusionKeyField, idField, instantField, tenantField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import {
  bandField,
  changeKindField,
  countField,
  importanceField,
  instantOrNull,
  learnedFromField,
  memoryPath,
  memoryTypeField,
  originField,
  saidField,
  shareField,
} from './memory-fields.ts';

const ownerOrAnybody = {
  tenant: tenantField,
  user: idField.optional().describe('Left out: whoever of the tenant it belongs to.'),
};

const relativeSchema = z.strictObject({
  id: z.uuid(),
  externalId: z.string().nullable(),
  memoryType: memoryTypeField,
  isLatest: z.boolean(),
});

const imageSchema = z
  .strictObject({
    peak: shareField.optional(),
    anchorAt: instantField.optional(),
    demotion: shareField.optional(),
    confirmations: countField.optional(),
    memoryType: memoryTypeField.optional(),
  })
  .nullable()
  .describe('What the change set kept of it; null when the memory was not there.');

const explanationSchema = z
  .strictObject({
    tenant: z.string(),
    user: z.string(),
    id: z.uuid(),
    externalId: z.string().nullable(),
    content: z.string(),
    origin: originField,
    learnedFrom: learnedFromField,
    version: z.int(),
    isLatest: z.boolean(),
    createdAt: instantField,
    documentDate: instantField,
    said: saidField,
    at: instantField.describe('The instant that everything here is as of.'),
    params: z.strictObject({
      category: categoryField,
      memoryType: memoryTypeField,
      importance: importanceField,
      confirmations: countField,
      peak: shareField,
      anchorAt: instantField,
      demotion: shareField,
    }),
    terms: z
      .strictObject({
        rate: z.number(),
        stability: z.number(),
        floor: shareField,
        ageDays: z.number(),
        demotion: shareField,
      })
      .describe(
        'prominence = demotion × (floor + (peak − floor) × rate^(max(0, ageDays − 1) / stability)); a static_profile memory is always 1.',
      ),
    prominence: shareField,
    band: bandField,
    crossings: z.array(
      z.strictObject({
        threshold: z.number(),
        at: instantOrNull.describe('Null when it never happens, or it lay below from the beginning.'),
        state: z.enum(['past', 'ahead', 'never']),
      }),
    ),
    nextCrossingAt: instantOrNull,
    history: z
      .array(
        z.strictObject({
          changeSet: z.uuid(),
          kind: changeKindField,
          at: instantField,
          runId: z.uuid().nullable(),
          fusionKey: fusionKeyField.nullable(),
          before: imageSchema,
          after: imageSchema,
        }),
      )
      .describe('Change sets that touched it, the newest first, at most 200.'),
    sources: z.array(relativeSchema).describe('What it was derived from.'),
    derived: z.array(relativeSchema).describe('What was derived from it.'),
    supersededBy: z.uuid().nullable(),
    recalls: z.strictObject({ count: countField, lastAt: instantOrNull }),
    auditedAt: instantOrNull,
    archivedAt: instantOrNull,
    expiresAt: instantOrNull,
  })
  .meta({
    id: 'MemoryExplanation',
    description: 'How the prominence of a memory came about. Instants in epoch ms.',
  });

export const explainMemory = route({
  operation: 'explainMemory',
  method: 'GET',
  path: '/v1/memories/:id/explain',
  tag: 'memories',
  summary: 'Explain how the prominence of a memory came about',
  role: 'read',
  scope: 'one',
  params: memoryPath,
  query: z.strictObject(ownerOrAnybody),
  answers: {
    200: { description: 'Its parameters, its history and what is ahead of it.', schema: explanationSchema },
  },
  refusals: { 404: ['unknown_memory'], 409: ['ambiguous'] },
});

const changedAnswer = {
  description: 'Prominence before and after, and when it falls below a threshold next.',
  schema: z
    .strictObject({
      tenant: z.string(),
      user: z.string(),
      id: z.uuid(),
      before: shareField,
      after: shareField,
      nextCrossingAt: instantOrNull,
    })
    .meta({ id: 'ProminenceChange', description: 'Prominence before and after. Instants in epoch ms.' }),
};

export const confirmMemory = route({
  operation: 'confirmMemory',
  method: 'POST',
  path: '/v1/memories/:id/confirm',
  tag: 'memories',
  summary: 'Confirm a memory: it rises by three tenths of what is missing to 1, and fades more slowly',
  role: 'write',
  scope: 'one',
  params: memoryPath,
  body: z.strictObject(ownerOrAnybody),
  bodyOptional: true,
  answers: { 200: changedAnswer },
  refusals: { 404: ['unknown_memory'], 409: ['superseded', 'ambiguous'] },
});

const FACTOR = 'expected a number above 0 and below 1';

export const demoteMemory = route({
  operation: 'demoteMemory',
  method: 'POST',
  path: '/v1/memories/:id/demote',
  tag: 'memories',
  summary: 'Demote a memory until it is confirmed or its prominence is set',
  role: 'write',
  scope: 'one',
  params: memoryPath,
  body: z.strictObject({
    ...ownerOrAnybody,
    factor: z
      .number({ error: FACTOR })
      .gt(0, FACTOR)
      .lt(1, FACTOR)
      .describe('What prominence is multiplied by.'),
  }),
  answers: { 200: changedAnswer },
  refusals: { 404: ['unknown_memory'], 409: ['superseded', 'static_profile', 'ambiguous'] },
});

export const setProminence = route({
  operation: 'setProminence',
  method: 'POST',
  path: '/v1/memories/:id/prominence',
  tag: 'memories',
  summary: 'Set the prominence of a memory as of now',
  role: 'write',
  scope: 'one',
  params: memoryPath,
  body: z.strictObject({ ...ownerOrAnybody, value: shareField }),
  answers: { 200: changedAnswer },
  refusals: { 404: ['unknown_memory'], 409: ['superseded', 'static_profile', 'ambiguous'] },
});

export const prominenceRoutes: readonly Route[] = [explainMemory, confirmMemory, demoteMemory, setProminence];
