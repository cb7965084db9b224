import { z } from 'zod';
import { idField, ownerFields } from '../fields.ts';
import { changeKindField } from './memory-fields.ts';

/** What taking something back, and making it good again, has in common whatever it is. */
export const undoBody = z.strictObject({
  ...ownerFields,
  dryRun: z
    .boolean({ error: 'expected true or false' })
    .default(false)
    .describe('Only tell what would happen.'),
  by: idField.optional().describe('Who asks for it, for whoever reads the journal; left out: the caller.'),
});

export const undoSchema = z
  .strictObject({
    tenant: z.string(),
    user: z.string(),
    status: z.enum(['done', 'would']).describe('would: nothing was written, since only that was asked.'),
    direction: z.enum(['undo', 'redo']).describe('Undoing an undo is a redo, and the other way round.'),
    changeSets: z
      .array(
        z.strictObject({
          id: z.uuid(),
          kind: changeKindField,
          fusionKey: z.string().nullable(),
          runId: z.uuid().nullable(),
        }),
      )
      .describe('What was taken back, or made good again.'),
    restored: z.array(z.uuid()).describe('Memories that came back, or got earlier values back.'),
    removed: z.array(z.uuid()).describe('Memories that were taken away.'),
    relations: z.int(),
    conflicts: z.int(),
    changeSetId: z.uuid().nullable().describe('Of this undo; null when nothing was written.'),
    changeSetIds: z.array(z.uuid()).describe('One for each change set that was taken back.'),
  })
  .meta({ id: 'UndoResult', description: 'What was taken back, or made good again, exact to the row.' });

export const undoRefusals = {
  404: ['unknown_change'],
  409: ['already_undone', 'not_undone', 'depends', 'images_dropped', 'forgotten', 'nothing_to_undo'],
} as const;

export const undoDescription =
  'All or nothing, and only if nothing that came later stands on it: then 409 "depends" names what to undo first.';
