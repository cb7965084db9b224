import type { ClaimResult, Cluster, SkipReason, StoredAnswer } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import { WAITS_IN_BATCH } from '../batches/find.ts';
import type { Database, Transaction } from '../database.ts';
import { DatabaseError } from '../errors.ts';
import { derivedIdOf, fusionKeyOf, sourceSetOf } from '../ids.ts';
import { instantOf } from '../instants.ts';
import type { FusionKind } from '../schema/ledger.ts';
import { type Failpoints, type FusionScope, NO_FAILPOINTS, owned, type PlannedMember } from './scope.ts';

interface LedgerRow {
  attempt: number;
  output: string | null;
  stopReason: string | null;
  inputTokens: number;
  outputTokens: number;
  answeredModel: string | null;
}

const kindOf = ({ restates }: Cluster): FusionKind => (restates ? 'restatement' : 'fusion');

/** The key of a cluster under a scope's step, prompt and model. */
export function keyOf(scope: FusionScope, cluster: Cluster): string {
  const step = `${scope.tier}.${kindOf(cluster)}`;
  return fusionKeyOf({ ...scope, step }, cluster.members);
}

/**
 * Writes the ledger row of a cluster, or finds it, and claims the sources for it. A claim is a row under a unique index: of two
 * that overlap one fails. Claims of an earlier holder of the same user have lapsed with its fence and are taken over.
 */
export async function claimFusion(
  database: Database,
  scope: FusionScope,
  cluster: Cluster,
  options: { retry?: boolean } = {},
  reach: Failpoints = NO_FAILPOINTS,
): Promise<ClaimResult> {
  const key = keyOf(scope, cluster);
  try {
    return await database.withTenant(scope.tenant, async (tx) => {
      const row = await openLedgerRow(tx, scope, cluster, key, options.retry ?? false);
      if (!row) return { status: 'skipped', key, reason: await reasonOf(tx, scope, key) };
      await reach('after-opened');
      await claimMembers(tx, scope, cluster.members, { key, reach, groups: cluster.groups });
      return { status: 'claimed', key, attempt: row.attempt, answer: answerOf(row) };
    });
  } catch (error) {
    const reason = claimRefusal(error);
    if (reason === null) throw error;
    return { status: 'skipped', key, reason };
  }
}

/** What the schema says against a claim, or null when something else went wrong. */
export function claimRefusal(error: unknown): 'claimed' | 'stale' | null {
  if (!(error instanceof DatabaseError)) return null;
  if (error.constraint === 'fusion_sources_claim') return 'claimed'; // guard: claim-refusal
  // A source was forgotten, or superseded by another fusion, between planning and now.
  const gone =
    error.constraint === 'fusion_sources_memory' ||
    // guard: claim-superseded-refusal
    error.constraint === 'fusion_sources_superseded';
  return gone ? 'stale' : null;
}

/**
 * Writes down which memories a fusion is made of, and claims them for it: a claim of somebody with an earlier hold on the user has
 * lapsed. A preview only writes them down: it must not keep anybody else from them.
 */
export async function claimMembers(
  tx: Transaction,
  scope: FusionScope,
  members: readonly PlannedMember[],
  { key, reach, groups }: { key: string; reach: Failpoints; groups?: Cluster['groups'] },
): Promise<void> {
  if (scope.mode !== 'preview') await lapseOlderClaims(tx, scope, members, key); // guard: claim-lapse
  await reach('after-lapsed');
  await storeSources(tx, scope, members, { key, groups });
  await reach('after-members');
}

/** New, or open for another try: planned, generated, stale, expired; failed only when somebody retries. Else no row. */
async function openLedgerRow(
  tx: Transaction,
  scope: FusionScope,
  cluster: Cluster,
  key: string,
  retry: boolean,
): Promise<LedgerRow | undefined> {
  const { tenant, user, tier, runId, lease, model, promptVersion, judgeSecret = null } = scope;
  const reopened = sql`(fusions.answer_state = 'rejected' or fusions.status in ('stale', 'failed', 'expired'))`;
  const [row] = await tx.rows<LedgerRow>(sql`
    insert into slowwave.fusions (
      tenant, user_id, key, source_set, run_id, kind, tier, prompt_version, judge_secret, model, status, fence, derived_id, created_at, updated_at)
    values (${tenant}, ${user}, ${key}, ${sourceSetOf(cluster.members)}, ${runId}::uuid, ${kindOf(cluster)}, ${tier}, ${promptVersion},
      ${judgeSecret}, ${model}, 'planned', ${lease.fence}, ${derivedIdOf(key, cluster.members)}::uuid, ${instantOf(scope.at)}, ${instantOf(scope.at)})
    on conflict (tenant, user_id, key) do update set
      fence = excluded.fence, run_id = excluded.run_id, judge_secret = excluded.judge_secret, updated_at = excluded.updated_at, error_code = null,
      attempt = fusions.attempt + (case when ${reopened} then 1 else 0 end), /* guard: memo-attempt */
      answer_state = case when fusions.answer_state = 'rejected' then 'none' else fusions.answer_state end,
      output = case when fusions.answer_state = 'rejected' then null else fusions.output end,
      status = case when fusions.output is null or fusions.answer_state = 'rejected' then 'planned' else 'generated' end
    where (fusions.status in ('planned', 'generated', 'stale', 'expired') or (
        fusions.status = 'failed'
        and ${retry} /* guard: claim-failed */
      ))
      -- Whoever lost the user pays for no answer that a later holder is waiting for.
      and fusions.fence <= excluded.fence /* guard: claim-fence */
    returning attempt,
      case when answer_state in ('unjudged', 'accepted') then output end /* guard: memo-found */
      as output,
      stop_reason as "stopReason", input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens",
      answered_model as "answeredModel"`);
  return row;
}

