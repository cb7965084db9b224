import type { Database } from '@slowwave/db';
import { sql } from 'drizzle-orm';

/** The rules that a life of a memory may meet, in the order of the table. */
export const RULES = [
  'band active',
  'band dormant',
  'band archived',
  'window of deep [0.1, 0.5)',
  'window of sleep [0.05, 0.8)',
  'below every window (< 0.05)',
  'archived: low utility',
  'archived: expired',
  'audited: never recalled',
  'audited: not recalled in 30 days',
  'superseded by deep',
  'superseded by sleep',
  'connected by REM',
  'confirmed',
] as const;
export type Rule = (typeof RULES)[number];

/** A table of its own beside the service's, where a day's looks are kept. */
export async function createRuleBook(database: Database): Promise<void> {
  await database.asOwner(async (tx) => {
    await tx.rows(
      sql`create table public.reached (rule text, user_id text, id uuid, primary key (rule, user_id, id))`,
    );
  });
}

/** Notes which rules each memory meets at an instant (epoch ms). */
export async function noteRules(database: Database, at: number): Promise<void> {
  await database.asOwner(async (tx) => {
    await tx.rows(sql`
      insert into public.reached (rule, user_id, id)
      select rule, user_id, id from (
        select m.*, slowwave.prominence(category, memory_type, importance, confirmations, peak, anchor_at, demotion,
          to_timestamp(${at}::float8 / 1000)) as p
        from slowwave.memories m where is_latest and archived_at is null
      ) m cross join lateral (values
        ('band active', p >= 0.5), ('band dormant', p >= 0.1 and p < 0.5), ('band archived', p < 0.1),
        ('window of deep [0.1, 0.5)', p >= 0.1 and p < 0.5 and memory_type in ('regular', 'dynamic_profile')),
        ('window of sleep [0.05, 0.8)', p >= 0.05 and p < 0.8 and memory_type in ('regular', 'dynamic_profile')),
        ('below every window (< 0.05)', p < 0.05), ('confirmed', confirmations > 0)
      ) as r(rule, met)
      where met
      on conflict do nothing`);
  });
}

/** Notes what the journal and the rows tell at the end. */
export async function noteEnds(database: Database): Promise<void> {
  await database.asOwner(async (tx) => {
    await tx.rows(sql`
      insert into public.reached (rule, user_id, id)
      select 'archived: low utility', c.user_id, (c.row_key ->> 'id')::uuid from slowwave.changes c
        join slowwave.change_sets s on s.tenant = c.tenant and s.user_id = c.user_id and s.id = c.change_set_id and s.kind = 'archive'
        join slowwave.memories m on m.tenant = c.tenant and m.user_id = c.user_id and m.id = (c.row_key ->> 'id')::uuid
          and (m.expires_at is null or m.expires_at > m.archived_at)
      union
      select 'archived: expired', user_id, id from slowwave.memories where archived_at >= expires_at
      union
      select case when m.access_count = 0 then 'audited: never recalled' else 'audited: not recalled in 30 days' end, m.user_id, m.id
        from slowwave.memories m where audited_at is not null
      union
      select case f.tier when 'deep' then 'superseded by deep' else 'superseded by sleep' end, s.user_id, s.memory_id
        from slowwave.fusion_sources s
        join slowwave.fusions f on f.tenant = s.tenant and f.user_id = s.user_id and f.key = s.fusion_key and s.superseded
      union
      select 'connected by REM', user_id, unnest(array[source_id, target_id]) from slowwave.relations where hypothesis
      on conflict do nothing`);
  });
}

/** How many memories met each rule, of how many there are. */
export async function countRules(database: Database): Promise<{ total: number; met: Record<Rule, number> }> {
  return database.asOwner(async (tx) => {
    const [all] = await tx.rows<{ total: number }>(sql`select count(*)::int as total from slowwave.memories`);
    const rows = await tx.rows<{ rule: Rule; met: number }>(
      sql`select rule, count(*)::int as met from public.reached group by rule`,
    );
    const met = Object.fromEntries(RULES.map((rule) => [rule, 0])) as Record<Rule, number>;
    for (const row of rows) met[row.rule] = row.met;
    return { total: all!.total, met };
  });
}
