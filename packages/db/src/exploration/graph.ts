import type { Edge, RemNode } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf, msOf } from '../instants.ts';
import { prominenceOf } from '../memories/candidates.ts';

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
export async function readRemState(
  tx: Transaction,
  of: Owner,
): Promise<{ graph: string | null; explored: string | null }> {
  const [row] = await tx.rows<{ graph: string | null; explored: string | null }>(sql`
    select ${graphHash(of)} as graph,
      (select p.rem_graph from slowwave.user_profiles p where ${owned(of, 'p')}) as explored`);
  return row!;
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

/**
 * What REM explores, in three statements whatever the number of memories: latest, not archived, no profile and no reflection of the
 * assistant's; the most important and prominent ones of a large user.
 * @param input.at epoch ms
 * @param input.embeddingModel the model whose neighbours count
 * @param input.threshold cosine from which two memories are related under that model
 */
export async function loadRemGraph(
  tx: Transaction,
  input: Owner & { at: number; embeddingModel: string; threshold: number },
): Promise<RemGraph> {
  const nodes = await tx.rows<RemNode>(sql`
    select id, version, content, category, importance, prominence, "documentDate" from (
      select m.id, m.version, m.content, m.category, m.importance, ${prominenceOf(input.at)} as prominence,
        ${msOf('m.document_date')} as "documentDate"
      from slowwave.memories m
      where ${explorable(input)} and m.archived_at is null
    ) weighed
    order by importance * prominence desc, id
    limit ${REM_NODE_LIMIT}`);
  const edges = await listEdges(
    tx,
    input,
    nodes.map((node) => node.id),
  );
  const { graph } = await readRemState(tx, input);
  return { nodes, edges, graph: graph ?? '', threshold: input.threshold };
}

/** Relations and stored neighbours among the given memories, in one statement; a pair of neighbours once. */
async function listEdges(
  tx: Transaction,
  input: Owner & { at: number; embeddingModel: string },
  ids: readonly string[],
): Promise<Edge[]> {
  const members = uuidArray(ids);
  const rows = await tx.rows<Edge & { relationType: Edge['relationType'] | null }>(sql`
    select r.source_id as a, r.target_id as b,
      slowwave.hypothesis_confidence(r.hypothesis, r.confidence, r.created_at, ${instantOf(input.at)}) as weight,
      'relation' as kind, r.relation_type as "relationType"
    from slowwave.relations r
    where ${owned(input, 'r')} and r.source_id = any(${members}) and r.target_id = any(${members})
    union all
    select least(n.memory_id, n.neighbour_id), greatest(n.memory_id, n.neighbour_id), max(n.cosine)::float8, 'neighbour', null
    from slowwave.neighbours n
    where ${owned(input, 'n')} and n.model = ${input.embeddingModel}
      and n.memory_id = any(${members}) and n.neighbour_id = any(${members})
    group by 1, 2`);
  return rows.map(({ relationType, ...edge }) => (relationType ? { ...edge, relationType } : edge));
}
