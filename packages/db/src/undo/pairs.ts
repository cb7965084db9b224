import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { type Dependent, UndoRefused } from './errors.ts';
import type { SetPair } from './journal-undo.ts';
import { listForgotten, lockRows } from './locks.ts';
import { asItStands, type Chosen, listLinked, lockSets } from './targets.ts';

export interface TakeBackInput {
  tenant: string;
  user: string;
  at: number;
  actor: string | null;
  chosen: Chosen;
  exceptMemory?: string | undefined;
  partOf?: string | undefined;
}

/** Every change set that is taken back, with the one that will do it; what belongs to an edit goes with the edit. */
export async function pairsOf(tx: Transaction, input: TakeBackInput): Promise<SetPair[]> {
  const { direction, roots } = input.chosen;
  const main = roots.map(
    (root): SetPair => ({
      root,
      target: direction === 'undo' ? root.id : root.undoneBy!,
      id: newId(input.at),
      kind: direction,
      partOf: input.partOf ?? root.runId,
    }),
  );
  // A redone edit stands again itself, so that what it undoes once more belongs to it as before.
  const byTarget = new Map(main.map((pair) => [pair.target, pair.kind === 'redo' ? pair.root.id : pair.id]));
  const linked = await listLinked(tx, input, [...byTarget.keys()]);
  const parts = linked.map(
    ({ id, kind, partOf, root }): SetPair => ({
      root,
      target: id,
      id: newId(input.at),
      kind: kind === 'undo' ? 'redo' : 'undo',
      partOf: byTarget.get(partOf) ?? null,
    }),
  );
  return [...main, ...parts];
}

export function refuseWithoutImages(pairs: readonly SetPair[]): void {
  if (pairs.some(({ root }) => root.kind === 'forget')) throw forgotten();
  if (pairs.some(({ root }) => root.imagesDropped)) throw withoutImages();
}

const forgotten = () =>
  new UndoRefused('forgotten', 'something in it was forgotten on request, and does not come back');

export const withoutImages = () =>
  new UndoRefused(
    'images_dropped',
    'the journal no longer holds how it was before: it was too long ago, or something in it was forgotten',
  );

/** Ledger rows, then memories, then the change sets: whoever came first has changed what is looked at now. */
export async function lockAll(
  tx: Transaction,
  input: TakeBackInput,
  pairs: readonly SetPair[],
  concerned: { memoryIds: readonly string[]; openFusions: readonly string[] },
): Promise<void> {
  const own = pairs.flatMap(({ root }) => (root.fusionKey === null ? [] : [root.fusionKey]));
  const { fusions } = await lockRows(tx, input, {
    fusionKeys: [...own, ...concerned.openFusions],
    memoryIds: concerned.memoryIds,
  });
  if (own.some((key) => fusions.get(key) === 'forgotten')) throw forgotten();
  const ids = pairs.flatMap(({ root, target }) => [root.id, target]);
  const locked = new Map((await lockSets(tx, input, [...new Set(ids)])).map((set) => [set.id, set]));
  for (const { root, target } of pairs) {
    if (locked.get(root.id)?.undoneBy !== root.undoneBy) throw asItStands(input.chosen.direction);
    if (locked.get(target)?.imagesDropped !== false) throw withoutImages();
  }
  if ((await listForgotten(tx, input, concerned.memoryIds)).length > 0) throw forgotten();
}

/** What stands in the way, and what to undo first. */
export function refusalOf(dependents: Dependent[], memoryIds: string[]): UndoRefused {
  const named = dependents
    .slice(0, 5)
    .map(({ kind, fusionKey, changeSetId }) => `${kind} ${fusionKey ?? changeSetId}`)
    .join(', ');
  const more = dependents.length > 5 ? ` and ${dependents.length - 5} more` : '';
  const message =
    dependents.length > 0
      ? `later changes stand on it; undo these first: ${named}${more}`
      : 'what it changed is no longer as it left it, so it cannot be taken back exactly';
  return new UndoRefused('depends', message, { dependents, memoryIds });
}
