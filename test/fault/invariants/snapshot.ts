import { sql } from 'drizzle-orm';
import type { Look, Snapshot } from './types.ts';

/** What undo answers for, as it stands now; as text, so that no number is rounded on its way. */
export async function takeSnapshot({ rows, mine }: Look): Promise<Snapshot> {
  const [row] = await rows<Snapshot>(sql`
    select
      (select coalesce(jsonb_agg(to_jsonb(m) - 'words'), '[]')::text from slowwave.memories m where ${mine('m')}) as memories,
      (select coalesce(jsonb_agg(to_jsonb(r)), '[]')::text from slowwave.relations r where ${mine('r')}) as relations,
      (select coalesce(jsonb_agg(to_jsonb(k)), '[]')::text from slowwave.conflicts k where ${mine('k')}) as conflicts,
      (select count(*)::int from slowwave.users u where ${mine('u')}) as users`);
  return row!;
}
