import { BM25, cosineSlope } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { lookup } from '../lookups.ts';
import { anyRow, type Question } from '../questions.ts';
import { dropPairs, ofModel, trimPairs } from './neighbours.ts';

/** Close memories kept of each. */
export const CLOSE_LIMIT = 16;
/** Memories that are compared in one transaction: it holds the lease, which cannot be renewed meanwhile. */
export const COMPARED_AT_ONCE = 256;
/** A word that more of the user's memories have says little of any pair, and would make many. */
export const COMMON_WORD = 500;
/** Of each memory, those that share most by words whose cosine is looked at; beside its stored neighbours. */
const BY_WORDS = 48;

const CLOSENESS = { table: sql`slowwave.closeness`, other: sql`other_id` };

type Owner = { tenant: string; user: string; model: string };

/** As closenessOf of the core. */
export function closeness(words: SQL, cosine: SQL, threshold: number): SQL {
  return sql`(${words} + greatest(0, 1 - (1 - ${cosine}) * ${cosineSlope(threshold)}::float8))`;
}

/** Latest memories with an embedding of the model that no run has compared by words, in their present contents, as rows called w. */
const uncompared = (of: Owner): SQL => sql`slowwave.word_scores w
  ${lookup(sql`
    select 1 from slowwave.memories m
    where ${owned(of, 'm')} and m.id = w.memory_id and m.content_hash = w.content_hash and m.is_latest`)} m
  where ${ofModel(of, 'w')} and w.score is null`;

/** Whether any memory waits to be compared. */
export function askUncompared(of: Owner): Question<boolean> {
  return anyRow(sql`select 1 from ${uncompared(of)}`);
}

/** The first so many of them, oldest first. */
export async function listUncompared(tx: Transaction, of: Owner & { limit: number }): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    sql`select w.memory_id as id from ${uncompared(of)} order by w.memory_id limit ${of.limit}`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Compares embedded memories by words with all latest ones of their user that were compared before, or are among these, and stores the
 * closest of each by words and vector together; then trims the lists of the others. Words of the user's memories are read once; pairs come
 * from words that few memories have, and from stored neighbours. Weights keep the frequencies of this day.
 *
 * Symmetric BM25: the score of one as a question for the other over its score for itself (Robertson and Zaragoza, 2009), mean of both ways.
 * @returns pairs stored
 */
