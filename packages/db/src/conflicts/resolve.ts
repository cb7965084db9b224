import { BOTH_RETAINED, type ConflictSide } from '@slowwave/fusion';
import type { Database, Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { requireName, requireText, requireWord } from '../input-error.ts';
import { CONFLICT_CHOICES } from '../words.ts';
import type { Owner, StoredPair } from './columns.ts';
import { ConflictRefused } from './errors.ts';
import { lockPairs } from './lock.ts';
import { requireUuid } from './require-uuid.ts';
import { type Settlement, settleConflicts } from './settle.ts';

export { CONFLICT_CHOICES };

export type ConflictChoice = (typeof CONFLICT_CHOICES)[number];
export const RESOLUTION_CHARS_MAX = 1_000;

export interface ResolveInput extends Owner {
  /** Of the conflict. */
  id: string;
  resolution: { keep: ConflictChoice; note?: string | undefined };
  /** Which person, as the caller names them. */
  by: string | null;
  /** Epoch ms. */
  at: number;
}

export interface ResolvedConflict {
  id: string;
  /** The memory that stands, and the one that it superseded; null when both stand. */
  winner: string | null;
  loser: string | null;
  resolution: string;
  /** By which it can be taken back. */
  changeSetId: string;
}

/**
 * Settles a conflict as a person decides, in one transaction: the loser gets a `validTo` and is superseded by the winner with a relation
 * UPDATES, or both stay. Journalled, so that it can be taken back. Needs no hold on the user: a run that works on one of the two meanwhile
 * finds its fusion stale.
 *
 * @throws ConflictRefused `unknown`, `already_resolved`, `stale` when one of the two was superseded or edited since; InputError
 */
export function resolveConflict(database: Database, input: ResolveInput): Promise<ResolvedConflict> {
  return database.withTenant(input.tenant, (tx) => resolveConflictIn(tx, input));
}

/** The same inside of a transaction. */
export async function resolveConflictIn(tx: Transaction, input: ResolveInput): Promise<ResolvedConflict> {
  const { tenant, user, at, by } = input;
  const { keep, note } = input.resolution;
  requireUuid(input.id, 'id');
  requireWord(keep, 'keep', CONFLICT_CHOICES);
  requireText(note, 'note', RESOLUTION_CHARS_MAX);
  requireName(by, 'by');
  const pair = await lockUnresolved(tx, input);
  const [winner, loser] = sidesOf(pair, keep);
  const resolution = note ?? (winner ? `kept ${winner.id}` : BOTH_RETAINED);
  const changeSet = newId(at);
  const settlement: Settlement = {
    id: pair.id,
    status: 'resolved',
    by: 'person',
    resolution,
    changeSet,
    ...(winner && loser ? { outcome: { winner, loser, ends: true } } : {}),
  };
  await settleConflicts(tx, { tenant, user, at, runId: null, actor: by, settlements: [settlement] });
  return {
    id: pair.id,
    winner: winner?.id ?? null,
    loser: loser?.id ?? null,
    resolution,
    changeSetId: changeSet,
  };
}

/**
 * A conflict that may be settled, locked.
 * @throws ConflictRefused `unknown`, `already_resolved`, `stale`
 */
async function lockUnresolved(tx: Transaction, of: Owner & { id: string }): Promise<StoredPair> {
  const pair = (await lockPairs(tx, of, [of.id])).get(of.id.toLowerCase());
  if (!pair) throw new ConflictRefused('unknown', [of.id], 'there is no such conflict of this user');
  if (pair.status === 'resolved') {
    throw new ConflictRefused(
      'already_resolved',
      [pair.id],
      'the conflict is settled already: undo what settled it first',
    );
  }
  if (!pair.alive) {
    throw new ConflictRefused(
      'stale',
      [pair.id],
      'one of the two memories was superseded or edited since: it is no conflict any more',
    );
  }
  return pair;
}

function sidesOf({ a, b }: StoredPair, keep: ConflictChoice): [ConflictSide | null, ConflictSide | null] {
  if (keep === 'both') return [null, null];
  return keep === 'a' ? [a, b] : [b, a];
}
