import type { ReportedPair } from '@slowwave/fusion';
import { cleanLine, MAX_LABEL_SLOT_CHARS } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { newId } from '../ids.ts';
import { requireCount, requireWord } from '../input-error.ts';
import { instantOf } from '../instants.ts';
import { CONFLICT_SOURCES } from '../schema/conflicts.ts';
import type { ConflictSource } from './columns.ts';

/** Pairs in one call; a planner lists at most a thousand of each sort. */
export const REPORTED_PAIRS_MAX = 2_000;

/**
 * Remembers pairs of memories of which somebody says that they disagree, in one statement: from now on the two are kept apart, and the
 * next night asks what it is. A pair that stands there with the contents that both have now is left as it is, settled or not; one that
 * had only become moot, and is no more, is a question again. Pairs of which one is unknown or no longer latest are left out.
 *
 * @param input.at epoch ms
 * @returns how many pairs are newly waiting
 * @throws InputError `too_many`
 */
export async function reportConflicts(
  tx: Transaction,
  input: {
    tenant: string;
    user: string;
    runId: string | null;
    at: number;
    source: ConflictSource;
    pairs: readonly ReportedPair[];
  },
): Promise<number> {
  requireCount(input.pairs, 'pairs', REPORTED_PAIRS_MAX);
  requireWord(input.source, 'source', CONFLICT_SOURCES);
  if (input.pairs.length === 0) return 0;
  const pairs = input.pairs.map(({ a, b, slot }) => ({
    id: newId(input.at),
    a,
    b,
    slot: cleanLine(slot, MAX_LABEL_SLOT_CHARS),
  }));
  const members = uuidArray([...new Set(pairs.flatMap(({ a, b }) => [a, b]))]);
  const [row] = await tx.rows<{ reported: number }>(sql`
    with given as (
      select distinct on (least(a, b), greatest(a, b)) id, least(a, b) as a_id, greatest(a, b) as b_id, nullif(slot, '') as slot
      from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as r(id uuid, a uuid, b uuid, slot text)
      where a <> b
      order by least(a, b), greatest(a, b), id
    ), locked as (
      -- In order of ids, like everybody who locks memories; what is compared must be what they say when this is written.
      select m.id, m.content_hash from slowwave.memories m
      where ${owned(input, 'm')} and m.is_latest and m.id = any(${members})
      order by m.id
      for share
    ), reported as (
      insert into slowwave.conflicts (tenant, user_id, id, a_id, b_id, a_hash, b_hash, status, source, slot, run_id, detected_at)
      select ${input.tenant}, ${input.user}, g.id, g.a_id, g.b_id, a.content_hash, b.content_hash, 'reported', ${input.source},
        g.slot, ${input.runId}::uuid, ${instantOf(input.at)}
      from given g join locked a on a.id = g.a_id join locked b on b.id = g.b_id
      order by g.a_id, g.b_id
      on conflict (tenant, user_id, a_id, b_id, a_hash, b_hash) do update set
        status = case when conflicts.type in ('contradictory', 'ambiguous') then 'open' else 'reported' end,
        resolved_by = null, resolved_at = null, resolution = null, run_id = excluded.run_id
      where conflicts.resolved_by = 'gone'
      returning 1
    )
    select count(*)::int as reported from reported`);
  return row!.reported;
}
