import { z } from 'zod';
import { timeOf } from '../answer.ts';
import { ASK_FIRST, confirmField, cursorField, dateField } from '../fields.ts';
import { askPerson, canAsk } from '../person.ts';
import { fitting, type Tool, type ToolCall, ToolRefusal, tool } from '../tool.ts';

const LIST_MAX = 100;

const listChanges = tool({
  name: 'list_changes',
  title: 'List changes',
  description:
    'What was changed of the user’s memories and by whom, the newest first, one line each: fusions, edits, settled contradictions, undone ones. undo_consolidation takes each back by its change_set.',
  role: 'read',
  hints: { readOnly: true, idempotent: true },
  input: {
    since: dateField.optional().describe('Only from then on.'),
    cursor: cursorField,
    limit: z.int().min(1).max(LIST_MAX).default(20),
  },
  output: {
    changes: z.array(
      z.object({
        change_set: z.string(),
        at: z.string(),
        kind: z.string(),
        by: z.string().nullable().describe('Null: consolidation.'),
        run_id: z.string().nullable(),
        fusion_key: z.string().nullable(),
        memories: z.int(),
        undone: z.boolean(),
      }),
    ),
    next_cursor: z.string().nullable(),
  },
  nothingYet: { changes: [], next_cursor: null },
  call: ({ since: from, cursor, limit }, { client, user }) =>
    fitting(limit, async (most) => {
      const page = await client.listChangeSets({
        user,
        limit: most,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const asked = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
      const kept = page.changeSets.filter(({ createdAt }) => createdAt >= asked);
      return {
        changes: kept.map(({ id, createdAt, kind, actor, runId, fusionKey, counts, undoneBy }) => ({
          change_set: id,
          at: timeOf(createdAt),
          kind,
          by: actor,
          run_id: runId,
          fusion_key: fusionKey,
          memories: counts.memories,
          undone: undoneBy !== null,
        })),
        next_cursor: kept.length < page.changeSets.length ? null : page.nextCursor,
      };
    }),
});

const undoConsolidation = tool({
  name: 'undo_consolidation',
  title: 'Undo a change',
  description:
    'Takes back, exact to the row, what a run, one fusion or one change set did: give one of the three. Without confirm the user is asked, or you get what would come back. Undoing an undo makes it good again.',
  role: 'write',
  hints: { readOnly: false, destructive: true, idempotent: true },
  input: {
    run_id: z.uuid('expected a run_id').optional(),
    fusion_key: z.string().min(1).optional(),
    change_set: z.uuid('expected a change_set').optional(),
    confirm: confirmField,
  },
  output: {
    status: z.enum(['done', 'would']).describe('would: nothing was written yet.'),
    restored: z.int().describe('Memories that come back, or get earlier values back.'),
    removed: z.int().describe('Memories that are taken away.'),
    change_sets: z.array(z.string()).describe('Of this undo: by these it can be undone.'),
    next: z.string().optional(),
  },
  async call({ run_id: run, fusion_key: fusion, change_set: changeSet, confirm }, call) {
    const { client, user } = call;
    const undo = (dryRun: boolean) => {
      if (run !== undefined) return client.undoRun({ user, id: run, dryRun, ...call.by });
      if (fusion !== undefined) return client.undoFusion({ user, key: fusion, dryRun, ...call.by });
      return client.undoChangeSet({ user, id: changeSet!, dryRun, ...call.by });
    };
    if ([run, fusion, changeSet].filter((given) => given !== undefined).length !== 1) {
      throw new ToolRefusal('invalid_request: give one of run_id, fusion_key and change_set.');
    }
    if (!confirm) {
      const plan = await undo(true);
      if (!canAsk(call)) return { ...undoneOf(plan), next: ASK_FIRST };
      const [back, away] = [plan.restored.length, plan.removed.length];
      const asked = askPerson(call, `Undo: ${back} memories come back, and ${away} are taken away?`);
      if (asked !== true) return asked;
    }
    return undoneOf(await undo(false));
  },
});

type Undone = Awaited<ReturnType<ToolCall['client']['undoRun']>>;
const SETS_SHOWN = 50;

const undoneOf = ({ status, restored, removed, changeSetIds }: Undone) => ({
  status,
  restored: restored.length,
  removed: removed.length,
  change_sets: changeSetIds.slice(0, SETS_SHOWN),
});

export const CHANGE_TOOLS: readonly Tool[] = [listChanges, undoConsolidation];
