import type { FusionStatus, MemoryCategory, Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import { decodeCursor, type ListPage, pageOf } from '../paging.ts';
import type { FusionKind } from '../schema/ledger.ts';
import { owned } from './scope.ts';

export const FUSIONS_PER_LIST_MAX = 200;
const CURSOR = { list: 'fusions', key: { at: 'instant', key: 'text' } } as const;

/** A fusion or a merge as people look at it. Instants in epoch ms. */
export interface FusionView {
  key: string;
  user: string;
  kind: FusionKind;
  tier: Tier;
  status: FusionStatus;
  /** Why it did not come to pass; null for one that did, and for one that nothing was said against. */
  errorCode: string | null;
  runId: string | null;
  createdAt: number;
  updatedAt: number;
  inputTokens: number;
  outputTokens: number;
  model: string;
  /** Of a statement: the fusion that it is an answer to. */
  request: string | null;
  /** What it made; of a merge, the memory that stays. Null while there is none. */
  derived: { id: string; content: string; category: MemoryCategory; importance: number } | null;
  sources: { id: string; content: string; category: MemoryCategory; superseded: boolean }[];
}

/** The model that answered, or the one that is to be asked; a statement f was worded by the answer to its fusion. */
export const FUSION_MODEL: SQL = sql`coalesce(f.answered_model, (select r.answered_model from slowwave.fusions r
  where r.tenant = f.tenant and r.user_id = f.user_id and r.key = f.request), f.model)`;

const VIEW: SQL = sql`f.key, f.request, f.user_id as "user", f.kind, f.tier, f.status, f.error_code as "errorCode", f.run_id as "runId",
  ${msOf('f.created_at')} as "createdAt", ${msOf('f.updated_at')} as "updatedAt",
  f.input_tokens::float8 as "inputTokens", f.output_tokens::float8 as "outputTokens", ${FUSION_MODEL} as model,
  (select jsonb_build_object('id', d.id, 'content', d.content, 'category', d.category, 'importance', d.importance)
    from slowwave.memories d where d.tenant = f.tenant and d.user_id = f.user_id and d.id = f.derived_id) as derived,
  (select coalesce(jsonb_agg(jsonb_build_object(
      'id', m.id, 'content', m.content, 'category', m.category, 'superseded', s.superseded) order by s.position), '[]')
    from slowwave.fusion_sources s
    join slowwave.memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
    where s.tenant = f.tenant and s.user_id = f.user_id and s.fusion_key = f.key) as sources`;

/** Fusions of a user, newest first; of one run when given. */
export function listFusions(
  tx: Transaction,
  input: { tenant: string; user: string; runId?: string; limit: number },
): Promise<FusionView[]> {
  return tx.rows(sql`
    select ${VIEW} from slowwave.fusions f
    where ${owned(input, 'f')} and (${input.runId ?? null}::uuid is null or f.run_id = ${input.runId ?? null}::uuid)
    order by f.updated_at desc, f.key
    limit ${input.limit}`);
}

/** Those that come after one of them in the order of these lists, of a row f. */
export function fusionsBehind(last: { at: number; key: string }): SQL {
  const at = instantOf(last.at);
  return sql`f.updated_at <= ${at} and (f.updated_at < ${at} or f.key > ${last.key})`;
}

export interface FusionFilter {
  tenant: string;
  /** Absent: everybody of the tenant. */
  user?: string | undefined;
  status?: FusionStatus | undefined;
  tier?: Tier | undefined;
  runId?: string | undefined;
  /** At most FUSIONS_PER_LIST_MAX, a larger one is cut. */
  limit: number;
  cursor?: string | undefined;
}

/** Fusions of a user or of a whole tenant, those that changed last first. @throws InputError for a cursor of another list */
export async function pageFusions(tx: Transaction, filter: FusionFilter): Promise<ListPage<FusionView>> {
  const limit = Math.max(1, Math.min(FUSIONS_PER_LIST_MAX, Math.floor(filter.limit)));
  const after = decodeCursor(CURSOR, filter.cursor);
  const conditions: SQL[] = [sql`f.tenant = ${filter.tenant}`];
  if (filter.user !== undefined) conditions.push(sql`f.user_id = ${filter.user}`);
  // What is closed stands in its statements, which are in the list themselves.
  conditions.push(filter.status === undefined ? sql`f.status <> 'closed'` : sql`f.status = ${filter.status}`);
  if (filter.tier !== undefined) conditions.push(sql`f.tier = ${filter.tier}`);
  if (filter.runId !== undefined) conditions.push(sql`f.run_id = ${filter.runId}::uuid`);
  if (after) conditions.push(fusionsBehind(after));
  // The texts are looked up for the page alone.
  const rows = await tx.rows<FusionView>(sql`
    with page as materialized (
      select f.* from slowwave.fusions f
      where ${sql.join(conditions, sql` and `)}
      order by f.updated_at desc, f.key
      limit ${limit + 1}
    )
    select ${VIEW} from page f order by f.updated_at desc, f.key`);
  return pageOf(CURSOR, rows, limit, ({ updatedAt, key }) => ({ at: updatedAt, key }));
}