export async function storeCloseness(
  tx: Transaction,
  input: Owner & { ids: readonly string[]; threshold: number },
): Promise<number> {
  if (input.ids.length === 0) return 0;
  const fresh = uuidArray(input.ids);
  await dropPairs(tx, input, { ...CLOSENESS, ids: input.ids });
  const weight = closeness(sql`c.words`, sql`c.cosine`, input.threshold);
  const [stored] = await tx.rows<{ pairs: number; touched: string[] }>(sql`
    with notes as materialized (
      select row_number() over () as no, m.id, w.fresh, w.score, octet_length(m.content) as size, m.words
      from slowwave.memories m ${lookup(sql`
        select w.score, w.memory_id in (select unnest(${fresh})) as fresh from slowwave.word_scores w
        where ${ofModel(input, 'w')} and w.memory_id = m.id and w.content_hash = m.content_hash`)} w
      where ${owned(input, 'm')} and m.is_latest
    ), totals as materialized (
      select count(*)::float8 as notes, greatest(1, coalesce(avg(size), 1))::float8 as size from notes
    ), asked as materialized (
      select distinct w.lexeme from notes n cross join lateral unnest(n.words) w where n.fresh
    ), held as (
      select w.lexeme, n.no, n.fresh, n.score,
        w.times * ${BM25.saturation + 1}::float8
          / (w.times + ${BM25.saturation}::float8 * (${1 - BM25.lengthShare}::float8 + ${BM25.lengthShare}::float8 * n.size / t.size)) as share
      from totals t cross join notes n cross join lateral (
        select lexeme, cardinality(array_positions(weights, 'A'))::float8 as times from unnest(n.words)
        -- A hash of the words, and not a join that the planner may take for a small one.
        where (lexeme in (select lexeme from asked)) is true
      ) w where w.times > 0
    -- No join finds who shares a word: whatever the planner guesses of these rows, they are read once.
    ), told as materialized (
      select count(*) as among, ln(1 + (max(t.notes) - count(*) + 0.5) / (count(*) + 0.5)) as rarity,
        array_agg(no) filter (where fresh) as fresh, array_agg(share) filter (where fresh) as fresh_shares,
        array_agg(no) filter (where fresh or score is not null) as others,
        array_agg(share) filter (where fresh or score is not null) as shares
      from held cross join totals t group by lexeme having bool_or(fresh)
    ), scores as materialized (
      select f.no, sum(rarity * f.share) as score from told cross join lateral unnest(fresh, fresh_shares) f(no, share) group by f.no
    ), known as materialized (
      select array_agg(n.id order by n.no) as ids, array_agg(coalesce(s.score, n.score::float8, 0) order by n.no) as scores
      from notes n left join scores s using (no)
    ), shared as materialized (
      select k.ids[p.no] as id, k.ids[p.other] as other,
        (p.forth / nullif(k.scores[p.no], 0) + p.back / nullif(k.scores[p.other], 0)) / 2 as words
      from known k cross join (
        select f.no, o.no as other, sum(rarity * o.share) as forth, sum(rarity * f.share) as back
        from told cross join lateral unnest(fresh, fresh_shares) f(no, share) cross join lateral unnest(others, shares) o(no, share)
        where among <= ${COMMON_WORD} and o.no <> f.no
        group by f.no, o.no
      ) p
    ), near as materialized (
      select f.id, n.other from notes f ${lookup(sql`
        select n.neighbour_id as other from slowwave.neighbours n where ${ofModel(input, 'n')} and n.memory_id = f.id`)} n
      where f.fresh
    ), pairs as materialized (
      select id, other, words from (
        select id, other, words, row_number() over (partition by id order by words desc nulls last, other) as place from shared
      ) ranked where place <= ${BY_WORDS} or (id, other) in (select id, other from near)
      union all
      select id, other, 0 from near where (id, other) not in (select id, other from shared)
    ), compared as materialized (
      select p.id, p.other, least(1, coalesce(p.words, 0))::real as words,
        -- A zero vector has no direction.
        coalesce(nullif(1 - (a.direction <=> b.direction), 'NaN'::float8), 0)::real as cosine
      from pairs p ${vectorOf(input, sql`p.id`)} a ${vectorOf(input, sql`p.other`)} b
    ), best as (
      select id, other, words, cosine from (
        select c.*, row_number() over (partition by c.id order by ${weight} desc, c.other) as place from compared c
        where ${weight} > 0
      ) ranked where place <= ${CLOSE_LIMIT}
    ), both_ways as (
      select id, other, words, cosine from best union all select other, id, words, cosine from best
    ), marked as (
      update slowwave.word_scores w set score = coalesce(s.score, 0)
      -- What was changed or superseded meanwhile is no note: it waits until it is latest, in the words of its vector.
      from notes n left join scores s using (no)
      where n.fresh and ${ofModel(input, 'w')} and w.memory_id = n.id and w.memory_id = any(${fresh})
    ), inserted as (
      insert into slowwave.closeness (tenant, user_id, model, memory_id, other_id, words, cosine)
      select ${input.tenant}, ${input.user}, ${input.model}, id, other, max(words), max(cosine) from both_ways group by id, other
      returning memory_id
    )
    select count(*)::int as pairs, coalesce(jsonb_agg(distinct memory_id), '[]') as touched from inserted`);
  await trimPairs(tx, input, {
    ...CLOSENESS,
    order: sql`${closeness(sql`p.words`, sql`p.cosine`, input.threshold)} desc, p.other_id`,
    limit: CLOSE_LIMIT,
    touched: stored!.touched,
  });
  return stored!.pairs;
}

/** The vector of one latest memory. */
const vectorOf = (of: Owner, id: SQL): SQL =>
  lookup(sql`
    select coalesce(e.vector, e.long_vector) as direction
    from slowwave.embeddings e join slowwave.memories m on ${owned(of, 'm')} and m.id = e.memory_id and m.is_latest
    where ${ofModel(of, 'e')} and e.memory_id = ${id}`);
