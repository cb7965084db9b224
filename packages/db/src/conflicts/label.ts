import { accuserOf, type Decision, type PairLabel } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { settleAnswer } from '../answers/answers.ts';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { JOIN_SIDES, type Owner, PAIR_COLUMNS, SIDES_ALIVE, type StoredPair, withDays } from './columns.ts';
import { lockFusions, lockSides } from './lock.ts';
import { type Settlement, settleConflicts } from './settle.ts';

/**
 * Pairs that wait for a label, those that wait longest first: both are latest and say what was compared.
 * @param of.timezone where the user lives, an IANA name
 */
export async function listCandidatePairs(
  tx: Transaction,
  of: Owner & { timezone: string; limit: number },
): Promise<StoredPair[]> {
  const pairs = await tx.rows<StoredPair>(sql`
    select ${PAIR_COLUMNS} from slowwave.conflicts c ${JOIN_SIDES}
    where ${owned(of, 'c')} and c.status = 'reported' and ${SIDES_ALIVE}
    order by c.detected_at, c.id
    limit ${of.limit}`);
  return pairs.map((pair) => withDays(pair, of.timezone));
}

/** A pair as it was when it was labelled, what the model said, and what the code made of that. */
export interface LabelledPair {
  pair: StoredPair;
  label: PairLabel;
  decision: Decision;
}

export interface StoredLabels {
  stored: number;
  superseded: number;
  /** Pairs that somebody settled, or of which one changed, while the model thought. */
  stale: number;
  /** Pairs of which a memory had just been superseded by another pair's: they wait for the next night. */
  left: number;
}

/**
 * Stores labels and does what was decided, in a constant number of statements, journalled where a memory changes. A pair that is no longer
 * reported, or of which one is not what was labelled, is left as it is. What is in dispute elsewhere neither supersedes nor is superseded:
 * such a pair waits for a person too, or the dispute would be lost with one of its sides.
 * @param input.at epoch ms
 * @param input.model that labelled
 * @param input.answer what the labels were read from: accepted in the same transaction, and nothing is stored when it was forgotten since
 */
export async function storeLabels(
  tx: Transaction,
  input: Owner & {
    at: number;
    runId: string | null;
    model: string;
    labelled: readonly LabelledPair[];
    answer?: { key: string; attempt: number } | null;
  },
): Promise<StoredLabels> {
  const { tenant, user, at, runId, model } = input;
  const ids = input.labelled.map(({ pair }) => pair.id);
  const members = await lockFusions(tx, input, ids);
  const usable =
    !input.answer || (await settleAnswer(tx, { tenant, user, ...input.answer, state: 'accepted' }));
  if (!usable) return { stored: 0, superseded: 0, stale: input.labelled.length, left: 0 };
  const locked = await lockSides(tx, input, { ids, members });
  const counts = { stored: 0, stale: 0, left: 0 };
  const settlements: Settlement[] = [];
  const changed = new Set<string>();
  const disputed = await listDisputed(tx, input, locked.values());
  for (const { pair, label, decision: given } of disputesFirst(input.labelled)) {
    const now = locked.get(pair.id);
    if (now?.status !== 'reported' || !now.alive || !isAsLabelled(now, pair)) {
      counts.stale += 1;
      continue;
    }
    // What one settlement of this call supersedes is no longer what the others were about.
    if (changed.has(pair.a.id) || changed.has(pair.b.id)) {
      counts.left += 1;
      continue;
    }
    const decision = disputed.has(pair.a.id) || disputed.has(pair.b.id) ? withoutLoss(now, given) : given;
    if (decision.kind === 'supersede') changed.add(decision.winner === 'a' ? pair.b.id : pair.a.id);
    if (decision.kind === 'open') disputed.add(pair.a.id).add(pair.b.id);
    settlements.push(settlementOf({ pair: now, label, decision }, model));
    counts.stored += 1;
  }
  const superseded = await settleConflicts(tx, { tenant, user, at, runId, actor: null, settlements });
  return { ...counts, superseded };
}

/** Which sides of these pairs are in an open conflict. */
async function listDisputed(tx: Transaction, of: Owner, pairs: Iterable<StoredPair>): Promise<Set<string>> {
  const sides = uuidArray([...new Set([...pairs].flatMap(({ a, b }) => [a.id, b.id]))]);
  const rows = await tx.rows<{ a: string; b: string }>(sql`
    select c.a_id as a, c.b_id as b from slowwave.conflicts c ${JOIN_SIDES}
    where ${owned(of, 'c')} and c.status = 'open' and ${SIDES_ALIVE} and (c.a_id = any(${sides}) or c.b_id = any(${sides}))`);
  return new Set(rows.flatMap(({ a, b }) => [a, b]));
}

/** What opens a dispute comes before what would end one of its sides. */
function disputesFirst(labelled: readonly LabelledPair[]): LabelledPair[] {
  const opens = ({ decision }: LabelledPair): boolean => decision.kind === 'open';
  return [...labelled.filter(opens), ...labelled.filter((one) => !opens(one))];
}

function withoutLoss(pair: StoredPair, decision: Decision): Decision {
  if (decision.kind !== 'supersede') return decision;
  return { kind: 'open', type: 'ambiguous', accuser: accuserOf(pair) };
}

/** A conflict is alive only with the contents it is about; who said them and who sees them may have changed without a trace. */
function isAsLabelled(now: StoredPair, then: StoredPair): boolean {
  return (['a', 'b'] as const).every((name) => {
    const [one, other] = [now[name], then[name]];
    return (
      one.version === other.version &&
      one.trust === other.trust &&
      one.visibility === other.visibility &&
      one.workspace === other.workspace &&
      one.archived === other.archived
    );
  });
}

function settlementOf({ pair, label, decision }: LabelledPair, model: string): Settlement {
  const said = { id: pair.id, label: { ...label, model } };
  switch (decision.kind) {
    case 'open':
      return { ...said, status: 'open', type: decision.type, accuser: decision.accuser };
    case 'keep':
      return { ...said, status: 'resolved', by: 'code', resolution: decision.resolution };
    case 'supersede': {
      const [winner, loser] = decision.winner === 'a' ? [pair.a, pair.b] : [pair.b, pair.a];
      // What the wider one says too is as true as ever: it does not end.
      const outcome = { winner, loser, ends: false };
      return { ...said, status: 'resolved', by: 'code', resolution: decision.resolution, outcome };
    }
  }
}
