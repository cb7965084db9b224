import { createHash } from 'node:crypto';
import { categoryField, createMemory, editMemory } from '@slowwave/api';
import { z } from 'zod';
import { shortened } from '../answer.ts';
import { ASK_FIRST, confirmField, dateField, SHOWN_TO_PERSON } from '../fields.ts';
import { askPerson, canAsk } from '../person.ts';
import { type Tool, type ToolCall, ToolRefusal, tool } from '../tool.ts';

/** Of what an assistant writes for itself. */
const ASSISTANT_TRUST = 0.5;

const given = createMemory.body.shape;

const addMemory = tool({
  name: 'add_memory',
  title: 'Add a memory',
  description:
    'Writes down what will matter in a later conversation: one fact, in a full sentence that stands for itself, with names and dates. The same sentence again on the same day is the same memory. Nightly consolidation joins what says the same; do not tidy up yourself.',
  role: 'write',
  hints: { readOnly: false, idempotent: true },
  input: {
    content: given.content,
    category: categoryField.optional().describe('Left out: fact.'),
    importance: given.importance.describe('1 to 10: how much is lost when it is forgotten. Left out: 5.'),
    event_date: dateField.optional().describe('When it happened or will happen.'),
    external_id: given.externalId.describe('An id of your own: the same id again is the same memory.'),
    session: given.session.describe('An id of this conversation, so that it can be forgotten as a whole.'),
    from_user: z
      .boolean()
      .optional()
      .describe(
        'The user said it. Counts only where your token may speak for the user; left out: there, yes.',
      ),
  },
  output: {
    id: z.string(),
    external_id: z.string(),
    status: z.string().describe('known: it stood there before.'),
    origin: z.string(),
  },
  async call(args, { client, user, access }) {
    const { content, category, importance, event_date: eventDate, session } = args;
    const isUsers = access.speaksForUser && (args.from_user ?? true);
    const externalId = args.external_id ?? dailyIdOf(content, category, eventDate);
    const written = await client.createMemory({
      user,
      content,
      externalId,
      ...(isUsers ? { origin: 'user' } : { origin: 'assistant', trust: ASSISTANT_TRUST }), // guard: assistant-origin
      ...(category === undefined ? {} : { category }),
      ...(importance === undefined ? {} : { importance }),
      ...(eventDate === undefined ? {} : { eventDate: Date.parse(eventDate) }),
      ...(session == null ? {} : { session }),
    });
    return {
      id: written.id,
      external_id: written.externalId,
      status: written.status,
      origin: isUsers ? 'user' : 'assistant',
    };
  },
});

/** An assistant that was not sure whether its call arrived repeats it: the same note on the same day has the same id. */
function dailyIdOf(...parts: readonly (string | undefined)[]): string {
  const day = new Date().toISOString().split('T')[0]!;
  return `mcp-${createHash('sha256')
    .update(JSON.stringify([day, ...parts]))
    .digest('hex')
    .slice(0, 32)}`;
}

const updateMemory = tool({
  name: 'update_memory',
  title: 'Correct a memory',
  description:
    'Gives a memory other words, another category or importance: a new version, which can be undone. Read it first, and give its version. What the user said is reworded only after the user was asked; else add a memory that says what is so now.',
  role: 'write',
  hints: { readOnly: false, destructive: true, idempotent: true },
  input: {
    id: z.string().min(1),
    content: editMemory.body.shape.content,
    category: categoryField.optional(),
    importance: editMemory.body.shape.importance,
    expected_version: z.int().describe('The version that get_memory showed.'),
  },
  output: {
    id: z.string(),
    version: z.int(),
    change_set: z.string().nullable().describe('undo_consolidation takes it back; null: nothing changed.'),
    reopened: z.array(z.string()).describe('Memories that stand for themselves again.'),
  },
  async call({ expected_version: expectedVersion, ...edit }, call) {
    const { client, user } = call;
    const words = edit.content === undefined ? null : shortened(edit.content, SHOWN_TO_PERSON).content;
    if (words !== null) {
      const agreed = await personAgrees(call, edit.id, {
        // An assistant rewords what assistants wrote; its words are not to pass for the user's.
        needed: (origin) => origin !== 'assistant', // guard: assistant-rewords
        question: (content) => `Replace “${content}” by “${words}”?`,
        instead: 'Add a memory that says what is so now: both stand, and a contradiction goes to the user.',
      });
      if (agreed !== true) return agreed;
    }
    const { id, version, changeSetId, reopened } = await client.editMemory({
      user,
      expectedVersion,
      ...edit,
      ...call.by,
    });
    return { id, version, change_set: changeSetId, reopened };
  },
});

