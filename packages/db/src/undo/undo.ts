import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Database, Transaction } from '../database.ts';
import { DatabaseError } from '../errors.ts';
import { owned } from '../fusions/scope.ts';
import { staleFusionsOver } from '../fusions/stale.ts';
import type { ChangeKind } from '../journal.ts';
import { bringBack } from '../memories/upkeep/restore.ts';
import { UndoRefused } from './errors.ts';
import { journalHanging, journalUndo, type SetPair } from './journal-undo.ts';
import { markFusions, markSets, wakeLight } from './ledger.ts';
import { findConcerned } from './locks.ts';
import { findDependents, findObstacles, memoriesOf } from './obstacles.ts';
import { lockAll, pairsOf, refusalOf, refuseWithoutImages, type TakeBackInput } from './pairs.ts';
import { planUndo, type UndoPlan } from './plan.ts';
import { chooseSets, type Direction, type UndoTarget } from './targets.ts';
import { loadTouched } from './touched.ts';
import { removeMemories, writeRows } from './write-rows.ts';

export interface UndoInput {
  tenant: string;
  user: string;
  target: UndoTarget;
  /** Epoch ms. */
  at: number;
  /** Who asks for it, as the caller names them; null for nobody in particular. */
  actor: string | null;
  /** Only tell what would happen. */
  checkOnly?: boolean;
}

export interface UndoResult {
  /** would: nothing was written, since only that was asked. */
  status: 'done' | 'would';
  /** Undoing an undo is a redo, and the other way round. */
  direction: Direction;
  /** What was taken back, or made good again. */
  changeSets: { id: string; kind: ChangeKind; fusionKey: string | null; runId: string | null }[];
  /** Memories that came back, or got earlier values back. */
  restored: string[];
  /** Memories that were taken away. */
  removed: string[];
  /** Relations and conflicts that came, went or changed. */
  relations: number;
  conflicts: number;
  /** Of the undo itself: one for each set that it took back, in their order; the first of them, null when nothing was written. */
  changeSetId: string | null;
  changeSetIds: string[];
}

/** Thrown to roll back what was only tried. */
class Tried extends Error {
  readonly result: UndoResult;
  constructor(result: UndoResult) {
    super('rolled back');
    this.name = 'Tried';
    this.result = result;
  }
}

/**
 * Takes back a fusion, a run or one change set, exact to the row: each column that it wrote gets its earlier value back, what it made is
 * taken away with everything that hangs on it, what it removed comes back. All or nothing, in one transaction of a constant number of
 * statements, and only if nothing that came later stands on it.
 * @throws UndoRefused
 */
export function undo(database: Database, input: UndoInput): Promise<UndoResult> {
  return attempt(database, input, 'undo');
}

/**
 * Takes an undo back: what was undone is as it was before that, together with what went with it. Refused when a source changed since.
 * @throws UndoRefused
 */
export function redo(database: Database, input: UndoInput): Promise<UndoResult> {
  return attempt(database, input, 'redo');
}

async function attempt(database: Database, input: UndoInput, direction: Direction): Promise<UndoResult> {
  try {
    return await database.withTenant(input.tenant, async (tx) => {
      const chosen = await chooseSets(tx, input, input.target, direction);
      const result = await takeBack(tx, { ...input, chosen });
      // Tried out in full: the answer is the one that doing it would have given.
      if (input.checkOnly) {
        throw new Tried({ ...result, status: 'would', changeSetId: null, changeSetIds: [] });
      }
      return result;
    });
  } catch (error) {
    if (error instanceof Tried) return error.result;
    // The schema is the last defence: a name or a pair that something else has by now.
    if (error instanceof DatabaseError && error.code === 'constraint') throw refusalOf([], []);
    throw error;
  }
}

export interface UndoInInput {
  tenant: string;
  user: string;
  target: UndoTarget;
  /** Epoch ms. */
  at: number;
  actor: string | null;
  /** A memory that stays although what is undone made it. */
  exceptMemory?: string | undefined;
  /** The change set that this belongs to: whoever takes that one back takes this back with it. */
  partOf?: string | undefined;
}

/**
 * Undoes inside a transaction that goes on with something else. Rows that the caller needs besides must be locked before.
 * @throws UndoRefused
 */
export async function undoIn(tx: Transaction, input: UndoInInput): Promise<UndoResult> {
  const chosen = await chooseSets(tx, input, input.target, 'undo');
  return takeBack(tx, { ...input, chosen });
}

