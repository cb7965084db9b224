import {
  BM25,
  type Collection,
  type Matches,
  type MemoryCategory,
  type MemoryType,
  type Origin,
  type RecallHit,
} from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { msOf } from '../instants.ts';
import { lookup } from '../lookups.ts';
import { prominenceOf } from '../memories/candidates.ts';
import { vectorText } from '../memories/dimensions.ts';
import { filterOf, hasFilter, type RecallFilter, saidFromMs, saidToMs } from './filter.ts';
import type { QuestionWord } from './words.ts';

/** Memories that the search by words, and the one by vector, bring for so many results: what either alone would put further down. */
const byWords = (limit: number): number => 20 + 2 * limit;
/** A memory is not ranked by its length where so many times more have rarer words of the question: no length would lift it among them. */
const HEAVIER = 5;
/** Sets of words, the rarest first, of which memories are ranked. */
const MASKS = 200;
/** Vectors that are compared for each that is wanted, since some are of superseded memories. */
const SLACK = 6;
const byVector = (limit: number): number => 10 + limit;

/** A memory that a question brought back. */
export interface FoundMemory extends RecallHit {
  externalId: string | null;
  content: string;
  category: MemoryCategory;
  memoryType: MemoryType;
  origin: Origin;
  trust: number;
  isLatest: boolean;
  supersededBy: string | null;
  /** Epoch ms; null while it is not archived. */
  archivedAt: number | null;
  eventDate: number | null;
  /** From the oldest to the newest day on which it was said, epoch ms; the same but for derived memories. */
  said: { from: number; to: number };
}

export interface Search {
  tenant: string;
  user: string;
  words: readonly QuestionWord[];
  /** The query's vector, and the model that made it; null: by words alone. */
  vector: Float32Array | null;
  model: string;
  /** Epoch ms. */
  at: number;
  includeSuperseded: boolean;
  filter: RecallFilter;
  /** Results that are wanted. */
  limit: number;
}

export interface Found {
  collection: Collection;
  memories: FoundMemory[];
}

/**
 * The best of a user's memories by vector and by the words of the question, and what BM25 needs to know of all of them, in one
 * statement. It reads the words and the vector of each memory once, and the texts of those alone that it returns.
 */
export async function searchMemories(tx: Transaction, search: Search): Promise<Found> {
  const scope = sql`${owned(search, 'm')} and (m.is_latest or ${search.includeSuperseded})`;
  const filter = filterOf(search);
  const rows = await tx.rows<CollectionRow & (MemoryRow | { id: null })>(sql`
    with asked as materialized (
      select ${search.vector && vectorText(search.vector)}::vector as vector
    ), marked as materialized (
      select m.id, octet_length(m.content) as size, ${filter} as wanted, ${maskOf(search.words, 'A')} as mask,
        case when m.source_chunk is null then 0 else ${maskOf(search.words, 'C')} end as sources
      from slowwave.memories m where ${scope}
    ), totals as materialized (
      select count(*)::int as memories, coalesce(avg(size), 0)::float8 as size from marked
    ), masks as materialized (
      select mask, sources, count(*) as memories, count(*) filter (where wanted) as wanted from marked where mask <> 0 or sources <> 0 group by mask, sources
    ), frequencies as materialized (
      select place, coalesce(sum(memories) filter (where mask >> place & 1 = 1), 0)::int as memories
      from generate_series(0, ${search.words.length}::int - 1) place left join masks on true group by place
    ), weights as materialized (
      select mask, sources, sum(masks.wanted) over (order by weight desc, mask, sources) - masks.wanted as heavier, weight
      from masks cross join lateral (
        select sum(ln(1 + (totals.memories - f.memories + 0.5) / (f.memories + 0.5))
          * case when mask >> place & 1 = 1 then 1 when sources >> place & 1 = 1 then 0.2 else 0 end) as weight
        from frequencies f cross join totals
      ) w order by weight desc, mask, sources limit ${MASKS}
    ), near as materialized (
      ${nearest(search, scope, filter)}
    ), found as (
      (select id from near where similarity is not null order by similarity desc, id limit ${byVector(search.limit)})
      union
      (select id from marked join weights using (mask, sources) cross join totals
        where marked.wanted and heavier < ${HEAVIER * byWords(search.limit)}
        order by weight / (1 + ${BM25.saturation}::float8 * (${1 - BM25.lengthShare}::float8 + ${BM25.lengthShare}::float8 * marked.size / greatest(totals.size, 1))) desc, id limit ${byWords(search.limit)})
    ), lexemes as materialized (
      select (word.place - 1)::int as place, lexeme
      from jsonb_array_elements(${JSON.stringify(search.words)}::jsonb) with ordinality word (forms, place),
        jsonb_array_elements_text(word.forms) lexeme
    )
    select totals.memories as "inAll", totals.size as "averageSize",
      array(select f.memories from frequencies f order by f.place) as "memoriesWith", hits.*
    from totals left join (
      select m.id, m.external_id as "externalId", m.content, m.category, m.memory_type as "memoryType", m.origin, m.trust, m.is_latest as "isLatest",
        m.superseded_by as "supersededBy", ${msOf('m.archived_at')} as "archivedAt", ${msOf('m.document_date')} as "documentDate",
        ${msOf('m.event_date')} as "eventDate", ${saidFromMs(search)} as "saidFrom", ${saidToMs(search)} as "saidTo", ${prominenceOf(search.at)} as prominence,
        ${cosine} as similarity, octet_length(m.content) as size, words.occurrences
      from found ${lookup(sql`select * from slowwave.memories m where ${owned(search, 'm')} and m.id = found.id`)} m
      cross join asked
      left join lateral (
        select vector, long_vector from slowwave.embeddings e
        where ${owned(search, 'e')} and e.memory_id = m.id and e.model = ${search.model} and e.content_hash = m.content_hash
        -- As in a lookup: one by one.
        offset 0
      ) e on true
      cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_array(lexemes.place, cardinality(array_positions(w.weights, 'A')), 'C' = any (w.weights))), '[]')
          as occurrences
        from unnest(m.words) w join lexemes on lexemes.lexeme = w.lexeme
      ) words
    ) hits on true`);
  const { inAll, averageSize, memoriesWith } = rows[0]!;
  return { collection: { memories: inAll, averageSize, memoriesWith }, memories: rows.flatMap(memoryOf) };
}

