import { CATEGORIES, ORIGINS } from '@slowwave/fusion';
import type { Transaction } from '../database.ts';
import { stableId } from '../ids.ts';
import { DEFAULT_IMPORT_LIMITS } from '../import/limits.ts';
import {
  InputError,
  requireName,
  requireNumber,
  requireText,
  requireTime,
  requireWord,
} from '../input-error.ts';
import { insertMemories, type NewMemory } from '../memories/insert.ts';
import { markLightDue } from '../scheduling/settings.ts';
import { type BlockLook, lookAtBlocks } from './block-look.ts';
import { blockNameOf } from './block-marks.ts';
import { replaceMemories } from './block-replace.ts';
import type { BlockInput, BlockOutcome, NewBlock, NotesDay } from './block-types.ts';
import { unshelve } from './blocks-gone.ts';
import { lockWorkspace, requireKey, requirePath, type WorkspaceKey } from './key.ts';
import { type BlockRecord, requireBlocks, storeBlocks } from './ledger.ts';

/**
 * Makes memories of blocks of one file and writes the ledger, in the caller's transaction. What the ledger knows, and what a latest memory
 * of the user says already (for the notes of a day: on that day), is not written again; what was forgotten never is. A block that was removed and stands there again brings its
 * memory back. Where a block takes the place of another one, the memory of that one is superseded, journalled as an edit; a fusion that
 * stands for it is undone for that, as an edit by hand would.
 * @returns what became of each block, in the order in which they were given
 * @throws WorkspaceRefused `unknown_workspace`; InputError
 */
export async function importBlocks(
  tx: Transaction,
  key: WorkspaceKey,
  input: BlockInput & { blocks: readonly NewBlock[] },
): Promise<BlockOutcome[]> {
  requireImport(key, input);
  const { path, blocks, at } = input;
  if (blocks.length === 0) return [];
  await lockWorkspace(tx, key);
  const looks = await lookAtBlocks(tx, key, path, blocks);
  const plan = planBlocks(key, input, looks);
  if (plan.memories.length > 0) {
    await insertMemories(tx, { tenant: key.tenant, memories: plan.memories, at });
    await markLightDue(tx, key.tenant, [key.user], at);
  }
  await unshelve(tx, key, input, plan.shelved);
  await storeBlocks(tx, key, { path, at, blocks: plan.records });
  const superseded = await replaceMemories(tx, key, input, plan.replaced);
  return plan.outcomes.map((outcome) => ({
    ...outcome,
    superseded: superseded.get(outcome.memoryId ?? '') ?? null,
  }));
}

interface BlockPlan {
  memories: NewMemory[];
  records: BlockRecord[];
  outcomes: Omit<BlockOutcome, 'superseded'>[];
  /** Memories that a removal had archived. */
  shelved: string[];
  replaced: { old: string; by: string }[];
}

function planBlocks(
  key: WorkspaceKey,
  input: BlockInput & { blocks: readonly NewBlock[] },
  looks: readonly BlockLook[],
): BlockPlan {
  const plan: BlockPlan = { memories: [], records: [], outcomes: [], shelved: [], replaced: [] };
  const byText = new Map<string, string>();
  input.blocks.forEach((block, i) => {
    const { blockHash, occurrence, replaces } = block;
    const look = looks[i]!;
    const { state, memoryId } = look.forgotten
      ? ({ state: 'forgotten', memoryId: null } as const)
      : standing(look, byText.get(block.content) ?? null, plan);
    const id = memoryId ?? (state === 'imported' ? planMemory(key, input, block, look, plan) : null);
    if (id !== null) byText.set(block.content, id);
    plan.outcomes.push({
      blockHash,
      occurrence,
      state: state === 'imported' && memoryId !== null ? 'known' : state,
      memoryId: id,
    });
    plan.records.push({ blockHash, occurrence, state, memoryId: id });
    if (!replaces) return;
    plan.records.push({ ...replaces, state: 'gone', replacedBy: blockHash });
    if (id !== null && look.replaced !== null && look.replaced !== id)
      plan.replaced.push({ old: look.replaced, by: id });
  });
  // A block that one edit removed and another one brought back stands.
  const given = new Set(input.blocks.map(({ blockHash, occurrence }) => `${blockHash} ${occurrence}`));
  plan.records = plan.records.filter(
    ({ state, blockHash, occurrence }) => state !== 'gone' || !given.has(`${blockHash} ${occurrence}`),
  );
  return plan;
}

