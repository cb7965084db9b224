import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { msOf } from '../instants.ts';
import { owned } from './scope.ts';

/** A fusion or a merge as people look at it. */
export interface FusionView {
  key: string;
  kind: 'fusion' | 'merge';
  tier: Tier;
  status: string;
  errorCode: string | null;
  runId: string | null;
  updatedAt: number;
  inputTokens: number;
  outputTokens: number;
  model: string;
  /** What it made; of a merge, the memory that stays. Null while there is none. */
  derived: { id: string; content: string; category: string; importance: number } | null;
  sources: { id: string; content: string; category: string; superseded: boolean }[];
}

/** Fusions of a user, newest first; of one run when given. */
export function listFusions(
  tx: Transaction,
  input: { tenant: string; user: string; runId?: string; limit: number },
): Promise<FusionView[]> {
  return tx.rows(sql`
    select f.key, f.kind, f.tier, f.status, f.error_code as "errorCode", f.run_id as "runId", ${msOf('f.updated_at')} as "updatedAt",
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
