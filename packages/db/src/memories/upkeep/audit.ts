import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../../database.ts';
import { owned } from '../../fusions/scope.ts';
import { instantOf } from '../../instants.ts';
import { imageOf, journalled } from '../../journal.ts';
import { mapped, type Question, theRow } from '../../questions.ts';
import { demotedBy } from '../operations.ts';
import { nextCrossingOf, wakeLightBy } from '../wake-light.ts';

const DAY_MS = 86_400_000;
/** Memories this young are still finding their use. */
export const AUDIT_MIN_AGE_MS = 7 * DAY_MS;
/** Not recalled for so long counts as unused; and a memory is demoted once in this span at most. */
export const AUDIT_SPAN_MS = 30 * DAY_MS;
export const AUDIT_FACTOR = 0.95;

/** `considered` = recalled lately + `neverRecalled` + `notRecently`; of the last two, those not demoted in the span are `demoted` or `left`. */
export interface AuditCounts {
  /** Active (prominence from 0.5), older than 7 days, latest, not archived, not of the static profile. */
  considered: number;
  neverRecalled: number;
  /** Recalled once, but not in 30 days. */
  notRecently: number;
  demoted: number;
  /** Due, but beyond the limit: for the next audit. */
  left: number;
}

const COLUMNS = ['demotion', 'audited_at', 'updated_at'];

/**
 * Demotes active memories that nobody asks for, the longest unused first, by one factor once in 30 days; a second audit at the same
 * instant finds nothing. Journalled, and light comes by when the first of them crosses a threshold.
 * @param input.at epoch ms
 * @param input.limit most memories demoted
 */
export async function auditRetrieval(
  tx: Transaction,
  input: { tenant: string; user: string; at: number; runId: string | null; limit: number },
): Promise<AuditCounts> {
  const at = instantOf(input.at);
  const { active, due } = conditionsOf(input);
  const [row] = await tx.rows<AuditCounts & { due: number }>(sql`
    with considered as materialized (${consideredOf(input)}), picked as (
      -- Judged again under the lock: somebody may have recalled or confirmed it meanwhile.
      select m.id, m.demotion, ${imageOf('m', COLUMNS)} as image from slowwave.memories m
      where ${active} and ${due} and m.id = any(array(
        select id from considered where due order by since, id limit ${input.limit}))
      order by m.id
      for no key update
    ), demoted as (
      update slowwave.memories m set demotion = ${demotedBy('p', AUDIT_FACTOR)}, audited_at = ${at}, updated_at = ${at}
      from picked p where ${owned(input, 'm')} and m.id = p.id
      returning m.id, ${nextCrossingOf('m', input.at)} as next, p.image as before, ${imageOf('m', COLUMNS)} as after
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, before, after from demoted
    ), ${journalled({ ...input, kind: 'audit' })}, woken as (
      ${wakeLightBy(input, input.at, sql`(select min(next) from demoted)`)}
    )
    select ${COUNTED}, (select count(*)::int from demoted) as demoted
    from considered`);
  return countsOf(row!);
}

/** What an audit would look at; `left` is what it would demote if it demoted all. */
export function askAudit(input: { tenant: string; user: string; at: number }): Question<AuditCounts> {
  const counted = theRow<AuditCounts & { due: number }>(sql`
    select ${COUNTED}, 0 as demoted from (${consideredOf(input)}) considered`);
  return mapped(counted, countsOf);
}

function conditionsOf(input: {
  tenant: string;
  user: string;
  at: number;
}): Record<'active' | 'unused' | 'due', SQL> {
  const ago = (ms: number) => instantOf(input.at - ms);
  // The crossing of 0.5 lies ahead: a range of the index on it.
  const active = sql`${owned(input, 'm')} and m.is_latest and m.archived_at is null and m.crosses_050_at >= ${instantOf(input.at)}
    and m.memory_type <> 'static_profile' and m.created_at < ${ago(AUDIT_MIN_AGE_MS)}`;
  const unused = sql`(m.last_accessed is null or m.last_accessed < ${ago(AUDIT_SPAN_MS)})`;
  const due = sql`${unused} and (m.audited_at is null or m.audited_at <= ${ago(AUDIT_SPAN_MS)})`;
  return { active, unused, due };
}

function consideredOf(input: { tenant: string; user: string; at: number }): SQL {
  const { active, unused, due } = conditionsOf(input);
  return sql`
    select m.id, m.last_accessed is null as never, ${unused} as unused, ${due} as due,
      coalesce(m.last_accessed, m.created_at) as since
    from slowwave.memories m where ${active}`;
}

const COUNTED = sql.raw(`count(*)::int as considered, count(*) filter (where never)::int as "neverRecalled",
  count(*) filter (where unused and not never)::int as "notRecently", count(*) filter (where due)::int as due`);

function countsOf({ due, ...counts }: AuditCounts & { due: number }): AuditCounts {
  return { ...counts, left: Math.max(0, due - counts.demoted) };
}