const confirmMemory = tool({
  name: 'confirm_memory',
  title: 'Confirm a memory',
  description:
    'The user said it again or agreed with it: it becomes more prominent and fades more slowly. Finding a memory useful is no confirmation.',
  role: 'write',
  hints: { readOnly: false, idempotent: false },
  input: { id: z.string().min(1) },
  output: { id: z.string(), prominence_before: z.number(), prominence_after: z.number() },
  async call({ id }, call) {
    const { client, user } = call;
    const agreed = await personAgrees(call, id, {
      // What an assistant wrote is not made more certain by an assistant.
      needed: (origin) => origin === 'assistant', // guard: assistant-confirms
      question: (content) => `Is this true, and worth keeping: “${content}”?`,
      instead: 'The user can confirm it in the dashboard.',
    });
    if (agreed !== true) return agreed;
    const { before, after, ...confirmed } = await client.confirmMemory({ user, id });
    return { id: confirmed.id, prominence_before: before, prominence_after: after };
  },
});

/**
 * Asks the person in front of the host about a memory, where one of such an origin needs their word.
 * @returns true: it may be done; else the question
 * @throws ToolRefusal where the host cannot ask
 */
async function personAgrees(
  call: ToolCall,
  id: string,
  {
    needed,
    question,
    instead,
  }: { needed: (origin: string) => boolean; question: (content: string) => string; instead: string },
) {
  const { client, user, access } = call;
  if (access.speaksForUser) return true;
  const memory = await client.getMemory({ user, id });
  if (!needed(memory.origin)) return true;
  if (canAsk(call)) return askPerson(call, question(shortened(memory.content, SHOWN_TO_PERSON).content));
  throw new ToolRefusal(`not_allowed: this needs the user’s own word, and this host cannot ask. ${instead}`);
}

const deleteMemory = tool({
  name: 'delete_memory',
  title: 'Forget a memory',
  description:
    'Forgets a memory for good, with everything that was made of it: only when the user wants it gone. It cannot be undone. Without confirm the user is asked, or you get the list of what would go.',
  role: 'write',
  hints: { readOnly: false, destructive: true, idempotent: true },
  input: {
    id: z.string().min(1),
    confirm: confirmField,
  },
  output: {
    status: z.enum(['done', 'would']).describe('would: nothing is gone yet.'),
    removed: z.array(z.string()).describe('Ids of the memories that go.'),
    reopened: z.array(z.string()).describe('Memories that stand for themselves again.'),
    next: z.string().optional(),
  },
  async call({ id, confirm }, call) {
    const { client, user } = call;
    const plan = await client.forgetMemory({ user, id, dryRun: true });
    if (!confirm) {
      if (!canAsk(call)) return { ...forgottenOf(plan), next: ASK_FIRST };
      const { content } = await client.getMemory({ user, id });
      const more = plan.removed.memories.length - 1;
      const also = more > 0 ? ` and ${more} more that were made of it or say it again` : '';
      const asked = askPerson(
        call,
        `Forget “${shortened(content, SHOWN_TO_PERSON).content}”${also}, for good?`,
      );
      if (asked !== true) return asked;
    }
    return forgottenOf(await client.forgetMemory({ user, id, ...call.by }));
  },
});

type Forgotten = Awaited<ReturnType<ToolCall['client']['forgetMemory']>>;
const IDS_SHOWN = 50;

const forgottenOf = ({ status, removed, reopened }: Forgotten) => ({
  status,
  removed: removed.memories.slice(0, IDS_SHOWN).map(({ id }) => id),
  reopened: reopened.slice(0, IDS_SHOWN),
});

export const MEMORY_WRITE_TOOLS: readonly Tool[] = [addMemory, updateMemory, confirmMemory, deleteMemory];
