import {
  type Candidate,
  type Edge,
  type LoadedCandidates,
  type PlanWindow,
  type RelationType,
  TWIN_THRESHOLD,
} from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import { disputedMemories, pairsApart } from '../conflicts/disputed.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf, msOf } from '../instants.ts';
import { isAmong, lookup } from '../lookups.ts';
import { closeness } from './closeness.ts';

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

/** A memory m that a plan may take: latest, not profile, derived, waiting for a review or in an open conflict. */
function isFree(scope: Scope, { minAgeMs }: PlanWindow): SQL {
  return sql`${owned(scope, 'm')} and m.is_latest
      and m.memory_type in ('regular', 'dynamic_profile') and m.created_at <= ${instantOf(scope.at - minAgeMs)}
      and m.id not in (select id from reviewed) and m.id not in (select id from disputed)`;
}

/** The sources of statements that wait for a review. */
const reviewedMemories = (scope: Scope): SQL => sql`
    select s.memory_id as id from slowwave.fusions f ${sourcesOf(scope)} s
    where ${owned(scope, 'f')} and f.status = 'review' and s.live`;

/** The memories inside the window. */
function insideOf(scope: Scope, window: PlanWindow): SQL {
  return sql`
    select ${candidateColumns(scope.at)} from slowwave.memories m
    where ${isFree(scope, window)} and m.archived_at is null
      and ${below(window.maxProminence, scope.at)} and ${atLeast(window.minProminence, scope.at)}
    order by prominence, m.id
    limit ${CANDIDATE_LIMIT}`;
}

/** Those that are close to one inside, and have faded below the window or are archived; none without `partners` in the window. */
function partnersOf(scope: Scope, window: PlanWindow, model: string): SQL {
  const { partners } = window;
  const isClose = partners
    ? sql`${closeness(sql`o.words`, sql`o.cosine`, partners.edgeThreshold)} >= ${partners.minCloseness}::float8`
    : sql`false`;
  return sql`
    select ${candidateColumns(scope.at)}
    from (select distinct o.other_id from inside c ${closeTo(scope, model)} o where ${isClose}) o ${otherOf(scope)} m
    where ${isFree(scope, window)}
      and ${below(window.maxProminence, scope.at)} /* guard: partner-below */
      and (m.archived_at is not null or ${below(window.minProminence, scope.at)}) /* guard: partner-faded */
    order by prominence desc, m.id
    limit ${CANDIDATE_LIMIT}`;
}

const isCandidate = (column: SQL): SQL => isAmong(column, sql`select id from candidates`);

/** Explicit relations among the candidates. A hypothesis is a guess about memories: it joins none. */
function relationsOf(scope: Scope, limit: number): SQL {
  return sql`
    select c.id as a, r.target_id as b, r.confidence as weight, r.relation_type as word
    from candidates c ${lookup(sql`
      select r.target_id, r.confidence, r.relation_type from slowwave.relations r
      where ${owned(scope, 'r')} and r.source_id = c.id and not r.hypothesis
      -- The order of the index that begins with the source: that of targets may look as good.
      order by r.target_id, r.relation_type`)} r
    where ${isCandidate(sql`r.target_id`)}
    order by r.confidence desc, c.id, r.target_id, r.relation_type limit ${limit}`;
}

/** Stored neighbours among the candidates that may be twins, each pair once. */
function neighboursOf(scope: Scope, model: string, limit: number): SQL {
  return sql`
    select least(c.id, n.neighbour_id) as a, greatest(c.id, n.neighbour_id) as b,
      max(n.cosine)::float8 as weight, null::text as word
    from candidates c ${lookup(sql`
      select n.neighbour_id, n.cosine from slowwave.neighbours n
      where ${owned(scope, 'n')} and n.model = ${model} and n.memory_id = c.id and n.cosine >= ${TWIN_THRESHOLD}`)} n
    where ${isCandidate(sql`n.neighbour_id`)}
    group by 1, 2 order by 3 desc, 1, 2 limit ${limit}`;
}

/** What is close among the candidates, each pair once; the words stand in the column of a relation's type. */
function closeOf(scope: Scope, model: string, limit: number): SQL {
  return sql`
    select least(c.id, o.other_id) as a, greatest(c.id, o.other_id) as b,
      max(o.cosine)::float8 as weight, max(o.words)::text as word
    from candidates c ${closeTo(scope, model)} o
    where ${isCandidate(sql`o.other_id`)}
    group by 1, 2 order by max(o.words) + max(o.cosine) desc, 1, 2 limit ${limit}`;
}

