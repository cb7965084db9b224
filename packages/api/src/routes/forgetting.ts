import { z } from 'zod';
import { idField, ownerFields, tenantField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { countField, memoryPath } from './memory-fields.ts';

const commonFields = {
  dryRun: z
    .boolean({ error: 'expected true or false' })
    .default(false)
    .describe('Tells what would go, and writes nothing.'),
  by: idField.optional().describe('Who asks for it, for the journal. Left out: the name of the token.'),
};

const removedSchema = z
  .strictObject({
    memories: z.array(
      z.strictObject({ id: z.uuid(), why: z.enum(['asked', 'session', 'duplicate', 'derived', 'user']) }),
    ),
    relations: countField,
    conflicts: countField,
    embeddings: countField,
    neighbours: countField,
    sessions: countField,
    messages: countField,
    summaries: countField,
    answers: countField,
    fusions: countField,
    recallEvents: countField,
    images: countField,
    changeSets: countField,
    verdicts: countField,
    feedback: countField,
    profiles: countField,
    workspaces: z
      .strictObject({ blocks: countField, lines: countField, documents: countField, versions: countField })
      .optional(),
    tables: z
      .record(z.string(), countField)
      .optional()
      .describe('Of a user: rows of every table, by its name.'),
  })
  .describe('What went, in rows unless said otherwise.');

const forgottenAnswer = {
  description: 'What went, or would go, and what stands for itself again.',
  schema: z
    .strictObject({
      tenant: z.string(),
      user: z.string(),
      status: z.enum(['done', 'would']),
      removed: removedSchema,
      reopened: z.array(z.uuid()).describe('Memories that are latest again, since what stood for them went.'),
      mentions: z
        .strictObject({
          memories: z.array(z.uuid()),
          scheduledItems: z.array(z.uuid()),
          goals: z.array(z.uuid()),
          documents: z.array(z.strictObject({ workspace: z.string(), path: z.string() })).optional(),
        })
        .describe('What still says it in somebody’s own words, and stays: for people to look at.'),
      changeSetId: z
        .uuid()
        .nullable()
        .describe('The entry of the journal; null for a user, and when nothing was written.'),
    })
    .meta({ id: 'ForgetResult', description: 'What went, or would go, and what stands for itself again.' }),
};

export const forgetMemory = route({
  operation: 'forgetMemory',
  method: 'POST',
  path: '/v1/memories/:id/forget',
  tag: 'memories',
  summary: 'Forget a memory and all that was made of it, for good',
  role: 'write',
  scope: 'one',
  params: memoryPath,
  body: z.strictObject({ ...ownerFields, ...commonFields }),
  answers: { 200: forgottenAnswer },
  refusals: { 404: ['unknown_memory', 'unknown_user'], 503: ['busy'] },
});

export const forgetSession = route({
  operation: 'forgetSession',
  method: 'POST',
  path: '/v1/sessions/:id/forget',
  tag: 'memories',
  summary: 'Forget a conversation: all that was said in it and all that was made of it, for good',
  role: 'write',
  scope: 'one',
  params: z.object({ id: idField.describe('The writer’s id of the session.') }),
  body: z.strictObject({ ...ownerFields, ...commonFields }),
  answers: { 200: forgottenAnswer },
  refusals: { 404: ['unknown_session', 'unknown_user'], 503: ['busy'] },
});

export const forgetUser = route({
  operation: 'forgetUser',
  method: 'POST',
  path: '/v1/users/:user/forget',
  tag: 'users',
  summary: 'Forget a user and everything about them, for good',
  role: 'write',
  scope: 'one',
  params: z.object({ user: idField }),
  body: z.strictObject({
    tenant: tenantField,
    ...commonFields,
    confirm: idField.optional().describe('The user once more; needed unless dryRun is true.'),
  }),
  bodyOptional: true,
  answers: { 200: forgottenAnswer },
  refusals: { 404: ['unknown_user'], 409: ['not_confirmed'], 503: ['busy'] },
});

export const forgettingRoutes: readonly Route[] = [forgetMemory, forgetSession, forgetUser];