/**
 * The ids nearest by vector. Joining every vector with its memory takes as long as comparing them all: so the nearest are sought among
 * the vectors, with slack for those of superseded memories; only a filter, which may leave out any number, needs the join first.
 */
function nearest(search: Search, scope: SQL, filter: SQL): SQL {
  if (search.vector === null) return sql`select null::uuid as id, null::float8 as similarity where false`;
  const vectors = sql`${owned(search, 'e')} and e.model = ${search.model}`;
  const memory = (which: SQL) =>
    sql`${lookup(sql`
        select m.id from slowwave.memories m
        where ${owned(search, 'm')} and m.id = e.memory_id and m.content_hash = e.content_hash and ${which}`)} m`;
  if (hasFilter(search.filter)) {
    return sql`
      select m.id, ${cosine} as similarity from asked cross join slowwave.embeddings e
      ${memory(sql`${scope} and ${filter}`)} where ${vectors}`;
  }
  return sql`
      select m.id, e.similarity from (
        select e.tenant, e.user_id, e.memory_id, e.content_hash, ${cosine} as similarity
        from asked cross join slowwave.embeddings e where ${vectors}
        order by ${cosine} desc nulls last limit ${SLACK * byVector(search.limit)}
      ) e ${memory(scope)}`;
}

interface CollectionRow {
  inAll: number;
  averageSize: number;
  memoriesWith: number[];
}

interface MemoryRow extends Omit<FoundMemory, 'said' | keyof Matches> {
  saidFrom: number;
  saidTo: number;
  size: number;
  /** Of each form of a word: the word's place in the question, how often the content has it, and whether a source has it. */
  occurrences: [place: number, times: number, inSources: boolean][];
}

const memoryOf = (row: CollectionRow & (MemoryRow | { id: null })): FoundMemory[] => {
  if (row.id === null) return [];
  const { inAll, averageSize, memoriesWith, saidFrom, saidTo, occurrences, ...memory } = row;
  const said = { from: saidFrom, to: saidTo };
  const counts = memoriesWith.map(() => 0);
  const inSources = memoriesWith.map(() => false);
  for (const [place, times, has] of occurrences) {
    counts[place]! += times;
    inSources[place] ||= has;
  }
  return [{ ...memory, said, counts, inSources }];
};

/** A bit for each word of the question that a memory m has under a label: A in its content, C in its sources. */
function maskOf(words: readonly QuestionWord[], label: 'A' | 'C'): SQL {
  const bits = words.map(
    (forms, place) =>
      sql`case when m.words @@ ${tsqueryOf(forms, label)}::tsquery then ${sql.raw(String(2 ** place))}::bigint else 0 end`,
  );
  return bits.length === 0 ? sql`0::bigint` : sql`(${sql.join(bits, sql` + `)})`;
}

/** Any of a word's forms. Each is quoted: nothing in it is an operator. */
const tsqueryOf = (forms: QuestionWord, label: 'A' | 'C'): string =>
  forms.map((form) => `'${form.replaceAll('\\', '\\\\').replaceAll("'", "''")}':${label}`).join(' | ');

/**
 * The cosine of an embedding e to the question. Null where there is none: a vector without direction, or one of another length, which
 * embedding will complain about where it can be mended.
 */
const cosine: SQL = sql`case when vector_dims(coalesce(e.vector, e.long_vector)) = vector_dims(asked.vector)
  then nullif(1 - (coalesce(e.vector, e.long_vector) <=> asked.vector), 'NaN'::float8) end`;
