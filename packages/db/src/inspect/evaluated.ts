import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { saidFromMs, saidToMs } from '../recall/filter.ts';

/** A memory as an evaluation looks at it. */
export interface EvaluatedMemory {
  id: string;
  externalId: string | null;
  content: string;
  isLatest: boolean;
  isArchived: boolean;
  supersededBy: string | null;
  memoryType: string;
  importance: number;
  saidFrom: number;
  saidTo: number;
  /** Whether it has a vector of its present content. */
  hasVector: boolean;
}

/** Every memory of a user, superseded ones included. For evaluations alone: it holds all texts at once. */
export function listEvaluated(
  tx: Transaction,
  of: { tenant: string; user: string; model: string },
): Promise<EvaluatedMemory[]> {
  return tx.rows(sql`
    select m.id, m.external_id as "externalId", m.content, m.is_latest as "isLatest", m.archived_at is not null as "isArchived",
      m.superseded_by as "supersededBy", m.memory_type as "memoryType", m.importance,
      ${saidFromMs(of)} as "saidFrom", ${saidToMs(of)} as "saidTo",
      exists (select 1 from slowwave.embeddings e where ${owned(of, 'e')} and e.memory_id = m.id and e.model = ${of.model}
        and e.content_hash = m.content_hash) as "hasVector"
    from slowwave.memories m where ${owned(of, 'm')} order by m.document_date, m.id`);
}