/** What the ledger is to say, and the memory that there is already; null when one is to be made. */
function standing(
  look: BlockLook,
  sameText: string | null,
  plan: BlockPlan,
): { state: 'imported' | 'known'; memoryId: string | null } {
  if ((look.state === 'imported' || look.state === 'known') && look.memoryId !== null)
    return { state: look.state, memoryId: look.memoryId };
  if (look.state === 'gone' && look.shelved && look.memoryId !== null) {
    plan.shelved.push(look.memoryId);
    return { state: 'imported', memoryId: look.memoryId };
  }
  const known = look.known ?? sameText;
  if (known === null && look.aside !== null) {
    plan.shelved.push(look.aside);
    return { state: 'imported', memoryId: look.aside };
  }
  return known === null ? { state: 'imported', memoryId: null } : { state: 'known', memoryId: known };
}

function planMemory(
  key: WorkspaceKey,
  input: BlockInput,
  block: NewBlock,
  look: BlockLook,
  plan: BlockPlan,
): string {
  const name = blockNameOf(key.workspace, block.blockHash, block.day?.date);
  const taken = look.named || plan.memories.some(({ externalId }) => externalId === name);
  // What was said before and then put otherwise is said anew.
  const externalId = taken ? `${name}:${input.at}:${plan.memories.length}` : name;
  plan.memories.push({
    user: key.user,
    externalId,
    content: block.content,
    category: block.category,
    memoryType: 'regular',
    importance: block.importance ?? 5,
    confidence: block.confidence ?? 0.8,
    trust: block.trust ?? 0.8,
    origin: block.origin,
    visibility: 'private',
    workspace: key.workspace,
    session: null,
    learnedFrom: 'import',
    documentDate: block.documentDate,
    eventDate: block.eventDate ?? null,
    validFrom: null,
    validTo: null,
    expiresAt: null,
    metadata: block.metadata ?? {},
  });
  return stableId(block.documentDate, key.tenant, key.user, externalId);
}

function requireDay({ date, from, to }: NotesDay, field: string): void {
  requireTime(from, `${field}.from`);
  requireTime(to, `${field}.to`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date))
    throw new InputError('invalid_text', `${field}.date`, 'date must be a day, YYYY-MM-DD');
}

function requireImport(key: WorkspaceKey, input: BlockInput & { blocks: readonly NewBlock[] }): void {
  requireKey(key);
  requirePath(input.path);
  requireTime(input.at, 'at');
  requireName(input.actor, 'actor');
  requireBlocks(input.blocks);
  input.blocks.forEach((block, i) => {
    const field = (name: string): string => `blocks[${i}].${name}`;
    requireText(block.content, field('content'), DEFAULT_IMPORT_LIMITS.contentChars);
    requireWord(block.category, field('category'), CATEGORIES);
    requireWord(block.origin, field('origin'), ORIGINS);
    requireTime(block.documentDate, field('documentDate'));
    requireTime(block.eventDate, field('eventDate'));
    requireNumber(block.importance ?? 5, field('importance'), { min: 1, max: 10, whole: true });
    requireNumber(block.confidence ?? 0.8, field('confidence'), { min: 0, max: 1 });
    requireNumber(block.trust ?? 0.8, field('trust'), { min: 0, max: 1 });
    if (block.replaces) requireBlocks([block.replaces]);
    if (block.day) requireDay(block.day, field('day'));
  });
}
