import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { newId } from '../ids.ts';
import { instantOf } from '../instants.ts';

/** A memory in the version that was judged. */
export interface Judged {
  id: string;
  version: number;
}

/** What was thought of one candidate of a seed. */
export interface CandidateVerdict extends Judged {
  /** 1 to 5 each. */
  novelty: number;
  plausibility: number;
  usefulness: number;
  accepted: boolean;
  /** Why it was accepted; '' otherwise. */
  explanation: string;
}

/** Pairs that a listing returns at most; a pair more is judged again and found to be known. */
const PAIR_LIMIT = 200_000;

/** Names an unordered pair of memories in their versions. */
export function pairKey(one: Judged, other: Judged): string {
  const [a, b] = one.id < other.id ? [one, other] : [other, one];
  return `${a.id}@${a.version} ${b.id}@${b.version}`;
}

/**
 * The pairs that were judged, in the versions they had then, as `pairKey` names them: whoever asks for a pair in its present versions finds
 * what holds for it. Newest first when there are very many. Without a join: a guess of the planner would cost more than the rows.
 */
export async function listJudgedPairs(
  tx: Transaction,
  of: { tenant: string; user: string },
): Promise<Set<string>> {
  const rows = await tx.rows<{ pair: string }>(judgedPairs(of));
  return new Set(rows.map((row) => row.pair));
}

/** As listJudgedPairs: a query with a column called pair. */
export function judgedPairs(of: { tenant: string; user: string }): SQL {
  return sql`
    select v.a_id || '@' || v.a_version || ' ' || v.b_id || '@' || v.b_version as pair
    from slowwave.rem_verdicts v
    where ${owned(of, 'v')}
    order by v.judged_at desc
    limit ${PAIR_LIMIT}`;
}

/**
 * Remembers what was thought of a seed's candidates and turns what was accepted into hypotheses, in one statement: EXTENDS from seed to
 * candidate, as sure as the mean of its scores, with its explanation, journalled. A pair judged before stays as it was; nothing is
 * linked when one of the two was changed or superseded since, or when they are linked by now.
 * @param input.model the model that judged
 * @returns verdicts and relations written
 */
export async function storeVerdicts(
  tx: Transaction,
  input: {
    tenant: string;
    user: string;
    at: number;
    runId: string | null;
    model: string;
    seed: Judged;
    verdicts: readonly CandidateVerdict[];
  },
): Promise<{ stored: number; accepted: number }> {
  if (input.verdicts.length === 0) return { stored: 0, accepted: 0 };
  const { tenant, user, seed } = input;
  const at = instantOf(input.at);
  const [row] = await tx.rows<{ stored: number; accepted: number; journalled: number }>(sql`
    with judged as (
      select *, (novelty + plausibility + usefulness) / 15.0 as confidence
      from jsonb_to_recordset(${payloadOf(input.verdicts)}::jsonb) as r(
        id uuid, version integer, novelty smallint, plausibility smallint, usefulness smallint, accepted boolean,
        explanation text)
      where id <> ${seed.id}::uuid
    ), locked as (
      select m.id, m.version, m.is_latest from slowwave.memories m
      where ${owned(input, 'm')} and (m.id = ${seed.id}::uuid or m.id = any(array(select id from judged)))
      order by m.id
      for share of m
    ), present as (
      select j.*, s.is_latest and s.version = ${seed.version} and c.is_latest and c.version = j.version as unchanged
      from judged j join locked c on c.id = j.id cross join (select * from locked where id = ${seed.id}::uuid) s
    ), remembered as (
      insert into slowwave.rem_verdicts (tenant, user_id, a_id, b_id, a_version, b_version, novelty, plausibility, usefulness,
        accepted, model, run_id, judged_at)
      select ${tenant}, ${user}, least(p.id, ${seed.id}::uuid), greatest(p.id, ${seed.id}::uuid),
        case when p.id < ${seed.id}::uuid then p.version else ${seed.version} end,
        case when p.id < ${seed.id}::uuid then ${seed.version} else p.version end,
        p.novelty, p.plausibility, p.usefulness, p.accepted, ${input.model}, ${input.runId}::uuid, ${at}
      from present p
      on conflict do nothing
      returning case when a_id = ${seed.id}::uuid then b_id else a_id end as id
    ), linked as (
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, hypothesis, explanation,
        created_at)
      select ${tenant}, ${user}, ${seed.id}::uuid, p.id, 'EXTENDS', p.confidence, true, p.explanation, ${at}
      from present p join remembered using (id)
      where p.accepted and p.unchanged and not exists (
        select 1 from slowwave.relations r where ${owned(input, 'r')}
          and ((r.source_id = ${seed.id}::uuid and r.target_id = p.id) or (r.source_id = p.id and r.target_id = ${seed.id}::uuid)))
      on conflict do nothing
      returning target_id, to_jsonb(relations) as image
    ), opened as (
      insert into slowwave.change_sets (tenant, user_id, id, run_id, kind, created_at)
      select ${tenant}, ${user}, ${newId(input.at)}::uuid, ${input.runId}::uuid, 'rem', ${at}
      where exists (select 1 from linked)
      returning id
    ), journalled as (
      insert into slowwave.changes (tenant, user_id, change_set_id, position, table_name, row_key, before, after)
      select ${tenant}, ${user}, opened.id, row_number() over (order by l.target_id), 'relations',
        jsonb_build_object('source_id', ${seed.id}::uuid, 'target_id', l.target_id, 'relation_type', 'EXTENDS'), null, l.image
      from linked l cross join opened
      returning 1
    )
    select (select count(*)::int from remembered) as stored, (select count(*)::int from linked) as accepted,
      (select count(*)::int from journalled) as journalled`);
  return { stored: row!.stored, accepted: row!.accepted };
}

/** The columns of verdicts alone; of a candidate named twice the first counts. */
function payloadOf(verdicts: readonly CandidateVerdict[]): string {
  const first = new Map<string, CandidateVerdict>();
  for (const verdict of verdicts) if (!first.has(verdict.id)) first.set(verdict.id, verdict);
  return JSON.stringify(
    [...first.values()].map(({ id, version, novelty, plausibility, usefulness, accepted, explanation }) => {
      return { id, version, novelty, plausibility, usefulness, accepted, explanation };
    }),
  );
}
