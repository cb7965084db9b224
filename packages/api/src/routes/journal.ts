import { z } from 'zod';
import { idField, nextCursorField, ownerFields, pageFields, tenantField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { changeKindField } from './memory-fields.ts';
import { undoBody, undoDescription, undoRefusals, undoSchema } from './undo-fields.ts';

const CHANGE_SETS_PAGE_MAX = 200;
const shared = { tag: 'runs', scope: 'one' } as const;

const changeSetFields = {
  id: z.uuid(),
  kind: changeKindField,
  actor: z.string().nullable().describe('Who asked for it; null for the tiers themselves.'),
  runId: z.uuid().nullable(),
  fusionKey: z.string().nullable(),
  createdAt: z.number(),
  undoes: z.uuid().nullable().describe('The change set that this one took back.'),
  undoneBy: z.uuid().nullable().describe('The change set that took this one back; null while it stands.'),
  imagesDroppedAt: z.number().nullable().describe('From then on it cannot be undone or redone.'),
  counts: z
    .strictObject({ memories: z.int(), relations: z.int(), conflicts: z.int() })
    .describe('Rows that the journal still holds images of.'),
};

export const listChangeSetsRoute = route({
  ...shared,
  operation: 'listChangeSets',
  method: 'GET',
  path: '/v1/users/:user/change-sets',
  summary: 'List what was changed of a user’s memories, newest first',
  role: 'read',
  params: z.object({ user: idField }),
  query: z.strictObject({
    tenant: tenantField,
    ...pageFields(CHANGE_SETS_PAGE_MAX),
    before: idField.optional().describe('The last entry of the page before; cursor does the same.'),
    run: idField.optional().describe('Only of this run.'),
    fusion: idField.optional().describe('Only of this fusion.'),
    memory: idField.optional().describe('Only what touched this memory: our id, or the writer’s own.'),
  }),
  answers: {
    200: {
      description: 'One page.',
      schema: z.strictObject({
        tenant: z.string(),
        user: z.string(),
        changeSets: z.array(
          z
            .strictObject(changeSetFields)
            .meta({ id: 'ChangeSet', description: 'One entry of the journal: what one commit changed.' }),
        ),
        nextCursor: nextCursorField,
      }),
    },
  },
  refusals: { 404: ['unknown_user'] },
});

const setPath = z.object({ id: idField.describe('The change set’s id.') });

export const readChangeSetRoute = route({
  ...shared,
  operation: 'readChangeSet',
  method: 'GET',
  path: '/v1/change-sets/:id',
  summary: 'Read one change set, row by row',
  role: 'read',
  params: setPath,
  query: z.strictObject(ownerFields),
  answers: {
    200: {
      description: 'The change set.',
      schema: z.strictObject({
        tenant: z.string(),
        user: z.string(),
        ...changeSetFields,
        rows: z.array(
          z.strictObject({
            table: z.enum(['memories', 'relations', 'conflicts']),
            key: z.record(z.string(), z.string()),
            how: z.enum(['added', 'changed', 'removed']),
            columns: z
              .record(
                z.string(),
                z.strictObject({ before: z.unknown().optional(), after: z.unknown().optional() }),
              )
              .describe('The columns that differ, by name.'),
          }),
        ),
      }),
    },
  },
  refusals: { 404: ['unknown_change'] },
});

const undone = {
  ...shared,
  method: 'POST',
  role: 'write',
  description: undoDescription,
  params: setPath,
  body: undoBody,
  refusals: undoRefusals,
} as const;

export const undoChangeSetRoute = route({
  ...undone,
  operation: 'undoChangeSet',
  path: '/v1/change-sets/:id/undo',
  summary: 'Take one change set back',
  answers: { 200: { description: 'Taken back.', schema: undoSchema } },
});

export const redoChangeSetRoute = route({
  ...undone,
  operation: 'redoChangeSet',
  path: '/v1/change-sets/:id/redo',
  summary: 'Make a change set good again that was undone',
  answers: { 200: { description: 'Made good again.', schema: undoSchema } },
});

export const journalRoutes: readonly Route[] = [
  listChangeSetsRoute,
  readChangeSetRoute,
  undoChangeSetRoute,
  redoChangeSetRoute,
];
