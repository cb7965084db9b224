import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { UndoRefused } from '../undo/errors.ts';
import { findConcerned, lockRows } from '../undo/locks.ts';
import { findDependents } from '../undo/obstacles.ts';
import { withoutImages } from '../undo/pairs.ts';
import { lockSets } from '../undo/targets.ts';
import { type UndoResult, undoIn } from '../undo/undo.ts';
import { EditRefused, type EditRefusedCode } from './errors.ts';
import type { EditInput } from './input.ts';
import { type Editable, readEditable } from './read.ts';

/** What an edit had to take back before it could be made. */
export interface Freed {
  /** The fusion or merge that was undone first. */
  undoneFusion: string | null;
  /** Memories that are latest again. */
  reopened: string[];
  /** Open fusions that count on the memory. */
  openFusions: string[];
}

/** Someone else changed the memory every time it was looked at. */
const LOOKS_MAX = 5;

/**
 * Locks a memory with everything that an edit of it may have to take back, in the order in which a commit does.
 * @returns the memory as it is now; undefined when it is gone
 */
export async function lockEditable(
  tx: Transaction,
  input: EditInput,
): Promise<{ memory: Editable; openFusions: string[] } | undefined> {
  let seen = await readEditable(tx, input);
  for (let look = 0; seen && look < LOOKS_MAX; look++) {
    const keys = [...seen.again, ...(seen.holder === null ? [] : [seen.holder]), ...seen.made];
    const sets = [...(await listSets(tx, input, keys)), ...seen.subsumed];
    const { memoryIds, openFusions } = await findConcerned(tx, input, { sets, more: [seen.id] });
    await lockRows(tx, input, { fusionKeys: [...keys, ...openFusions], memoryIds });
    const now = await readEditable(tx, { ...input, id: seen.id });
    if (now && JSON.stringify(now) === JSON.stringify(seen)) return { memory: now, openFusions };
    seen = now;
  }
  return seen && { memory: seen, openFusions: [] };
}

async function listSets(
  tx: Transaction,
  of: { tenant: string; user: string },
  keys: readonly string[],
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(sql`
    select id from slowwave.change_sets
    where ${owned(of)} and fusion_key = any(${`{${keys.join(',')}}`}::text[]) and kind in ('fusion', 'merge') and undone_by is null`);
  return rows.map(({ id }) => id);
}

/**
 * Makes a locked memory one that says something for itself alone: what superseded it is undone, and, when it is to say something else, what
 * it stands for is latest again.
 * @param edit.said it changes what the memory says, or when that is true
 * @param edit.changeSet of the edit: whoever takes that back makes good again what was undone for it
 * @throws EditRefused
 */
export async function freeMemory(
  tx: Transaction,
  input: EditInput,
  memory: Editable,
  { said, changeSet: partOf }: { said: boolean; changeSet: string },
): Promise<Omit<Freed, 'openFusions'>> {
  const undone: { key: string | null; result: UndoResult }[] = [];
  if (memory.memoryType === 'superseded') {
    if (memory.holder === null) throw await notByFusion(tx, input, memory);
    for (const key of [...memory.again, memory.holder]) {
      const result = await undoOr(tx, { ...input, partOf }, memory, 'superseded', { fusion: key });
      undone.push({ key, result });
    }
  }
  if (said) {
    for (const key of memory.made) {
      undone.push({
        key,
        result: await undoOr(tx, { ...input, partOf }, memory, 'derived', { fusion: key }),
      });
    }
    for (const changeSet of memory.subsumed) {
      undone.push({
        key: null,
        result: await undoOr(tx, { ...input, partOf }, memory, 'derived', { changeSet }),
      });
    }
  }
  const reopened = new Set(undone.flatMap(({ result }) => result.restored));
  reopened.delete(memory.id);
  // What was said again is undone for the sake of the fusion after it.
  const keys = undone.flatMap(({ key }) => (key === null || memory.again.includes(key) ? [] : [key]));
  return { undoneFusion: keys[0] ?? null, reopened: [...reopened] };
}

async function undoOr(
  tx: Transaction,
  input: EditInput & { partOf: string },
  memory: Editable,
  code: EditRefusedCode,
  target: { fusion: string } | { changeSet: string },
): Promise<UndoResult> {
  const { tenant, user, at, actor, partOf } = input;
  try {
    return await undoIn(tx, { tenant, user, at, actor, target, partOf, exceptMemory: memory.id });
  } catch (error) {
    throw error instanceof UndoRefused ? refused(memory, code, error) : error;
  }
}

function refused(memory: Editable, code: EditRefusedCode, why: UndoRefused): EditRefused {
  const what = code === 'superseded' ? 'another memory stands for it' : 'it stands for other memories';
  return new EditRefused(code, memory.id, `${what}, and that cannot be undone: ${why.message}`, {
    why: why.code,
    dependents: why.dependents,
  });
}

/** It lost a conflict, or a writer said so: there is no fusion to undo, and whoever decided it may undo that. */
async function notByFusion(tx: Transaction, input: EditInput, memory: Editable): Promise<EditRefused> {
  const of = { tenant: input.tenant, user: input.user, targets: [], roots: [], redone: [] };
  const dependents = await findDependents(tx, of, [
    { id: memory.id, columns: ['superseded_by'], fusionKey: null },
  ]);
  const sets = await lockSets(
    tx,
    input,
    dependents.map(({ changeSetId }) => changeSetId),
  );
  if (sets.some(({ imagesDropped }) => imagesDropped)) {
    return refused(memory, 'superseded', withoutImages());
  }
  return new EditRefused(
    'superseded',
    memory.id,
    `the memory was superseded by ${memory.supersededBy}: edit that one, or undo what superseded it`,
    { dependents },
  );
}
