import { sql } from 'drizzle-orm';
import { plantedIn, saysFact } from './facts.ts';
import type { Invariant } from './types.ts';

interface Pair {
  tenant: string;
  user: string;
  id: string;
  content: string;
  /** What superseded it; null when that is not there. */
  by: string;
  byContent: string | null;
}

interface Derived {
  tenant: string;
  user: string;
  id: string;
  content: string;
  sources: string[];
}

const isCode = (planted: string): boolean => planted.startsWith('K');

/**
 * A judgement of its own, without the gate: whatever was planted in a superseded source stands in the text of what superseded it, each code beside
 * its own thing and place, and a derived text has no code that none of its sources had.
 */
export const wordsKept: Invariant = async ({ rows, mine }) => {
  const pairs = await rows<Pair>(sql`
    select m.tenant, m.user_id as "user", m.id, m.content, s.derived_id as by, d.content as "byContent"
    from slowwave.memories m
    join (
      select s.tenant, s.user_id, s.memory_id, f.derived_id from slowwave.fusion_sources s
      join slowwave.fusions f on f.tenant = s.tenant and f.user_id = s.user_id and f.key = s.fusion_key
      where ${mine('s')} and s.superseded and f.status = 'applied'
    ) s on s.tenant = m.tenant and s.user_id = m.user_id and s.memory_id = m.id
    left join slowwave.memories d on d.tenant = m.tenant and d.user_id = m.user_id and d.id = s.derived_id
    where ${mine('m')}
    order by 1, 2, 3`);
  const derived = await rows<Derived>(sql`
    select d.tenant, d.user_id as "user", d.id, d.content, array_agg(m.content) as sources
    from slowwave.fusions f
    join slowwave.memories d on d.tenant = f.tenant and d.user_id = f.user_id and d.id = f.derived_id
    join slowwave.fusion_sources s on s.tenant = f.tenant and s.user_id = f.user_id and s.fusion_key = f.key
    join slowwave.memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
    where ${mine('f')} and f.kind = 'fusion' and f.status = 'applied'
    group by 1, 2, 3, 4
    order by 1, 2, 3`);
  return [...pairs.flatMap(lostIn), ...derived.flatMap(inventedIn)];
};

/** What was planted is told by where it stands, not by itself. */
function lostIn({ tenant, user, id, content, by, byContent }: Pair): string[] {
  // Another invariant tells of what is not there.
  if (byContent === null) return [];
  const kept = new Set(plantedIn(byContent));
  const lost = plantedIn(content).filter((planted) => {
    if (!kept.has(planted)) return true;
    return isCode(planted) && saysFact(content, planted) && !saysFact(byContent, planted);
  });
  if (lost.length === 0) return [];
  return [`${tenant}/${user}: ${lost.length} things that ${id} said are not in ${by}, which superseded it`];
}

function inventedIn({ tenant, user, id, content, sources }: Derived): string[] {
  const said = new Set(sources.flatMap(plantedIn));
  const strange = plantedIn(content).filter((planted) => !said.has(planted));
  if (strange.length === 0) return [];
  return [`${tenant}/${user}: ${id} says ${strange.length} things that none of its sources said`];
}
