import {
  type Candidate,
  type Cluster,
  type FusionStatus,
  localDay,
  type StoredAnswer,
  type Tier,
} from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { candidateColumns } from '../memories/candidates.ts';
import { allRows, ask, mapped, type Question } from '../questions.ts';
import type { FusionKind } from '../schema/ledger.ts';
import { type FusionScope, owned } from './scope.ts';

/** A fusion of the ledger with its sources as they are now. */
export interface LoadedFusion {
  key: string;
  kind: FusionKind;
  tier: Tier;
  status: FusionStatus;
  attempt: number;
  runId: string | null;
  errorCode: string | null;
  model: string;
  promptVersion: string;
  judgeSecret: string | null;
  /** A paid answer that may still be used. */
  answer: StoredAnswer | null;
  /** Null when a source is gone, superseded or changed: the fusion is stale. */
  cluster: Cluster | null;
}

/** Loads one fusion for another try. */
export async function loadFusion(
  tx: Transaction,
  input: { tenant: string; user: string; key: string; at: number },
): Promise<LoadedFusion | null> {
  const [fusion] = await loadFusions(tx, { ...input, keys: [input.key] });
  return fusion ?? null;
}

type LoadedMember = Candidate & { fusionKey: string; groupNo: number | null };

interface LedgerRow extends Omit<LoadedFusion, 'cluster' | 'answer'> {
  sources: number;
  timezone: string;
  output: string | null;
  stopReason: string | null;
  answeredModel: string | null;
  inputTokens: number;
  outputTokens: number;
}

/**
 * Loads fusions with their sources, in two statements whatever their number.
 * @param input.at epoch ms; prominence is taken at this instant
 * @returns in the order of the keys; unknown ones are left out
 */
export async function loadFusions(
  tx: Transaction,
  input: { tenant: string; user: string; keys: readonly string[]; at: number },
): Promise<LoadedFusion[]> {
  const keys = sql`array(select jsonb_array_elements_text(${JSON.stringify(input.keys)}::jsonb))`;
  const rows = await tx.rows<LedgerRow>(sql`
    select f.key, f.kind, f.tier, f.status, f.attempt, f.run_id as "runId", f.error_code as "errorCode", f.model,
      f.prompt_version as "promptVersion", f.judge_secret as "judgeSecret", u.timezone,
      case when f.answer_state in ('unjudged', 'accepted') then f.output end as output, f.stop_reason as "stopReason",
      f.answered_model as "answeredModel", f.input_tokens::float8 as "inputTokens", f.output_tokens::float8 as "outputTokens",
      (select count(*)::int from slowwave.fusion_sources s
        where s.tenant = f.tenant and s.user_id = f.user_id and s.fusion_key = f.key) as sources
    from slowwave.fusions f join slowwave.users u on u.tenant = f.tenant and u.id = f.user_id
    where ${owned(input, 'f')} and f.key = any(${keys})`);
  const members = await tx.rows<LoadedMember>(sql`
    select s.fusion_key as "fusionKey", s.group_no as "groupNo", ${candidateColumns(input.at)}
    from slowwave.fusion_sources s
    join slowwave.memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
    where ${owned(input, 's')} and s.fusion_key = any(${keys})
      and m.is_latest and m.content_hash = s.content_hash and m.version = s.version
    order by s.fusion_key, s.position`);
  const found = new Map(rows.map((row) => [row.key, loadedFrom(row, members)]));
  return input.keys.flatMap((key) => found.get(key) ?? []);
}

function loadedFrom(row: LedgerRow, members: readonly LoadedMember[]): LoadedFusion {
  const { sources, timezone, output, stopReason, answeredModel, inputTokens, outputTokens, ...fusion } = row;
  const found = members.filter(({ fusionKey }) => fusionKey === row.key);
  const own = found.map(({ fusionKey: _key, groupNo: _no, ...member }) => withLocalDay(member, timezone));
  const groups = found.flatMap(({ groupNo }) => groupNo ?? []);
  const model = answeredModel ?? '';
  return {
    ...fusion,
    answer:
      output === null
        ? null
        : { text: output, stopReason: stopReason ?? 'end_turn', inputTokens, outputTokens, model },
    cluster:
      own.length === sources && sources > 0
        ? {
            members: own,
            ...(groups.length === sources ? { groups } : {}),
            relations: [],
            ...(row.kind === 'restatement' ? { restates: true } : {}),
          }
        : null,
  };
}

/** On which day it was said where the user lives: "yesterday" counts from there. */
export function withLocalDay(candidate: Candidate, timezone: string): Candidate {
  const documentDay = localDay(candidate.documentDate, timezone);
  return documentDay === null ? candidate : { ...candidate, documentDay };
}

/** Undone, rejected or forgotten, or before a person. Applied sets need not be listed, since their sources are no longer latest. */
const IS_TAKEN_BACK = sql.raw(`status in ('undone', 'rejected', 'forgotten', 'review')`);

/**
 * A query for the hashes of source sets that must not be planned again: those that were taken back, and those that failed under the same
 * prompt and model. What failed as a whole was not turned down: a statement may still be of these very sources.
 */
export function knownSourceSets(scope: FusionScope): SQL {
  return sql`
    select source_set as set, bool_or(${IS_TAKEN_BACK}) as taken_back from slowwave.fusions
    where ${owned(scope)} and (
      ${IS_TAKEN_BACK}
      or (status = 'failed' and model = ${scope.model} and prompt_version = ${scope.promptVersion} and tier = ${scope.tier}))
    group by source_set
    limit 100000`;
}

/** Hashes of the source sets that were undone, turned down or forgotten, or wait for a person: no statement is made of them again. */
export async function listTakenBack(
  tx: Transaction,
  of: Pick<FusionScope, 'tenant' | 'user'>,
): Promise<string[]> {
  const rows = await tx.rows<{ set: string }>(sql`
    select distinct source_set as set from slowwave.fusions where ${owned(of)} and ${IS_TAKEN_BACK} limit 100000`);
  return rows.map(({ set }) => set);
}

/**
 * Fusions that failed for good in a run that never completed: whoever was to put them before the operator may have been gone by then. They are not
 * planned again, so the next run asks for them here.
 * @param of.since when the tier last succeeded, epoch ms; 0 for never
 * @returns keys, at most 1,000, the oldest first
 */
export function listLeftFailures(tx: Transaction, of: LeftInput): Promise<string[]> {
  return ask(tx, askLeftFailures(of));
}

interface LeftInput {
  tenant: string;
  user: string;
  tier: Tier;
  since: number;
}

/** As listLeftFailures. */
export function askLeftFailures(of: LeftInput): Question<string[]> {
  const rows = allRows<{ key: string }>(sql`
    select f.key from slowwave.fusions f
    join slowwave.runs r on r.tenant = f.tenant and r.user_id = f.user_id and r.id = f.run_id
    where ${owned(of, 'f')} and f.status = 'failed' and f.kind <> 'merge' and f.tier = ${of.tier}
      -- Found by their status: no index of the tenant's times is worth more, whatever the planner guesses.
      and (f.updated_at > ${instantOf(of.since)}) is true and r.status <> 'completed'
    order by f.updated_at, f.key
    limit 1000`);
  return mapped(rows, (found) => found.map(({ key }) => key));
}