/** The memory at the other end of o. By its key alone: an index of what else is asked of it may look as good. */
const otherOf = (scope: Scope): SQL =>
  lookup(sql`select * from slowwave.memories m where ${owned(scope, 'm')} and m.id = o.other_id`);

/** What is close to a row called c. */
const closeTo = (scope: Scope, model: string): SQL =>
  lookup(sql`
      select o.other_id, o.cosine, o.words from slowwave.closeness o
      where ${owned(scope, 'o')} and o.model = ${model} and o.memory_id = c.id`);

/** The sources of a fusion f. */
const sourcesOf = (scope: Scope): SQL =>
  lookup(sql`
      select s.memory_id, s.live from slowwave.fusion_sources s where ${owned(scope, 's')} and s.fusion_key = f.key`);

/** In which requests a candidate c was put as it is now. */
const placesOf = (scope: Scope): SQL =>
  lookup(sql`
      select s.fusion_key as key, s.group_no from slowwave.fusion_sources s
      where ${owned(scope, 's')} and s.memory_id = c.id and s.content_hash = c."contentHash"`);

/**
 * The request of a place s.
 * @param version under which it was put; absent or empty: any
 */
const requestOf = (scope: Scope, version: string | undefined): SQL =>
  lookup(sql`
      select f.kind, f.status from slowwave.fusions f
      where ${owned(scope, 'f')} and f.key = s.key ${!version ? sql`` : sql`and f.prompt_version = ${version}`}`);

/** Statements close to candidates, which may say them again; as long as no request has asked about the pair as it is now. */
function restatingOf(scope: Scope, model: string, version: string | undefined, limit: number): SQL {
  const asked = sql`exists (
        select 1 from (select 1) one ${placesOf(scope)} s ${requestOf(scope, version)} f ${lookup(sql`
          select 1 from slowwave.fusion_sources p
          where ${owned(scope, 'p')} and p.fusion_key = s.key and p.memory_id = m.id
            and p.content_hash = m.content_hash and p.group_no = s.group_no`)} p
        where f.kind = 'restatement' and f.status = 'closed')`;
  return sql`
    select m.id as a, c.id as b, o.cosine::float8 as weight, o.words::text as word, ${candidateColumns(scope.at)}
    from inside c ${closeTo(scope, model)} o ${otherOf(scope)} m
    where m.memory_type = 'derived' and m.learned_from in ('consolidation', 'nrem_consolidation')
      and m.is_latest and m.archived_at is null and m.id not in (select id from disputed)
      and not ${asked} /* guard: restated-before */
    order by o.words + o.cosine desc, m.id, c.id limit ${limit}`;
}

/** The pairs among ids of memories, each once, in an array called ids. */
const PAIRS = sql`cross join lateral (
      select p.id as a, q.id as b from unnest(ids) p(id) cross join unnest(ids) q(id) where p.id < q.id)`;

/**
 * Pairs of candidates that were in one group of a request, in any tier, as they are now: whether they say the same has been asked, unless
 * the request has failed, or a source was edited before the statement that joins them was approved.
 */
function offeredPairs(scope: Scope, version: string | undefined): SQL {
  return sql`
    with lost as materialized (
      select l.request, p.a, p.b from (
        select f.request, array_agg(s.memory_id) as ids from slowwave.fusions f ${sourcesOf(scope)} s
        where ${owned(scope, 'f')} and f.status = 'stale' and f.request is not null
        group by f.request, f.key) l ${PAIRS} p
    )
    select p.a, p.b, bool_and(g.failed) as failed from (
      select s.key, array_agg(c.id) as ids, bool_and(f.status = 'failed') as failed
      from candidates c ${placesOf(scope)} s ${requestOf(scope, version)} f
      where f.status in ('closed', 'failed')
      group by s.key, s.group_no) g ${PAIRS} p
    where true
      and not exists (select 1 from lost l where l.request = g.key and l.a = p.a and l.b = p.b) /* guard: offered-stale */
    group by 1, 2
    limit ${EDGE_LIMIT}`;
}

/** A row of the plan's one statement: which columns say something depends on what it is. */
interface PlanRow {
  sort:
    | 'candidate'
    | 'partner'
    | 'relation'
    | 'neighbour'
    | 'close'
    | 'restating'
    | 'apart'
    | 'offered'
    | 'latest'
    | 'known';
  item: Candidate | null;
  a: string | null;
  b: string | null;
  weight: number | null;
  word: string | null;
}

