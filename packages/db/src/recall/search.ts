import type { MemoryCategory, MemoryType, RecallHit } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf, msOf } from '../instants.ts';
import { prominenceOf } from '../memories/candidates.ts';
import { vectorText } from '../memories/dimensions.ts';

/** Memories that each of the two searches brings at most. */
const PER_SEARCH = 50;

/**
 * Weights of words for `ts_rank`, from D to A. A word of the content (A) weighs what ts_rank gives an unmarked one, on which the
 * ranking of hits relies; a word that only the sources of a derived memory had (C) a fifth of it.
 */
const WORD_WEIGHTS = '{0.1, 0.02, 0.04, 0.1}';

/** A memory that a question brought back. */
export interface FoundMemory extends RecallHit {
  externalId: string | null;
  content: string;
  category: MemoryCategory;
  memoryType: MemoryType;
  isLatest: boolean;
  supersededBy: string | null;
  /** Epoch ms; null while it is not archived. */
  archivedAt: number | null;
  /** Epoch ms. */
  documentDate: number;
  eventDate: number | null;
}

export interface Search {
  tenant: string;
  user: string;
  query: string;
  /** The query's vector, and the model that made it. */
  vector: Float32Array;
  model: string;
  /** Epoch ms. */
  at: number;
  includeSuperseded: boolean;
  /** Look among the archived ones instead of the others. */
  archived: boolean;
}

/**
 * The best of a user's memories by cosine and by the words of the query, in one statement. Both values are given of whatever either
 * search found.
 */
export function searchMemories(tx: Transaction, search: Search): Promise<FoundMemory[]> {
  const scope = sql`${owned(search, 'm')} and (m.is_latest or ${search.includeSuperseded})
    and (m.archived_at is not null) = ${search.archived}`;
  return tx.rows(sql`
    with asked as materialized (
      select ${vectorText(search.vector)}::vector as vector, ${anyWordOf(search.query)} as words
    ), near as (
      select m.id, ${cosine} as similarity
      from asked cross join slowwave.embeddings e
      join slowwave.memories m on ${owned(search, 'm')} and m.id = e.memory_id
      where ${owned(search, 'e')} and e.model = ${search.model} and e.content_hash = m.content_hash and ${scope}
    ), found as (
      (select id from near where similarity is not null order by similarity desc, id limit ${PER_SEARCH})
      union
      (select m.id from asked cross join slowwave.memories m where ${scope} and m.words @@ asked.words
        order by ts_rank(${WORD_WEIGHTS}::float4[], m.words, asked.words) desc, m.id limit ${PER_SEARCH})
    )
    select m.id, m.external_id as "externalId", m.content, m.category, m.memory_type as "memoryType", m.is_latest as "isLatest",
      m.superseded_by as "supersededBy", ${msOf('m.archived_at')} as "archivedAt", ${msOf('m.document_date')} as "documentDate",
      ${msOf('m.event_date')} as "eventDate", ${prominenceOf(search.at)} as prominence, ${cosine} as similarity,
      case when m.words @@ asked.words then ts_rank(${WORD_WEIGHTS}::float4[], m.words, asked.words)::float8 end as "textRank"
    from found join slowwave.memories m on ${owned(search, 'm')} and m.id = found.id
    cross join asked
    left join slowwave.embeddings e
      on ${owned(search, 'e')} and e.memory_id = m.id and e.model = ${search.model} and e.content_hash = m.content_hash`);
}

/**
 * The cosine of an embedding e to the question. Null where there is none: a vector without direction, or one of another length, which
 * embedding will complain about where it can be mended.
 */
const cosine: SQL = sql`case when vector_dims(coalesce(e.vector, e.long_vector)) = vector_dims(asked.vector)
  then nullif(1 - (coalesce(e.vector, e.long_vector) <=> asked.vector), 'NaN'::float8) end`;

/** A tsquery for any of the text's words, null for a text without words. Words are quoted: nothing in them is an operator. */
function anyWordOf(text: string): SQL {
  return sql`(
    select string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')::tsquery
    from unnest(tsvector_to_array(to_tsvector('simple'::regconfig, ${text}))) as lexeme)`;
}

/**
 * Notes that a question was asked and what it brought back, and counts the recall on each of these, in one statement. Nothing of
 * prominence changes: being recalled is no confirmation. Rows are locked in one order, so that two questions do not wait for each other
 * in a circle; a memory that is gone by now is left out.
 * @param input.hits ids and scores, best first
 * @returns false when there is no such user
 */
export async function recordRecall(
  tx: Transaction,
  input: {
    tenant: string;
    user: string;
    eventId: string;
    query: string;
    at: number;
    hits: readonly { id: string; score: number }[];
  },
): Promise<boolean> {
  const at = instantOf(input.at);
  const hits = JSON.stringify(input.hits.map(({ id, score }, i) => ({ id, score, position: i + 1 })));
  const [row] = await tx.rows<{ known: boolean }>(sql`
    with hits as materialized (
      select * from jsonb_to_recordset(${hits}::jsonb) as r(id uuid, score real, position integer)
    ), event as (
      insert into slowwave.recall_events (tenant, user_id, id, query, recalled_at, hits)
      select u.tenant, u.id, ${input.eventId}::uuid, ${input.query}, ${at}, ${input.hits.length}
      from slowwave.users u where u.tenant = ${input.tenant} and u.id = ${input.user}
      returning id
    ), locked as (
      select m.id from slowwave.memories m
      where ${owned(input, 'm')} and m.id = any(array(select id from hits))
      order by m.id
      for no key update
    ), noted as (
      insert into slowwave.recall_hits (tenant, user_id, event_id, memory_id, position, score)
      select ${input.tenant}, ${input.user}, event.id, h.id, h.position, h.score
      from event cross join hits h join locked on locked.id = h.id
    ), counted as (
      update slowwave.memories m set access_count = m.access_count + 1, last_accessed = greatest(m.last_accessed, ${at})
      from locked where ${owned(input, 'm')} and m.id = locked.id
    )
    select exists (select 1 from event) as known`);
  return row!.known;
}
