import { createHash } from 'node:crypto';
import type { Database } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';

/** Everything that the tables say of the users, read without the product's own functions. Instants in epoch ms. */
export interface Observed {
  tiers: (Record<'due' | 'next' | 'lastAttempt' | 'lastSuccess' | 'enqueued', number | null> & {
    user: string;
    tier: Tier;
    failures: number;
    faults: number;
    unended: number;
    requested: string | null;
    paused: boolean;
    quarantine: string | null;
  })[];
  leases: { user: string; fence: number; state: 'free' | 'held' | 'expired' }[];
  runs: {
    user: string;
    id: string;
    tier: Tier;
    why: string;
    status: string;
    fence: number | null;
    code: string | null;
  }[];
  memories: {
    user: string;
    id: string;
    name: string | null;
    content: string;
    version: number;
    type: string;
    latest: boolean;
    by: string | null;
    /** Whether there is a vector of what it says. */
    embedded: boolean;
  }[];
  fusions: {
    user: string;
    key: string;
    /** Of a statement the fusion that it answers. */
    request: string | null;
    tier: string;
    status: string;
    fence: number;
    attempt: number;
    answerState: string;
    code: string | null;
    run: string | null;
    derived: string;
    sources: { name: string; hash: string; live: boolean; superseded: boolean }[];
  }[];
}

const ms = (column: string) =>
  sql.raw(`(extract(epoch from nullif(nullif(${column}, '-infinity'), 'infinity')) * 1000)::float8`);

export async function observe(database: Database, tenants: readonly string[]): Promise<Observed> {
  const own = (alias = 't') => sql`${sql.raw(alias)}.tenant = any(${`{${tenants.join(',')}}`}::text[])`;
  const [row] = await database.asOwner((tx) =>
    tx.rows<Observed>(sql`select
      (select coalesce(jsonb_agg(jsonb_build_object('user', user_id, 'tier', tier, 'due', ${ms('due_at')}, 'next', ${ms('next_attempt_at')},
          'lastAttempt', ${ms('last_attempt_at')}, 'lastSuccess', ${ms('last_success_at')}, 'enqueued', ${ms('enqueued_at')},
          'failures', failures, 'faults', faults, 'unended', unended, 'requested', requested_run, 'paused', paused,
          'quarantine', case when quarantined_at is not null then quarantine_code end)), '[]') from slowwave.user_tiers t where ${own()}) as tiers,
      (select coalesce(jsonb_agg(jsonb_build_object('user', user_id, 'fence', fence, 'state',
          case when expires_at = '-infinity' then 'free' when expires_at > clock_timestamp() then 'held' else 'expired' end)), '[]')
        from slowwave.leases t where ${own()}) as leases,
      (select coalesce(jsonb_agg(jsonb_build_object('user', user_id, 'id', id, 'tier', tier, 'why', why, 'status', status,
          'fence', fence, 'code', error_code) order by requested_at), '[]') from slowwave.runs t where ${own()}) as runs,
      (select coalesce(jsonb_agg(jsonb_build_object('user', user_id, 'id', id, 'name', external_id, 'content', content,
          'version', version, 'type', memory_type, 'latest', is_latest and archived_at is null, 'by', superseded_by,
          'embedded', exists (select 1 from slowwave.embeddings e where e.tenant = t.tenant and e.user_id = t.user_id
            and e.memory_id = t.id and e.content_hash = t.content_hash))), '[]')
        from slowwave.memories t where ${own()}) as memories,
      (select coalesce(jsonb_agg(jsonb_build_object('user', f.user_id, 'key', f.key, 'request', f.request, 'tier', f.tier, 'status', f.status,
          'fence', f.fence, 'attempt', f.attempt, 'answerState', f.answer_state, 'code', f.error_code, 'run', f.run_id,
          'derived', f.derived_id, 'sources', (
            select coalesce(jsonb_agg(jsonb_build_object('name', m.external_id, 'hash', s.content_hash, 'live', s.live,
              'superseded', s.superseded) order by m.external_id), '[]')
            from slowwave.fusion_sources s join slowwave.memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
            where s.tenant = f.tenant and s.user_id = f.user_id and s.fusion_key = f.key))), '[]') from slowwave.fusions f where ${own('f')}) as fusions`),
  );
  return row!;
}

/** As the product stores it beside a memory. */
export const hashOf = (content: string): string => createHash('sha256').update(content, 'utf8').digest('hex');
