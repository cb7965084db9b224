import type { Candidate, Edge, LoadedCandidates, PlanWindow } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import { disputedMemories, listApart } from '../conflicts/disputed.ts';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';

/** Most candidates that one plan considers; the dimmest come first, since they fade next. */
const CANDIDATE_LIMIT = 50_000;
/**
 * Most edges of each sort that one plan considers: all of 50,000 memories would take a gigabyte. The strongest come first, as they join
 * first, and are far more than one plan has clusters for; the others have their turn when these are fused.
 */
const EDGE_LIMIT = 100_000;

/** Thresholds whose crossing times are stored: a window between two of them is an index range. */
const CROSSING_COLUMNS: Record<string, string> = {
  '0.8': 'm.crosses_080_at',
  '0.5': 'm.crosses_050_at',
  '0.1': 'm.crosses_010_at',
  '0.05': 'm.crosses_005_at',
};

/** Prominence at an instant, of a row called m. */
export function prominenceOf(at: number): SQL {
  return sql`slowwave.prominence(m.category, m.memory_type, m.importance, m.confirmations, m.peak, m.anchor_at, m.demotion, ${instantOf(at)})`;
}

function below(threshold: number, at: number): SQL {
  const column = CROSSING_COLUMNS[String(threshold)];
  return column
    ? sql`${sql.raw(column)} < ${instantOf(at)}`
    : sql`${prominenceOf(at)} < ${threshold}::float8`;
}

function atLeast(threshold: number, at: number): SQL {
  const column = CROSSING_COLUMNS[String(threshold)];
  return column
    ? sql`${sql.raw(column)} >= ${instantOf(at)}`
    : sql`${prominenceOf(at)} >= ${threshold}::float8`;
}

/** The columns of a candidate, of a row called m. */
export function candidateColumns(at: number): SQL {
  return sql`m.id, m.content_hash as "contentHash", m.version, m.content, m.category, m.memory_type as "memoryType", m.origin,
    m.visibility, m.importance, m.confidence, m.trust, ${prominenceOf(at)} as prominence, m.confirmations,
    ${msOf('m.document_date')} as "documentDate", ${msOf('m.event_date')} as "eventDate",
    ${msOf('m.valid_from')} as "validFrom", ${msOf('m.valid_to')} as "validTo", ${msOf('m.created_at')} as "createdAt"`;
}

interface Scope {
  tenant: string;
  user: string;
  at: number;
}

/** What a plan may consider: inside the window, latest, not archived, not profile, derived, waiting for a review or in an open conflict. */
function listCandidates(tx: Transaction, scope: Scope, window: PlanWindow): Promise<Candidate[]> {
  return tx.rows(sql`
    with disputed as materialized (${disputedMemories(scope)})
    select ${candidateColumns(scope.at)}
    from slowwave.memories m
    where m.tenant = ${scope.tenant} and m.user_id = ${scope.user} and m.is_latest and m.archived_at is null
      and m.memory_type in ('regular', 'dynamic_profile')
      and ${below(window.maxProminence, scope.at)} and ${atLeast(window.minProminence, scope.at)}
      and m.created_at <= ${instantOf(scope.at - window.minAgeMs)}
      and not exists (
        select 1 from slowwave.fusion_sources s
        join slowwave.fusions f on f.tenant = s.tenant and f.user_id = s.user_id and f.key = s.fusion_key
        where s.tenant = m.tenant and s.user_id = m.user_id and s.memory_id = m.id and s.live and f.status = 'review')
      and m.id not in (select id from disputed)
    order by prominence, m.id
    limit ${CANDIDATE_LIMIT}`);
}

/**
 * Explicit relations and stored neighbours among the given memories, in one statement whatever their number. A hypothesis is a guess
 * about memories: it joins none.
 */
function listEdges(
  tx: Transaction,
  scope: Scope,
  { model, ids, limit }: { model: string; ids: readonly string[]; limit: number },
): Promise<Edge[]> {
  const members = uuidArray(ids);
  return tx.rows(sql`
    (select r.source_id as a, r.target_id as b, r.confidence as weight, 'relation' as kind, r.relation_type as "relationType"
    from slowwave.relations r
    where r.tenant = ${scope.tenant} and r.user_id = ${scope.user} and not r.hypothesis
      and r.source_id = any(${members}) and r.target_id = any(${members})
    order by r.confidence desc, r.source_id, r.target_id, r.relation_type limit ${limit})
    union all
    (select least(n.memory_id, n.neighbour_id), greatest(n.memory_id, n.neighbour_id), max(n.cosine)::float8, 'neighbour', null
    from slowwave.neighbours n
    where n.tenant = ${scope.tenant} and n.user_id = ${scope.user} and n.model = ${model}
      and n.memory_id = any(${members}) and n.neighbour_id = any(${members})
    group by 1, 2 order by 3 desc, 1, 2 limit ${limit})`);
}

/**
 * Everything a plan needs, in four statements whatever the number of memories.
 * @param input.embeddingModel the model whose neighbours count
 * @param input.edgeLimit most edges of each sort, the strongest first
 */
export async function loadCandidates(
  tx: Transaction,
  input: Scope & { embeddingModel: string; window: PlanWindow; edgeLimit?: number },
): Promise<LoadedCandidates> {
  const candidates = await listCandidates(tx, input, input.window);
  const ids = candidates.map((candidate) => candidate.id);
  const { embeddingModel: model, edgeLimit: limit = EDGE_LIMIT } = input;
  const edges = await listEdges(tx, input, { model, ids, limit });
  return {
    candidates,
    edges: edges.map(plainEdge),
    latestCount: await countLatest(tx, input),
    apart: await listApart(tx, input, ids),
  };
}

/** How many of a user's memories are latest. */
export async function countLatest(tx: Transaction, of: { tenant: string; user: string }): Promise<number> {
  const [counted] = await tx.rows<{ latest: number }>(sql`
    select count(*)::int as latest from slowwave.memories
    where tenant = ${of.tenant} and user_id = ${of.user} and is_latest`);
  return counted!.latest;
}

function plainEdge(edge: Edge): Edge {
  const { relationType, ...rest } = edge;
  return relationType ? edge : rest;
}
