import type { Edge, RelationType, RemNode } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf, msOf } from '../instants.ts';
import { isAmong } from '../lookups.ts';
import { prominenceOf } from '../memories/candidates.ts';
import { ask, type Question, theRow } from '../questions.ts';
import { judgedPairs } from './verdicts.ts';

/** Most memories that one exploration considers: those that matter most now. */
export const REM_NODE_LIMIT = 2_000;

interface Owner {
  tenant: string;
  user: string;
}

/** What is explored: latest, no profile, and none of the assistant's own reflections, so that no guess is built on a guess. */
function explorable(of: Owner): SQL {
  return sql`${owned(of, 'm')} and m.is_latest and m.memory_type <> 'static_profile' and m.learned_from <> 'self_reflection'`;
}

/**
 * Hash of the ids and versions of what there is to explore, as an SQL value. What fades or is archived changes nothing in it: only new
 * or changed memories are something new to explore. Null for a user without any.
 */
function graphHash(of: Owner): SQL {
  return sql`(
    select encode(sha256(convert_to(string_agg(m.id::text || ' ' || m.version, ',' order by m.id), 'UTF8')), 'hex')
    from slowwave.memories m where ${explorable(of)})`;
}

/** Whether there is anything new to explore: the graph as it is and as it was when it was last explored to its end. One look. */
export function readRemState(
  tx: Transaction,
  of: Owner,
): Promise<{ graph: string | null; explored: string | null }> {
  return ask(tx, askRemState(of));
}

/** As readRemState. */
export function askRemState(of: Owner): Question<{ graph: string | null; explored: string | null }> {
  return theRow(sql`
    select ${graphHash(of)} as graph,
      (select p.rem_graph from slowwave.user_profiles p where ${owned(of, 'p')}) as explored`);
}

export interface RemGraph {
  nodes: RemNode[];
  /**
   * Relations (weight: confidence, a hypothesis' as faded as it is by now) and stored neighbours (weight: cosine) among the nodes.
   * Neighbours at or above `threshold` count as linked.
   */
  edges: Edge[];
  /** Hash of ids and versions; the same as long as nothing was written, edited, fused or removed. */
  graph: string;
  /** Cosine from which a neighbour counts as linked. */
  threshold: number;
}

/** A row of the exploration's one statement: which columns say something depends on what it is. */
interface GraphRow {
  sort: 'node' | 'relation' | 'neighbour' | 'graph' | 'judged';
  item: RemNode | null;
  a: string | null;
  b: string | null;
  weight: number | null;
  word: string | null;
}

/**
 * What REM explores, in one statement whatever the number of memories: latest, not archived, no profile and no reflection of the
 * assistant's; the most important and prominent ones of a large user. With it comes which pairs were judged before.
 * @param input.at epoch ms
 * @param input.embeddingModel the model whose neighbours count
 * @param input.threshold cosine from which two memories are related under that model
 */
export async function loadRemGraph(
  tx: Transaction,
  input: Owner & { at: number; embeddingModel: string; threshold: number },
): Promise<RemGraph & { judged: Set<string> }> {
  const rows = await tx.rows<GraphRow>(sql`
    with nodes as materialized (${nodesOf(input)})
    select 'node' as sort, to_json(n) as item, null::uuid as a, null::uuid as b, null::float8 as weight, null::text as word from nodes n
    union all select sort, null, a, b, weight, word from (${edgesOf(input)}) e
    union all select 'graph', null, null, null, null, ${graphHash(input)}
    union all select 'judged', null, null, null, null, pair from (${judgedPairs(input)}) v`);
  const loaded = { nodes: [] as RemNode[], edges: [] as Edge[], graph: '', judged: new Set<string>() };
  for (const { sort, item, a, b, weight, word } of rows) {
    if (sort === 'node') loaded.nodes.push(item!);
    else if (sort === 'graph') loaded.graph = word ?? '';
    else if (sort === 'judged') loaded.judged.add(word!);
    else if (sort === 'neighbour') loaded.edges.push({ a: a!, b: b!, weight: weight!, kind: sort });
    else loaded.edges.push({ a: a!, b: b!, weight: weight!, kind: sort, relationType: word as RelationType });
  }
  return { ...loaded, threshold: input.threshold };
}

function nodesOf(input: Owner & { at: number }): SQL {
  return sql`
    select id, version, content, category, importance, prominence, "documentDate" from (
      select m.id, m.version, m.content, m.category, m.importance, ${prominenceOf(input.at)} as prominence,
        ${msOf('m.document_date')} as "documentDate"
      from slowwave.memories m
      where ${explorable(input)} and m.archived_at is null
    ) weighed
    order by importance * prominence desc, id
    limit ${REM_NODE_LIMIT}`;
}

/** Relations and stored neighbours among the nodes; a pair of neighbours once. */
function edgesOf(input: Owner & { at: number; embeddingModel: string }): SQL {
  const members = sql`any(array(select id from nodes))`;
  const isNode = (column: SQL) => isAmong(column, sql`select id from nodes`);
  return sql`
    select 'relation' as sort, r.source_id as a, r.target_id as b,
      slowwave.hypothesis_confidence(r.hypothesis, r.confidence, r.created_at, ${instantOf(input.at)}) as weight,
      r.relation_type as word
    from slowwave.relations r
    where ${owned(input, 'r')} and r.source_id = ${members} and ${isNode(sql`r.target_id`)}
    union all
    select 'neighbour', least(n.memory_id, n.neighbour_id), greatest(n.memory_id, n.neighbour_id), max(n.cosine)::float8, null
    from slowwave.neighbours n
    where ${owned(input, 'n')} and n.model = ${input.embeddingModel} and n.memory_id = ${members} and ${isNode(sql`n.neighbour_id`)}
    group by 2, 3`;
}
