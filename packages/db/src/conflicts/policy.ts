import { newestWins, type PairLabel, type SideName } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { requireWord } from '../input-error.ts';
import { CONFLICT_POLICIES } from '../schema/users.ts';
import { JOIN_SIDES, type Owner, PAIR_COLUMNS, SIDES_ALIVE, type StoredPair } from './columns.ts';
import { lockPairs } from './lock.ts';
import { type Settlement, settleConflicts } from './settle.ts';

/** ask: contradictions wait for a person. newest_wins: what was said later replaces what it contradicts, where that is safe. */
export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];

/** @returns null when there is no such user */
export async function getConflictPolicy(tx: Transaction, of: Owner): Promise<ConflictPolicy | null> {
  const [row] = await tx.rows<{ policy: ConflictPolicy }>(sql`
    select conflict_policy as policy from slowwave.users where tenant = ${of.tenant} and id = ${of.user}`);
  return row?.policy ?? null;
}

/**
 * Says how a user's contradictions are settled from the next night on. What was settled stays settled.
 * @returns the policy, null when there is no such user
 * @throws InputError `not_allowed`
 */
export async function setConflictPolicy(
  tx: Transaction,
  input: Owner & { policy: ConflictPolicy },
): Promise<ConflictPolicy | null> {
  requireWord(input.policy, 'policy', CONFLICT_POLICIES);
  const rows = await tx.rows(sql`
    update slowwave.users set conflict_policy = ${input.policy} where tenant = ${input.tenant} and id = ${input.user}
    returning 1`);
  return rows.length === 0 ? null : input.policy;
}

export const keptNewest = (id: string): string => `newest wins: kept ${id}`;

/**
 * Settles open contradictions for the newest where the user's policy says so and it is safe; see `newestWins`. Of a chain of three the oldest
 * loses to the middle one, and that one to the newest. A constant number of statements, one change set for each.
 * @param input.at epoch ms
 * @param input.limit most memories superseded
 * @returns how many were settled
 */
export async function applyPolicy(
  tx: Transaction,
  input: Owner & { at: number; runId: string | null; limit: number },
): Promise<number> {
  if (input.limit <= 0 || (await getConflictPolicy(tx, input)) !== 'newest_wins') return 0;
  const open = await listContradictions(tx, input);
  const wanted = open.filter((pair) => winnerOf(pair) !== null).map(({ id }) => id);
  if (wanted.length === 0) return 0;
  const locked = [...(await lockPairs(tx, input, wanted)).values()];
  const settlements: Settlement[] = [];
  const losers = new Set<string>();
  for (const { pair, name } of byWinner(locked)) {
    const [winner, loser] = name === 'a' ? [pair.a, pair.b] : [pair.b, pair.a];
    if (losers.has(loser.id) || settlements.length >= input.limit) continue;
    losers.add(loser.id);
    const outcome = { winner, loser, ends: true };
    const { id } = pair;
    settlements.push({ id, status: 'resolved', by: 'policy', resolution: keptNewest(winner.id), outcome });
  }
  return settleConflicts(tx, { ...input, actor: null, settlements });
}

function listContradictions(tx: Transaction, of: Owner & { limit: number }): Promise<StoredPair[]> {
  return tx.rows(sql`
    select ${PAIR_COLUMNS} from slowwave.conflicts c ${JOIN_SIDES}
    where ${owned(of, 'c')} and c.status = 'open' and c.type = 'contradictory' and ${SIDES_ALIVE}
    order by c.detected_at, c.id
    limit ${POLICY_PAIRS_MAX}`);
}

/** Contradictions that one night looks at; the rest wait for the next. */
const POLICY_PAIRS_MAX = 500;

function winnerOf(pair: StoredPair): SideName | null {
  if (pair.status !== 'open' || !pair.alive || pair.type === null) return null;
  const label: Pick<PairLabel, 'type' | 'slot' | 'confidence'> = { ...pair, type: pair.type };
  return newestWins(pair, label);
}

/** Those with a winner, the earliest winners first: then nobody has lost before they could win. */
function byWinner(pairs: readonly StoredPair[]): { pair: StoredPair; name: SideName }[] {
  const decided = pairs.flatMap((pair) => {
    const name = winnerOf(pair);
    return name === null ? [] : [{ pair, name }];
  });
  return decided.sort(
    (one, other) =>
      one.pair[one.name].documentDate - other.pair[other.name].documentDate ||
      one.pair.id.localeCompare(other.pair.id),
  );
}