async function takeBack(tx: Transaction, input: TakeBackInput): Promise<UndoResult> {
  const pairs = await pairsOf(tx, input);
  const targets = pairs.map(({ target }) => target);
  refuseWithoutImages(pairs);

  const { memoryIds, openFusions } = await findConcerned(tx, input, { sets: targets });
  await lockAll(tx, input, pairs, { memoryIds, openFusions }); // guard: undo-locks
  const { asked, along } = await fetchMoved(tx, input, targets);

  const redone = pairs.filter(({ kind }) => kind === 'redo').map(({ root }) => root.id);
  const touched = await loadTouched(tx, { ...input, sets: targets, roots: redone });
  if (touched.length === 0) {
    throw new UndoRefused('nothing_to_undo', 'it changed nothing that could be undone');
  }
  const plan = planUndo(touched, { context: redone.length > 0, exceptMemory: input.exceptMemory });
  await refuseObstacles(tx, input, pairs, plan);

  const affected = memoriesOf(plan);
  // guard: undo-stales
  await staleFusionsOver(tx, input, {
    keys: openFusions,
    memoryIds: [...affected.versioned, ...affected.deleted, ...affected.moved],
  });
  const journal = { ...input, pairs, plan, alsoReturned: along };
  await journalUndo(tx, journal);
  await writeRows(tx, input, plan);
  const hanging = await journalHanging(tx, journal);
  await removeMemories(tx, input, plan);
  await markFusions(tx, { ...input, pairs });
  await markSets(tx, { ...input, pairs });
  await wakeLight(tx, input);
  const fetched = [...asked, ...along.map(({ id }) => id)];
  return resultOf({ direction: input.chosen.direction, pairs, plan, hanging, fetched });
}

/**
 * Fetches from the cold table what the change sets moved there; the rest of the undo finds it where it was.
 * @returns what was asked for, and what came along without having been moved by these change sets
 */
async function fetchMoved(
  tx: Transaction,
  input: TakeBackInput,
  targets: readonly string[],
): Promise<{ asked: string[]; along: { id: string; set: string }[] }> {
  const moved = await tx.rows<{ id: string; set: string }>(sql`
    select c.row_key->>'id' as id, min(c.change_set_id::text) as "set" from slowwave.changes c
    where ${owned(input, 'c')} and c.change_set_id = any(${uuidArray(targets)}) and c.table_name = 'memories'
      and not coalesce(c.before, c.after) ? 'content' and (c.before is null or c.after is null)
    group by 1
    having sum(case when c.after is null then 1 else -1 end) > 0
    order by 1`);
  if (moved.length === 0) return { asked: [], along: [] };
  const asked = moved.map(({ id }) => id);
  const returned = await bringBack(tx, { ...input, ids: asked }, null);
  const along = returned.filter((id) => !asked.includes(id)).map((id) => ({ id, set: moved[0]!.set }));
  return { asked, along };
}

async function refuseObstacles(
  tx: Transaction,
  { tenant, user }: TakeBackInput,
  pairs: readonly SetPair[],
  plan: UndoPlan,
): Promise<void> {
  const of = {
    tenant,
    user,
    targets: pairs.map(({ target }) => target),
    roots: pairs.map(({ root }) => root),
    redone: pairs.flatMap(({ kind, root }) =>
      kind === 'redo' && root.fusionKey !== null ? [root.fusionKey] : [],
    ),
  };
  const obstacles = await findObstacles(tx, of, plan);
  if (obstacles.length === 0) return; // guard: undo-obstacles
  const dependents = await findDependents(tx, of, obstacles);
  throw refusalOf(dependents, [...new Set(obstacles.map(({ id }) => id))]);
}

function resultOf({
  direction,
  pairs,
  plan,
  hanging,
  fetched,
}: {
  direction: Direction;
  pairs: readonly SetPair[];
  plan: UndoPlan;
  hanging: { relations: number; conflicts: number };
  fetched: readonly string[];
}): UndoResult {
  const { updated, inserted, deleted, moved } = memoriesOf(plan);
  const count = (table: string) =>
    [...plan.inserts, ...plan.updates, ...plan.deletes].filter((row) => row.table === table).length;
  return {
    status: 'done',
    direction,
    changeSets: pairs.map(({ root: { id, kind, fusionKey, runId } }) => ({ id, kind, fusionKey, runId })),
    restored: [...new Set([...inserted, ...updated, ...fetched])],
    removed: [...deleted, ...moved],
    relations: count('relations') + hanging.relations,
    conflicts: count('conflicts') + hanging.conflicts,
    changeSetId: pairs[0]?.id ?? null,
    changeSetIds: pairs.map(({ id }) => id),
  };
}