/** Everything a plan needs. */
export interface PlanInput extends LoadedCandidates {
  /** Hashes of source sets that must not be planned again, and whether they were taken back or have only failed. */
  known: { set: string; takenBack: boolean }[];
}

/**
 * Everything a plan needs, in one statement whatever the number of memories.
 * @param input.embeddingModel the model by which memories are close
 * @param input.edgeLimit most edges of each sort, the strongest first
 * @param input.promptVersion under which pairs were offered; absent or empty: any
 * @param input.known a query for the hashes of source sets that must not be planned again, in columns called set and taken_back
 */
export async function loadCandidates(
  tx: Transaction,
  input: Scope & {
    embeddingModel: string;
    window: PlanWindow;
    edgeLimit?: number;
    known?: SQL;
    promptVersion?: string;
  },
): Promise<PlanInput> {
  const { embeddingModel, edgeLimit = EDGE_LIMIT } = input;
  const rows = await tx.rows<PlanRow>(sql`
    with disputed as materialized (${disputedMemories(input)}),
      reviewed as materialized (${reviewedMemories(input)}),
      inside as materialized (${insideOf(input, input.window)}),
      partners as materialized (${partnersOf(input, input.window, embeddingModel)}),
      candidates as materialized (
        select id, "contentHash" from inside union all select id, "contentHash" from partners)
    select 'candidate' as sort, to_json(i) as item, null::uuid as a, null::uuid as b, null::float8 as weight, null::text as word
    from inside i
    union all select 'partner', to_json(p), null, null, null, null from partners p
    union all select 'relation', null, a, b, weight, word from (${relationsOf(input, edgeLimit)}) r
    union all select 'neighbour', null, a, b, weight, word from (${neighboursOf(input, embeddingModel, edgeLimit)}) n
    union all select 'close', null, a, b, weight, word from (${closeOf(input, embeddingModel, edgeLimit)}) c
    union all select 'restating', (to_jsonb(s) - array['a', 'b', 'weight', 'word'])::json, a, b, weight, word
      from (${restatingOf(input, embeddingModel, input.promptVersion, edgeLimit)}) s
    union all select 'apart', null, a, b, null, null from (${pairsApart(input, sql`select id from candidates`)}) p
    union all select 'offered', null, a, b, failed::int, null from (${offeredPairs(input, input.promptVersion)}) o
    union all select 'latest', null, null, null, count(*), null from slowwave.memories l
      where ${owned(input, 'l')} and l.is_latest
    ${input.known ? sql`union all select 'known', null, null, null, taken_back::int, set from (${input.known}) k` : sql``}`);
  return planInputOf(rows);
}

function planInputOf(rows: readonly PlanRow[]): PlanInput {
  const statements = new Map<string, Candidate>();
  const restating: Edge[] = [];
  const loaded: PlanInput & Required<Pick<PlanInput, 'apart' | 'offered'>> = {
    candidates: [],
    edges: [],
    latestCount: 0,
    apart: [],
    offered: [],
    known: [],
  };
  for (const { sort, item, a, b, weight, word } of rows) {
    if (sort === 'candidate') loaded.candidates.push(item!);
    else if (sort === 'partner') loaded.candidates.push({ ...item!, isPartner: true });
    else if (sort === 'relation')
      loaded.edges.push({ a: a!, b: b!, weight: weight!, kind: sort, relationType: word as RelationType });
    else if (sort === 'neighbour') loaded.edges.push({ a: a!, b: b!, weight: weight!, kind: sort });
    else if (sort === 'close')
      loaded.edges.push({ a: a!, b: b!, weight: weight!, words: Number(word), kind: sort });
    else if (sort === 'restating') {
      statements.set(a!, item!);
      restating.push({ a: a!, b: b!, weight: weight!, words: Number(word), kind: 'close' });
    } else if (sort === 'apart') loaded.apart.push({ a: a!, b: b! });
    else if (sort === 'offered') loaded.offered.push({ a: a!, b: b!, failed: weight === 1 });
    else if (sort === 'latest') loaded.latestCount = weight!;
    else loaded.known.push({ set: word!, takenBack: weight === 1 });
  }
  return restating.length === 0
    ? loaded
    : { ...loaded, restating: { statements: [...statements.values()], edges: restating } };
}

/** How many of a user's memories are latest. */
export async function countLatest(tx: Transaction, of: { tenant: string; user: string }): Promise<number> {
  const [counted] = await tx.rows<{ latest: number }>(sql`
    select count(*)::int as latest from slowwave.memories
    where tenant = ${of.tenant} and user_id = ${of.user} and is_latest`);
  return counted!.latest;
}