function answerOf(row: LedgerRow): StoredAnswer | null {
  if (row.output === null) return null;
  return {
    text: row.output,
    stopReason: row.stopReason ?? 'end_turn',
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    model: row.answeredModel ?? '',
  };
}

async function reasonOf(tx: Transaction, scope: FusionScope, key: string): Promise<SkipReason> {
  const [row] = await tx.rows<{ status: string }>(
    sql`select status from slowwave.fusions where ${owned(scope)} and key = ${key}`,
  );
  return skipReasonOf(row?.status);
}

/** Why a fusion in this state is left alone. */
export function skipReasonOf(status: string | undefined): SkipReason {
  switch (status) {
    case 'applied':
    case 'undone':
    case 'rejected':
    case 'forgotten':
    case 'closed':
    case 'stale':
      return status;
    case 'failed':
      return 'failed_before';
    default:
      return 'claimed';
  }
}

/**
 * Whoever holds the user now has a higher fence than every earlier job: what those left behind no longer counts. The members are locked
 * before their claims, and the claims in the order of the members, as a commit takes them: with the one of an earlier holder still under
 * way this waits, where each would wait for the other.
 */
async function lapseOlderClaims(
  tx: Transaction,
  scope: FusionScope,
  members: readonly PlannedMember[],
  key: string,
): Promise<void> {
  const ids = uuidArray(members.map((member) => member.id));
  await tx.rows(sql`
    with present as materialized (
      select m.id from slowwave.memories m where ${owned(scope, 'm')} and m.id = any(${ids}) order by m.id for key share
    ), lapsed as materialized (
      select s.fusion_key, s.memory_id from slowwave.fusion_sources s
      join slowwave.fusions f on ${owned(scope, 'f')} and f.key = s.fusion_key
      -- As an array: all members are locked before the first claim.
      where ${owned(scope, 's')} and s.live and s.fusion_key <> ${key} and s.memory_id = any(array(select id from present))
        and f.status in ('planned', 'generated') /* guard: claim-lapse-status */
        and f.fence < ${scope.lease.fence} /* guard: claim-lapse-fence */
        -- Its answer is on its way, and paid for.
        and not ${WAITS_IN_BATCH} /* guard: batch-claim */
      order by s.memory_id
      for update of s
    )
    update slowwave.fusion_sources s set live = false
    from lapsed l where ${owned(scope, 's')} and s.fusion_key = l.fusion_key and s.memory_id = l.memory_id`);
}

async function storeSources(
  tx: Transaction,
  scope: FusionScope,
  members: readonly PlannedMember[],
  { key, groups }: { key: string; groups: Cluster['groups'] },
): Promise<void> {
  const sources = members.map(({ id, contentHash, version }, position) => ({
    id,
    contentHash,
    version,
    position,
    groupNo: groups?.[position] ?? null,
  }));
  const live = scope.mode !== 'preview';
  await tx.rows(sql`
    insert into slowwave.fusion_sources (tenant, user_id, fusion_key, memory_id, content_hash, version, position, group_no, live)
    select ${scope.tenant}, ${scope.user}, ${key}, id, "contentHash", version, position, "groupNo",
      ${live} /* guard: claim-live */
    from jsonb_to_recordset(${JSON.stringify(sources)}::jsonb)
      as r(id uuid, "contentHash" text, version integer, position integer, "groupNo" integer)
    order by id
    on conflict (tenant, user_id, fusion_key, memory_id) do update set
      live = fusion_sources.live or excluded.live, version = excluded.version, position = excluded.position,
      group_no = excluded.group_no`);
}
