import { RELATION_TYPES, type RelationType } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { msOf } from '../instants.ts';
import { saidFromMs, saidToMs } from '../recall/filter.ts';
import { locateMemory } from './locate.ts';
import { type StoredMemory, storedColumns, withBand } from './stored.ts';

type RelationCounts = Record<RelationType, number>;

/** One memory, with what hangs on it. */
export interface MemoryDetail extends StoredMemory {
  /** From the oldest to the newest day on which it was said, epoch ms; they differ in derived memories. */
  said: { from: number; to: number };
  confirmations: number;
  /** Epoch ms of the last one. */
  recalls: { count: number; lastAt: number | null };
  /** Relations that lead from it and to it; connections that sleep only thought of are counted apart. */
  relations: { outgoing: RelationCounts; incoming: RelationCounts };
  hypotheses: number;
  /** Memories that it stands in place of; those in cold storage are not counted. */
  supersedes: number;
  /** Of a derived memory: what its sources said. */
  sourceChunk: string | null;
  metadata: Record<string, unknown>;
}

interface Row extends Omit<MemoryDetail, 'band' | 'recalls' | 'relations' | 'said'> {
  saidFrom: number;
  saidTo: number;
  accessCount: number;
  lastAccessed: number | null;
  outgoing: Partial<RelationCounts>;
  incoming: Partial<RelationCounts>;
}

/**
 * One memory.
 * @param input.user absent: whoever's of the tenant it is
 * @param input.id our id, or the writer's own
 * @param input.at epoch ms: prominence and band are as of then
 * @returns null when there is no such memory
 * @throws MemoryRefused `ambiguous` when several users have a memory of that name and none is given
 */
export async function getMemory(
  tx: Transaction,
  input: { tenant: string; user?: string | undefined; id: string; at: number },
): Promise<MemoryDetail | null> {
  const address = await locateMemory(tx, input);
  if (!address) return null;
  const row = await readDetail(tx, { tenant: input.tenant, ...address }, input.at);
  if (!row) return null;
  const { accessCount, lastAccessed, outgoing, incoming, saidFrom, saidTo, ...rest } = row;
  return {
    ...withBand(rest),
    said: { from: saidFrom, to: saidTo },
    recalls: { count: accessCount, lastAt: lastAccessed },
    relations: { outgoing: everyType(outgoing), incoming: everyType(incoming) },
  };
}

const everyType = (counts: Partial<RelationCounts>): RelationCounts =>
  Object.fromEntries(RELATION_TYPES.map((type) => [type, counts[type] ?? 0])) as RelationCounts;

async function readDetail(
  tx: Transaction,
  of: { tenant: string; user: string; id: string },
  at: number,
): Promise<Row | undefined> {
  const counted = (end: 'source_id' | 'target_id') => sql`(
    select coalesce(jsonb_object_agg(t.type, t.count), '{}') from (
      select r.relation_type as type, count(*)::int as count from slowwave.relations r
      where ${owned(of, 'r')} and r.${sql.raw(end)} = m.id and not r.hypothesis group by 1) t)`;
  const [row] = await tx.rows<Row>(sql`
    select ${storedColumns(at)}, m.confirmations, m.access_count as "accessCount", ${msOf('m.last_accessed')} as "lastAccessed",
      ${saidFromMs(of)} as "saidFrom", ${saidToMs(of)} as "saidTo", ${counted('source_id')} as outgoing, ${counted('target_id')} as incoming,
      (select count(*)::int from slowwave.relations r
        where ${owned(of, 'r')} and m.id in (r.source_id, r.target_id) and r.hypothesis) as hypotheses,
      (select count(*)::int from slowwave.memories n where ${owned(of, 'n')} and n.superseded_by = m.id) as supersedes,
      m.source_chunk as "sourceChunk", m.metadata
    from slowwave.memories m where ${owned(of, 'm')} and m.id = ${of.id}::uuid`);
  return row;
}
