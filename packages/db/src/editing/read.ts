import type { MemoryCategory, MemoryType } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { msOf } from '../instants.ts';
import { addressed } from '../memories/addressed.ts';

/** A memory as an edit finds it. Instants in epoch ms. */
export interface Editable {
  id: string;
  version: number;
  memoryType: MemoryType;
  supersededBy: string | null;
  content: string;
  category: MemoryCategory;
  importance: number;
  validFrom: number | null;
  validTo: number | null;
  eventDate: number | null;
  /** The fusion that superseded it, when one did. */
  holder: string | null;
  /** Of a source of a statement: merges of notes that say the statement again, newest first. */
  again: string[];
  /** The fusions through which it stands for others: merges that kept it, newest first, and the one that made it. */
  made: string[];
  /** Settled conflicts in which it was found to hold all that another says: their change sets. */
  subsumed: string[];
}

/** The memory that is meant, not locked. */
export async function readEditable(
  tx: Transaction,
  of: { tenant: string; user: string; id: string },
): Promise<Editable | undefined> {
  const [row] = await tx.rows<Editable>(sql`
    select m.id, m.version, m.memory_type as "memoryType", m.superseded_by as "supersededBy", m.content, m.category, m.importance,
      ${msOf('m.valid_from')} as "validFrom", ${msOf('m.valid_to')} as "validTo", ${msOf('m.event_date')} as "eventDate",
      (select s.fusion_key from slowwave.fusion_sources s
        where ${owned(of, 's')} and s.memory_id = m.id and s.superseded limit 1) as holder,
      (select coalesce(jsonb_agg(f.key order by f.updated_at desc, f.key), '[]') from slowwave.fusions f
        where ${owned(of, 'f')} and f.derived_id = m.superseded_by and f.status = 'applied' and f.kind = 'merge'
          and exists (select 1 from slowwave.fusion_sources s join slowwave.fusions h on ${owned(of, 'h')} and h.key = s.fusion_key
            where ${owned(of, 's')} and s.memory_id = m.id and s.superseded and h.kind = 'fusion')) as again,
      -- Whether its sources are still here or in the cold table by now.
      (select coalesce(jsonb_agg(f.key order by f.kind desc, f.updated_at desc, f.key), '[]') from slowwave.fusions f
        where ${owned(of, 'f')} and f.derived_id = m.id and f.status = 'applied') as made,
      (select coalesce(jsonb_agg(distinct c.change_set_id), '[]') from (
          select n.id from slowwave.memories n where ${owned(of, 'n')} and n.superseded_by = m.id
          union all
          select l.id from slowwave.cold_memories l where ${owned(of, 'l')} and l.memory->>'superseded_by' = m.id::text
        ) lost
        join slowwave.changes c on ${owned(of, 'c')} and c.table_name = 'memories' and c.row_key->>'id' = lost.id::text
          and c.after->>'superseded_by' = m.id::text
        join slowwave.change_sets s on ${owned(of, 's')} and s.id = c.change_set_id and s.kind = 'conflict' and s.undone_by is null
        join slowwave.changes k on ${owned(of, 'k')} and k.change_set_id = s.id and k.table_name = 'conflicts'
          and k.after->>'resolved_by' = 'code') as subsumed
    from slowwave.memories m where ${owned(of, 'm')} and m.id = ${addressed(of)}`);
  return row;
}
