import { sql } from 'drizzle-orm';
import { unsupported } from '../../fixtures/facts/claims.ts';
import type { Invariant } from './types.ts';

interface Statement {
  tenant: string;
  user: string;
  id: string;
  content: string;
  sources: string[];
}

/**
 * No latest derived memory states what the sources it supersedes do not. What stands in the database is read anew, by the grammar of what storms
 * seed: a scripted judge reads its requests by the same one, and nothing here has seen those.
 */
export const ownSources: Invariant = async ({ rows, mine }) => {
  const statements = await rows<Statement>(sql`
    with memory as (
      select m.tenant, m.user_id, m.id, m.content, m.superseded_by from slowwave.memories m where ${mine('m')}
      union all
      select c.tenant, c.user_id, c.id, c.memory->>'content', (c.memory->>'superseded_by')::uuid from slowwave.cold_memories c
      where ${mine('c')}
    )
    select d.tenant, d.user_id as "user", d.id, d.content, array_agg(s.content order by s.id) as sources
    from slowwave.memories d
    join memory s on s.tenant = d.tenant and s.user_id = d.user_id and s.superseded_by = d.id
    where ${mine('d')} and d.memory_type = 'derived' and d.is_latest
    group by 1, 2, 3, 4 order by 1, 2, 3`);
  return statements.flatMap(({ tenant, user, id, content, sources }) => {
    const strange = unsupported(content, sources);
    if (strange.length === 0) return [];
    return [
      `${tenant}/${user}: ${id} states ${strange.length} things that none of the ${sources.length} memories it superseded does`,
    ];
  });
};
