import type { Candidate, Cluster, Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { msOf } from '../instants.ts';
import { candidateColumns } from '../memories/candidates.ts';
import { type FusionScope, owned } from './scope.ts';

/** A fusion of the ledger with its sources as they are now. */
export interface LoadedFusion {
  key: string;
  tier: Tier;
  status: string;
  attempt: number;
  runId: string | null;
  errorCode: string | null;
  model: string;
  promptVersion: string;
  /** Null when a source is gone, superseded or changed: the fusion is stale. */
  cluster: Cluster | null;
}

/** Loads one fusion for another try. */
export async function loadFusion(
  tx: Transaction,
  input: { tenant: string; user: string; key: string; at: number },
): Promise<LoadedFusion | null> {
  const [row] = await tx.rows<Omit<LoadedFusion, 'cluster'> & { sources: number }>(sql`
    select f.key, f.tier, f.status, f.attempt, f.run_id as "runId", f.error_code as "errorCode", f.model,
      f.prompt_version as "promptVersion",
      (select count(*)::int from slowwave.fusion_sources s
        where s.tenant = f.tenant and s.user_id = f.user_id and s.fusion_key = f.key) as sources
    from slowwave.fusions f where ${owned(input, 'f')} and f.key = ${input.key}`);
  if (!row) return null;
  const members = await tx.rows<Candidate>(sql`
    select ${candidateColumns(input.at)}
    from slowwave.fusion_sources s
    join slowwave.memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
    where ${owned(input, 's')} and s.fusion_key = ${input.key}
      and m.is_latest and m.content_hash = s.content_hash and m.version = s.version
    order by s.position`);
  const { sources, ...fusion } = row;
  return {
    ...fusion,
    cluster: members.length === sources && sources > 0 ? { members, relations: [] } : null,
  };
}

/**
 * Hashes of source sets that must not be planned again: undone, rejected or forgotten ones, and those that failed under the same
 * prompt and model. Applied sets need not be listed, since their sources are no longer latest.
 */
export async function listKnownSourceSets(tx: Transaction, scope: FusionScope): Promise<Set<string>> {
  const rows = await tx.rows<{ set: string }>(sql`
    select distinct source_set as set from slowwave.fusions
    where ${owned(scope)} and (
      status in ('undone', 'rejected', 'forgotten', 'review')
      or (status = 'failed' and model = ${scope.model} and prompt_version = ${scope.promptVersion} and tier = ${scope.tier}))
    limit 100000`);
  return new Set(rows.map((row) => row.set));
}

/** An applied fusion as people look at it. */
export interface FusionView {
  key: string;
  tier: Tier;
  status: string;
  errorCode: string | null;
  runId: string | null;
  updatedAt: number;
  inputTokens: number;
  outputTokens: number;
  model: string;
  derived: { id: string; content: string; category: string; importance: number } | null;
  sources: { id: string; content: string; category: string; superseded: boolean }[];
}

/** Fusions of a user, newest first; of one run when given. */
export function listFusions(
  tx: Transaction,
  input: { tenant: string; user: string; runId?: string; limit: number },
): Promise<FusionView[]> {
  return tx.rows(sql`
    select f.key, f.tier, f.status, f.error_code as "errorCode", f.run_id as "runId", ${msOf('f.updated_at')} as "updatedAt",
      f.input_tokens::float8 as "inputTokens", f.output_tokens::float8 as "outputTokens",
      coalesce(f.answered_model, f.model) as model,
      (select jsonb_build_object('id', d.id, 'content', d.content, 'category', d.category, 'importance', d.importance)
        from slowwave.memories d where d.tenant = f.tenant and d.user_id = f.user_id and d.id = f.derived_id) as derived,
      (select coalesce(jsonb_agg(jsonb_build_object(
          'id', m.id, 'content', m.content, 'category', m.category, 'superseded', s.superseded) order by s.position), '[]')
        from slowwave.fusion_sources s
        join slowwave.memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
        where s.tenant = f.tenant and s.user_id = f.user_id and s.fusion_key = f.key) as sources
    from slowwave.fusions f
    where ${owned(input, 'f')} and (${input.runId ?? null}::uuid is null or f.run_id = ${input.runId ?? null}::uuid)
    order by f.updated_at desc, f.key
    limit ${input.limit}`);
}
